"""What differs between two runs: saved ones, baselines, prompt versions, git refs or models. Nothing is judged."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from row3.domain.changes import MetricChange
from row3.domain.verdicts import CaseChange
from row3.gate.comparison import by_size, compare_case
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.store.project import Project
from row3.store.run_records import CaseRecord, RunHeader
from row3.store.suites import Suite
from row3.workflows.comparing.differences import text_diff, what_differs
from row3.workflows.diffing.sides import Side, open_sides

if TYPE_CHECKING:
    from row3.workflows.pipeline.run_suite import RunOptions

KEPT_CHANGES = 200
"""Case changes kept for the report; of the others only the numbers are."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two runs side by side; deltas are after minus before."""

    suite: str
    names: tuple[str, str]
    places: tuple[str, str]
    commits: tuple[str | None, str | None]
    """Of git refs."""
    before: RunHeader
    after: RunHeader
    sizes: tuple[int, int]
    """Cases of each."""
    differs: list[str]
    """What differs apart from the answers, a line each."""
    metrics: list[MetricChange]
    """Means over the cases that both have and that could be compared."""
    primary: str
    """Key of the composite."""
    moves: dict[str, int]
    cases: list[CaseChange]
    """Those that moved most, largest first."""
    compared: int
    gained: dict[str, int]
    """By list, how many items became right over all cases: missed ones found, wrong ones gone."""
    lost: dict[str, int]
    prompt_diffs: dict[str, str]
    """By prompt name, where the text differs and both are to be had."""
    unanswered: list[tuple[str, int, str]]
    """Sides that were replayed and lack answers: name, how many cases, and why the first of them."""


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
    with open_sides(project, suite, (before, after), options or _no_options, named) as (left, right):
        return compare_sides(suite, left, right)


def _no_options() -> RunOptions:
    from row3.workflows.pipeline.run_suite import RunOptions  # what two saved runs do without is not imported

    return RunOptions()


def compare_sides(suite: Suite, left: Side, right: Side) -> Diff:
    """Two runs of one suite, case by case; memory holds the larger moves only. Raises `InvalidFile`."""
    before, after = left.run.header, right.run.header
    kind, repeats = suite.kind, (before.repeats, after.repeats)
    sources = right.sources if left.project is right.project else {**left.sources, **right.sources}
    pairs, tally = Pairs(kind), _Tally()
    ids = left.run.ids()
    known = set(ids)
    ids += [case_id for case_id in right.run.ids() if case_id not in known]
    for case_id in ids:
        old, new = left.run.record(case_id), right.run.record(case_id)
        comparable = old is None or new is None or _alike(old, new, left, right)
        change = compare_case(case_id, _facts(old), _facts(new), kind=kind, comparable=comparable)
        tally.add(change)
        if old is not None and new is not None and change.move in _COMPARED:
            spreads, source = (old.spread, new.spread), sources.get(case_id)
            pairs.add(old.metrics, new.metrics, source=source, repeats=repeats, spreads=spreads)
    diffs, untold = prompt_diffs(left, right)
    return Diff(
        suite=suite.name,
        names=(left.name, right.name),
        places=(left.where, right.where),
        commits=(left.commit, right.commit),
        before=before,
        after=after,
        sizes=(len(left.run), len(right.run)),
        differs=[*_header_lines(before, after), *_case_lines(left, right, tally.moves), *untold],
        metrics=compare_metrics(*pairs.means(), kind.metrics, suite.policy, pairs, primary=kind.primary),
        primary=kind.primary,
        moves=dict(tally.moves.most_common()),
        cases=tally.largest(),
        compared=sum(tally.moves[move] for move in _COMPARED),
        gained=dict(tally.gained),
        lost=dict(tally.lost),
        prompt_diffs=diffs,
        unanswered=[(side.name, len(side.missing), side.problem) for side in (left, right) if side.missing],
    )


_COMPARED = ("improved", "unchanged", "regressed", "broke", "fixed")
_FIRST = ("broke", "fixed", "failed")


class _Tally:
    """Counts the moves and keeps the largest."""

    def __init__(self) -> None:
        self.moves: Counter[str] = Counter()
        self.gained: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self._heap: list[tuple[float, int, CaseChange]] = []
        self._serial = 0

    def add(self, change: CaseChange) -> None:
        """Take in one case."""
        self.moves[change.move] += 1
        for counter, lists in ((self.gained, change.gained), (self.lost, change.lost)):
            for name, items in lists.items():
                counter[name] += len(items)
        self._serial += 1
        if change.move != "unchanged":
            weight = 2.0 if change.move in _FIRST else abs(change.delta)
            push = heapq.heappush if len(self._heap) < KEPT_CHANGES else heapq.heappushpop
            push(self._heap, (weight, -self._serial, change))

    def largest(self) -> list[CaseChange]:
        """The largest moves, in the order in which a person wants to see them."""
        return by_size(change for _, _, change in self._heap)


def _facts(record: CaseRecord | None) -> tuple[str, Mapping[str, float], Mapping[str, tuple[str, ...]]] | None:
    return None if record is None else (record.status, record.metrics, record.found)


def _alike(old: CaseRecord, new: CaseRecord, left: Side, right: Side) -> bool:
    """Scored against the same case; a run log has no digest of the content, so there the file's has to do."""
    if old.digest == new.digest:
        return True
    before = left.content(old.id)
    return bool(before and before == right.content(new.id))


def _header_lines(before: RunHeader, after: RunHeader) -> list[str]:
    lines = what_differs(before, after)
    if before.scorer != after.scorer:
        lines.append(f"scorer: {before.scorer} → {after.scorer}; scores of two scorers do not compare")
    return lines


def _case_lines(left: Side, right: Side, moves: Mapping[str, int]) -> list[str]:
    """How the cases of the two sides differ."""
    counts = (
        (moves.get("removed", 0), f"only in {left.name}"),
        (moves.get("new", 0), f"only in {right.name}"),
        (moves.get("not comparable", 0), "changed in between, which does not compare"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    return [f"cases: {told}"] if told else []


def prompt_diffs(left: Side, right: Side) -> tuple[dict[str, str], list[str]]:
    """Text diffs of the prompts that both sides have and that differ, and a line for each that is not to be had."""
    before, after = left.run.header, right.run.header
    diffs: dict[str, str] = {}
    untold: list[str] = []
    for name, version in after.prompts.items():
        was = before.prompts.get(name)
        if was is None or before.prompt_digests.get(name) == after.prompt_digests.get(name):
            continue
        gone = [
            f"{name} {its} of {side.name}" for side, its in ((left, was), (right, version)) if name not in side.texts
        ]
        if gone:
            untold.append(f"no text diff: the text as run is no longer in prompts/ for {' and '.join(gone)}")
            continue
        titles = (f"{name}-{was} ({left.name})", f"{name}-{version} ({right.name})")
        diffs[name] = text_diff(left.texts[name], right.texts[name], titles)
    return diffs, untold
