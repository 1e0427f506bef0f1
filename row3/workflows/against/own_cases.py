"""The golden cases that a change edits, as it has them: the base's judge the change, and these all that comes after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from row3.domain.verdicts import Reason, Verdict
from row3.metrics.aggregate import Aggregate
from row3.store.cases import CaseFiles
from row3.store.run_records import parse_record
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite
from row3.workflows.against.after_change import AfterChange
from row3.workflows.against.at_ref import Judging, listed
from row3.workflows.against.rules_at_ref import failing
from row3.workflows.comparing.compare import Comparer
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.pipeline.run_suite import Run, RunOptions, make_asking, replay
from row3.workflows.session import Session

AsThere = Callable[[], bool]


def own_case_reasons(
    session: Session, judging: Judging, run: Run, comparer: Comparer, *, after: AfterChange | None, as_there: AsThere
) -> list[Reason]:
    """The grounds against golden cases that what runs here would not pass: nor would anybody after the change.

    They ask what has no recorded answer, demand so much that a metric falls into its fail zone, or are answered so much
    worse than they were in the baseline that the comparison `after` the change blocks.
    """
    if not judging.not_as_here:
        return []
    edited = replayed(session, judging, run)
    found = _unanswered(judging, edited)
    if not session.options.partial:
        found += _too_hard(session.suite, judging, run, edited, comparer)
    return [*found, *(() if after is None else after.reasons(edited, comparer, run, as_there))]


def after_change(session: Session, judging: Judging, baseline: SavedRun) -> AfterChange | None:
    """What compares by the golden cases of a change; None where it edits none, or where nobody is stopped."""
    if not judging.edited or session.options.partial or session.suite.policy.informational:
        return None
    return AfterChange(session, judging, baseline)


def replayed(session: Session, judging: Judging, run: Run) -> list[CaseResult]:
    """The cases that the change edits, as it has them, answered as in the run."""
    if not judging.edited:
        return []
    suite, given = session.suite, session.options
    options = RunOptions(mode="replay", overrides=given.overrides, repeats=given.repeats, jobs=given.jobs)
    return list(
        replay(
            session.project,
            suite,
            make_asking(suite, run.lineup, given),
            options,
            CaseFiles(session.project.tree, list(judging.edited)),
        )
    )


def _unanswered(judging: Judging, edited: Sequence[CaseResult]) -> list[Reason]:
    missing = [each.case_id for each in edited if each.status == "failed" and each.case_id in judging.asked_no_more]
    if not missing:
        return []
    what = f"no recorded answer to what these cases ask now: {listed(missing)}"
    return [Reason(Verdict.BLOCK, what, cause="unrecorded")]


def _too_hard(
    here: Suite, judging: Judging, run: Run, edited: Sequence[CaseResult], comparer: Comparer
) -> Iterator[Reason]:
    """Metrics in their fail zone by the change's own cases: over all of them, and over those that the baseline has."""
    if here.policy.informational:
        return
    records = (parse_record(line, where="the run") for line in run.records)
    scored = {record.id: record.metrics for record in records if record.id not in judging.not_as_here}
    scored |= {each.case_id: each.metrics for each in edited}
    for case_id in run.collected.quarantined:
        scored.pop(case_id, None)
    sides = [("", scored, run.header.metrics)]
    if not judging.new_baseline:
        ids = {*comparer.baseline.ids()} - judging.asked_no_more
        shared = {case_id: metrics for case_id, metrics in scored.items() if case_id in ids}
        sides.append((" over the baseline's cases", shared, comparer.pairs.figures()))
    titles, known = {metric.key: metric.title for metric in here.kind.metrics}, set[str]()
    for over, cases, before in sides:
        now = _means(cases.values())
        known.update(*(failing(suite, before) for suite in (judging.suite, here)))
        for key in failing(here, now):
            if key not in known:
                what = f"{titles[key]} {now[key]:.1%} is in its fail zone{over} by the golden cases of this change"
                then = f"though not by those of {judging.label}: all that comes after would block"
                yield Reason(Verdict.BLOCK, f"{what}, {then}", metric=key, cause="cases")
                known.add(key)


def _means(scored: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total = Aggregate()
    for metrics in scored:
        total.add(metrics, {})
    return total.means()
