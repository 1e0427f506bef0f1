"""What differs between two runs: saved ones, baselines, or prompt versions replayed now. Nothing is judged."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from row3.domain.prompts import parse_reference
from row3.domain.verdicts import CaseChange, MetricChange
from row3.errors import InvalidFile, UsageError
from row3.gate.comparison import by_size, compare_case
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.store.cases import sources_of
from row3.store.project import Project, Suite, baseline_tier
from row3.store.saved_runs import CaseRecord, RunHeader, SavedRun, latest_runs, parse_run, read_run, run_bytes
from row3.workflows.differences import what_differs
from row3.workflows.run_suite import RunOptions, collect, header_for, make_asking, replay

KEPT_CHANGES = 200
"""Case changes kept for the report; of the others only the numbers are."""
LATEST, BASELINE = "latest", "baseline"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    name: str
    """As the user named it."""
    where: str
    """The file it was read from, or that it was replayed."""
    run: SavedRun


@dataclass(frozen=True, slots=True)
class Diff:
    """Two runs side by side; deltas are after minus before."""

    suite: str
    names: tuple[str, str]
    places: tuple[str, str]
    before: RunHeader
    after: RunHeader
    differs: list[str]
    """What differs apart from the answers, a line each."""
    metrics: list[MetricChange]
    """Means over the cases that both have and that could be compared."""
    moves: dict[str, int]
    cases: list[CaseChange]
    """Those that moved most, largest first."""
    compared: int


def diff(project: Project, suite: Suite, before: str, after: str, options: RunOptions | None = None) -> Diff:
    """Compare two runs of a suite.

    Args:
        before: a run id or the beginning of one, `latest`, `baseline`, the name of an archived baseline, a path to
            a saved run, or a prompt reference such as `decompose-concepts-v1.0`, which is replayed.
        after: the same.
    Raises `UsageError` for a name that is nothing of these, `InvalidFile` for a broken file or runs of two suites.
    """
    left, right = (find_side(project, suite, name, options or RunOptions()) for name in (before, after))
    for side in (left, right):
        if side.run.header.suite != suite.name or side.run.header.kind != suite.kind.name:
            header = side.run.header
            raise UsageError(
                f"`{side.name}` is a run of suite `{header.suite}` ({header.kind})",
                where=side.where,
                fix=f"Compare runs of one suite; this one is `{suite.name}` ({suite.kind.name}), --suite names another",
            )
    return compare_runs(suite, left, right, sources=sources_of(project.golden(suite.name)))


def compare_runs(suite: Suite, left: Side, right: Side, *, sources: Mapping[str, str] = MappingProxyType({})) -> Diff:
    """Two runs of one suite, case by case; memory holds the larger moves only. Raises `InvalidFile`.

    Args:
        sources: by case; cases of one source are one cluster of the intervals.
    """
    primary = suite.kind.primary
    pairs = Pairs()
    repeats = left.run.header.repeats, right.run.header.repeats
    moves: Counter[str] = Counter()
    heap: list[tuple[float, int, CaseChange]] = []
    ids = left.run.ids()
    known = set(ids)
    ids += [case_id for case_id in right.run.ids() if case_id not in known]
    for serial, case_id in enumerate(ids):
        old, new = left.run.record(case_id), right.run.record(case_id)
        comparable = old is None or new is None or _alike(old, new)
        change = compare_case(case_id, _sides(old), _sides(new), primary=primary, comparable=comparable)
        moves[change.move] += 1
        if old is not None and new is not None and change.move in _COMPARED:
            spreads, source = (old.spread, new.spread), sources.get(case_id)
            pairs.add(old.metrics, new.metrics, source=source, repeats=repeats, spreads=spreads)
        if change.move != "unchanged":
            weight = 2.0 if change.move in ("broke", "fixed", "failed") else abs(change.delta)
            push = heapq.heappush if len(heap) < KEPT_CHANGES else heapq.heappushpop
            push(heap, (weight, -serial, change))
    before, after = left.run.header, right.run.header
    differs = what_differs(before, after)
    if before.scorer != after.scorer:
        differs.append(f"scorer: {before.scorer} → {after.scorer}; scores of two scorers do not compare")
    metrics = compare_metrics(*pairs.means(), suite.kind.metrics, suite.policy, pairs, primary=primary)
    return Diff(
        suite=suite.name,
        names=(left.name, right.name),
        places=(left.where, right.where),
        before=before,
        after=after,
        differs=differs,
        metrics=metrics,
        moves=dict(moves.most_common()),
        cases=by_size(change for _, _, change in heap),
        compared=sum(moves[move] for move in _COMPARED),
    )


_COMPARED = ("improved", "unchanged", "regressed", "broke", "fixed")


def _sides(record: CaseRecord | None) -> tuple[str, Mapping[str, float], Mapping[str, tuple[str, ...]]] | None:
    return None if record is None else (record.status, record.metrics, record.found)


def _alike(old: CaseRecord, new: CaseRecord) -> bool:
    """Scored against the same case; a run log has no digest of the content, so there the file's has to do."""
    return old.digest == new.digest or bool(old.content and old.content == new.content)


