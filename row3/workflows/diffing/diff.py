"""What differs between two runs: saved ones, baselines, prompt versions, git refs or models. Nothing is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from row3.domain.runs import Diff
from row3.domain.verdicts import Compared
from row3.gate.comparison import compare_case
from row3.store.cases import sources_of
from row3.store.project import Project
from row3.store.saved_runs import CaseRecord
from row3.store.suites import Suite
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.comparing.prompt_texts import text_diff
from row3.workflows.diffing.sides import Side, open_sides
from row3.workflows.pipeline.results import result_of
from row3.workflows.pipeline.run_suite import RunOptions


def diff(
    project: Project,
    suite: Suite,
    before: str,
    after: str,
    options: Callable[[], RunOptions] | None = None,
    *,
    named: tuple[str, ...] = (),
) -> Diff:
    """Compare two runs of a suite.

    Args:
        before: a run id or the beginning of one, `latest`, `baseline`, the name of an archived baseline, a path to
            a saved run, a prompt version (`v1.0`, `decompose-concepts-v1.0`), a git ref or `model:NAME`; each with the
            prefix `run:`, `baseline:`, `prompt:`, `git:` where it could be something else. What is no saved run is
            replayed from its recordings.
        after: the same.
        options: makes those of what is replayed.
        named: prompt references that take their prompt's place in what is replayed.
    Raises `UsageError` for a name that is nothing of these or several of them, `InvalidFile` for a broken file,
    `RunIncomplete` where a side has no recorded answer at all.
    """
    return compare_sides(suite, *open_sides(project, suite, (before, after), options or RunOptions, named))


def compare_sides(suite: Suite, left: Side, right: Side) -> Diff:
    """Return two runs of one suite, case by case. Raises `InvalidFile`."""
    comparer = Comparer(suite)
    gained: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    sources = {**sources_of(left.project.tree, suite.golden), **sources_of(right.project.tree, suite.golden)}
    ids = dict.fromkeys([*left.run.cases, *right.run.cases])
    for case_id in ids:
        old, new = left.run.cases.get(case_id), right.run.cases.get(case_id)
        if new is None:
            comparer.leave_out([case_id])
            continue
        compared = None if old is None else _compared(suite, old, new, left.run.header.repeats)
        for counter, lists in (
            () if compared is None else ((gained, compared.change.gained), (lost, compared.change.lost))
        ):
            for name, items in lists.items():
                counter[name] += len(items)
        comparer.take(result_of(new, compared, repeats=right.run.header.repeats, source=sources.get(case_id)))
    diffs, without_text = prompt_diffs(left, right)
    kind = suite.kind
    return Diff(
        suite=suite.name,
        names=(left.name, right.name),
        places=(left.where, right.where),
        commits=(left.commit, right.commit),
        before=left.run.header,
        after=right.run.header,
        sizes=(len(left.run.cases), len(right.run.cases)),
        notes=[f"no text of {name}, as it was run" for name in without_text],
        metrics=list(comparer.scores().changes),
        primary=kind.primary,
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


def prompt_diffs(left: Side, right: Side) -> tuple[dict[str, str], list[str]]:
    """Return text diffs of the prompts that differ, and those whose text is gone."""
    before, after = left.run.header, right.run.header
    diffs: dict[str, str] = {}
    gone: list[str] = []
    for name, version in after.prompts.items():
        was = before.prompts.get(name)
        if was is None or before.prompt_digests.get(name) == after.prompt_digests.get(name):
            continue
        lacking = [
            f"{name} {its} of {side.name}" for side, its in ((left, was), (right, version)) if name not in side.texts
        ]
        gone += lacking
        if not lacking:
            titles = (f"{name}-{was} ({left.name})", f"{name}-{version} ({right.name})")
            diffs[name] = text_diff(left.texts[name], right.texts[name], titles)
    return diffs, gone
