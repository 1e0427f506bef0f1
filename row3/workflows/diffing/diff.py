"""What differs between two runs: saved ones, baselines, prompt versions, git refs or models. Nothing is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from row3.domain.runs import Diff
from row3.domain.verdicts import Compared
from row3.gate.comparison import compare_case
from row3.store.cases import sources_of
from row3.store.project import Project
from row3.store.saved_runs import CaseRecord
from row3.store.suites import Suite
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.comparing.sides import text_diff
from row3.workflows.diffing.sides import Names, Side
from row3.workflows.pipeline.results import result_of
from row3.workflows.pipeline.run_suite import RunOptions


def diff(
    project: Project,
    suite: Suite,
    before: str,
    after: str,
    options: Callable[[], RunOptions] = RunOptions,
    *,
    named: tuple[str, ...] = (),
    only: Collection[str] | None = None,
) -> Diff:
    """Compare two runs of a suite, case by case, of all cases or `only` these; the rest is as in `Names`.

    What is no saved run is replayed from its recordings. Raises `UsageError` for a name without a meaning,
    `InvalidFile` for a broken file, `RunIncomplete` where a side has no recorded answer at all.
    """
    names = Names(project, suite, options, named)
    left, right = [opener() for opener in [names.find(before), names.find(after)]]
    comparer = Comparer(suite)
    gained: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    sources = {**sources_of(left.project.tree, suite.golden), **sources_of(right.project.tree, suite.golden)}
    before_, after_ = (
        {case_id: record for case_id, record in side.run.cases.items() if only is None or case_id in only}
        for side in (left, right)
    )
    for case_id in dict.fromkeys([*before_, *after_]):
        old, new = before_.get(case_id), after_.get(case_id)
        if new is None:
            comparer.add_removed([case_id])
            continue
        compared = None if old is None else _compared(suite, old, new, left.run.header.repeats)
        if compared is not None:
            gained.update({name: len(items) for name, items in compared.change.gained.items()})
            lost.update({name: len(items) for name, items in compared.change.lost.items()})
        comparer.take(result_of(new, compared, repeats=right.run.header.repeats, source=sources.get(case_id)))
    diffs, without_text = _prompt_diffs(left, right)
    return Diff(
        suite=suite.name,
        names=(left.name, right.name),
        places=(left.where, right.where),
        commits=(left.commit, right.commit),
        before=left.run.header,
        after=right.run.header,
        sizes=(len(before_), len(after_)),
        notes=[f"no text of {name}, as it was run" for name in without_text],
        metrics=list(comparer.scores().changes),
        primary=suite.kind.primary,
        moves=dict(comparer.moves.most_common()),
        cases=comparer.largest(),
        compared=comparer.compared,
        gained=dict(gained),
        lost=dict(lost),
        prompt_diffs=diffs,
        unanswered=[(side.name, len(side.missing), side.problem) for side in (left, right) if side.missing],
    )


def _compared(suite: Suite, old: CaseRecord, new: CaseRecord, repeats: int) -> Compared:
    """One case in both runs; they compare where the golden case's file is the same."""
    comparable = old.digest == new.digest and old.status != "failed"
    change = compare_case(
        old.id,
        (old.status, old.metrics, old.found),
        (new.status, new.metrics, new.found),
        kind=suite.kind,
        comparable=comparable,
    )
    before = old.metrics if comparable else None
    return Compared(change, before, old.spread, old.tally, repeats, old.requests, old.answers)


def _prompt_diffs(left: Side, right: Side) -> tuple[dict[str, str], list[str]]:
    """Return text diffs of the prompts that differ, and those whose text is gone."""
    before, after = left.run.header, right.run.header
    diffs: dict[str, str] = {}
    gone: list[str] = []
    for name, version in after.prompts.items():
        was = before.prompts.get(name)
        if was is None or before.prompt_digests.get(name) == after.prompt_digests.get(name):
            continue
        sides = ((left, was), (right, version))
        lacking = [f"{name} {its} of {side.name}" for side, its in sides if name not in side.texts]
        gone += lacking
        if not lacking:
            old, new = [f"{name}-{its} ({side.name})" for side, its in sides]
            diffs[name] = text_diff(left.texts[name], right.texts[name], old, new)
    return diffs, gone