def find_side(project: Project, suite: Suite, name: str, options: RunOptions) -> Side:
    """The run that a name means; raises `UsageError` that lists what there is, `InvalidFile` for a broken file."""
    if name == LATEST:
        return _latest(project, suite)
    finders: tuple[Callable[[], Path | None], ...] = (
        lambda: _baseline(project, suite) if name == BASELINE else None,
        lambda: _archived(project, suite, name),
        lambda: _run_log(project, name),
        lambda: _path(project, name),
    )
    for find in finders:
        path = find()
        if path is not None:
            where = path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else str(path)
            return Side(name, where, read_run(path, where=where))
    if parse_reference(name.removeprefix("prompts/")) is not None:
        return Side(name, "replayed now", replayed(project, suite, name, options))
    raise UsageError(
        f"`{name}` is no run, baseline, file or prompt version",
        where="row3 diff",
        fix="Give `latest`, `baseline`, a run id of .row3/runs, a path, or a prompt such as decompose-concepts-v1.0",
    )


def _latest(project: Project, suite: Suite) -> Side:
    for path in latest_runs(project.local / "runs"):
        where = f".row3/runs/{path.name}"
        run = read_run(path, where=where)
        if run.header.suite == suite.name:
            return Side(LATEST, where, run)
    raise UsageError("no run was kept yet", where=".row3/runs", fix="Run `row3` first")


def _baseline(project: Project, suite: Suite) -> Path:
    path = project.baseline(suite.name, baseline_tier(project, suite))
    if path.is_file():
        return path
    raise UsageError("there is no baseline", where=f"baselines/{path.name}", fix="Make one with `row3 --baseline`")


def _archived(project: Project, suite: Suite, name: str) -> Path | None:
    if "/" in name or "\\" in name or not name:
        return None
    folder = project.root / "baselines" / "archive"
    stem = name.removesuffix(".json")
    for candidate in (folder / f"{stem}.json", folder / f"{suite.name}-{stem}.json"):
        if _is_file(candidate):
            return candidate
    return None


def _run_log(project: Project, name: str) -> Path | None:
    if not name or not name[0].isdigit():
        return None
    found = [path for path in latest_runs(project.local / "runs") if path.stem.startswith(name)]
    if len(found) > 1 and found[0].stem != name:
        shown = ", ".join(path.stem for path in found[:4])
        raise UsageError(f"`{name}` is the beginning of {len(found)} runs", where=".row3/runs", fix=f"Choose: {shown}")
    return found[0] if found else None


def _path(project: Project, name: str) -> Path | None:
    for path in (Path(name), project.root / name):
        if _is_file(path):
            return path.resolve()
    if name.endswith(".json"):
        raise InvalidFile("the file does not exist", where=name, fix="Correct the path")
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long a name, or a zero byte in it
        return False


def replayed(project: Project, suite: Suite, name: str, options: RunOptions) -> SavedRun:
    """A run of a prompt version in its place among the candidates, from recordings.

    Raises `InvalidFile`, `UsageError`; a case without a recording is failed, as in any replay.
    """
    from row3.workflows.lineup import line_up

    options = replace(options, explain=False)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=(name,)), options)
    head = header_for(suite, asking, mode="replay")
    run = collect(replay(project, suite, asking, options), suite, asking.lineup, head, partial=options.partial)
    return parse_run(b"".join(run_bytes(run.header, run.records)), where=name)
