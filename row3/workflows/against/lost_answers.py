"""Answers of the base's baseline that a change takes away, replaces or asks for no more: none can be scored again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from row3.domain.verdicts import Cause, Reason, Verdict
from row3.errors import Row3Error
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.saved_runs import SavedRun
from row3.workflows.against.asking_there import asking_there
from row3.workflows.against.at_ref import Base, Judging, listed
from row3.workflows.against.recording_drift import Replaced, gone_since, recorded_at
from row3.workflows.comparing.baseline_answers import BaselineAnswers, asked_as_then
from row3.workflows.comparing.rescore import StoredCases
from row3.workflows.pipeline.run_suite import Run


def lost_reasons(
    project: Project, judging: Judging, base: Base | None, run: Run, *, baseline: SavedRun, replaced: Sequence[Replaced]
) -> list[Reason]:
    """What to investigate where the answers of the base's baseline could be scored again there, and here no more.

    Once these cases or the scorer change they are held to what the baseline says of them. A new baseline brings its own
    answers, and of a case that asks otherwise from now on the old ones serve nobody.

    Raises `InvalidFile`.
    """
    if base is None or judging.new_baseline:
        return []
    header, suite = baseline.header, judging.suite
    if run.header.prompt_digests != header.prompt_digests and not asked_as_then(project, suite, header):
        return _asked_no_more(project, judging, base, run, baseline)
    gone: dict[str, set[str]] = {}
    other: dict[str, set[str]] = {}
    for recording in gone_since(project, suite, base):
        gone.setdefault(recording.case_id, set()).add(recording.prompt)
    for each in replaced:
        other.setdefault(each.case_id, set()).add(each.prompt)
    if not (gone or other):
        return []
    there = BaselineAnswers.open(project, suite, header, partial(recorded_at, project, suite, base))
    here = BaselineAnswers.open(project, suite, header)
    lost = {
        stored.id
        for stored, before in _of_base(judging, baseline, sorted({*gone, *other}))
        if there.has(stored, before) and not here.has(stored, before)
    }
    found = []
    ways: tuple[tuple[dict[str, set[str]], str, Cause], ...] = (
        (gone, "are gone", "recordings"),
        (other, "have others in their place", "lost"),
    )
    for touched, how, cause in ways:
        if ids := sorted(lost & {*touched}):
            lost.difference_update(ids)
            prompts = ", ".join(sorted({prompt for case_id in ids for prompt in touched[case_id]}))
            found.append(_reason(judging, f"{how} since {judging.label} ({prompts}): {listed(ids)}", cause))
    return found


def _asked_no_more(project: Project, judging: Judging, base: Base, run: Run, baseline: SavedRun) -> list[Reason]:
    """One ground for all cases: the first that could be scored again at the base tells it."""
    header, suite = baseline.header, judging.suite
    with suppress(Row3Error), asking_there(base, suite) as (asking, as_there):
        there = BaselineAnswers.open(asking, as_there, header, partial(recorded_at, project, suite, base))
        if not there.problem and any(
            there.has(stored, before) for stored, before in _of_base(judging, baseline, baseline.ids())
        ):
            then, now = header.prompt_digests, run.header.prompt_digests
            moved = {name: version for name, version in header.prompts.items() if now.get(name) != then.get(name)}
            refs = ", ".join(f"{name}-{version}" for name, version in (moved or header.prompts).items())
            how = f"belong to nothing since {judging.label}, for what {refs} asked there cannot be asked here"
            return [_reason(judging, how, "lost")]
    return []


def _of_base(judging: Judging, baseline: SavedRun, ids: Sequence[str]) -> Iterator[tuple[StoredCase, CaseRecord]]:
    """The cases of the base that ask here what they asked there, each with its record."""
    cases = StoredCases(judging.project, judging.suite)
    for case_id in ids:
        before = baseline.record(case_id)
        if before is not None and case_id not in judging.asked_no_more:
            with suppress(KeyError):  # a case that the base has no more: nobody scores it again
                yield cases(case_id), before


def _reason(judging: Judging, how: str, cause: Cause) -> Reason:
    suite = judging.suite
    what = (
        f"recorded answers that the baseline of suite {suite.name} rests on {how}; they are needed until "
        f"`row3 --baseline{suite.flags('row3 --baseline')}`, best in the same change, makes another"
    )
    return Reason(Verdict.INVESTIGATE, what, cause=cause)
