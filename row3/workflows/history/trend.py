"""`row3 history` and `row3 trend`: the runs of a suite over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from row3.domain.manifests import file_stem, tier_of
from row3.domain.runs import HistoryEntry
from row3.errors import InvalidFile, MissingExtra
from row3.gate.results import JudgedSuite, Run
from row3.reports.charting.change_points import with_changes
from row3.reports.charting.timeline import TrendPoint
from row3.reports.charting.trend_chart import trend_chart
from row3.store.files import write_atomic
from row3.store.history import read_history
from row3.store.project import Project, own_file
from row3.store.suites import Suite
from row3.store.transaction import commit, writing
from row3.workflows.session import scored_by


def suite_history(
    project: Project, suite: Suite, *, action: str | None = None, last: int | None = None
) -> list[HistoryEntry]:
    """The suite's entries, oldest first. Raises `InvalidFile`."""
    entries = [entry for entry in read_history(project.tree) if entry.suite == suite.name]
    if action is not None:
        entries = [entry for entry in entries if entry.action == action]
    return entries[-last:] if last else entries


def points_of(entries: Sequence[HistoryEntry], run: Run | None = None) -> list[TrendPoint]:
    """What the charts draw, compared with a run or else the newest entry; raises `InvalidFile` for a wrong time."""
    points = []
    before: dict[str, str] = {}
    like = (run.cases, scored_by(run)) if run else (entries[-1].cases, entries[-1].scored) if entries else None
    for entry in entries:
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            what = f"`{entry.at}` is not a time"
            raise InvalidFile(what, where=f"metrics-history.json run {entry.run_id}", fix="Correct it") from None
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        changed = [f"{name} {version}" for name, version in entry.prompts.items() if before.get(name) != version]
        label = changed[0] if changed else next((f"{n} {v}" for n, v in entry.prompts.items()), entry.suite)
        if entry.action == "promotion":
            before = dict(entry.prompts)
        alike = like == (entry.cases, entry.scored)
        points.append(TrendPoint(at, entry.action, label, entry.metrics, entry.verdict, alike))
    return points


def marked_points(
    suite: Suite, entries: Sequence[HistoryEntry], say: Callable[[str], None] = lambda _: None
) -> list[TrendPoint]:
    """What the charts of a suite's tier draw, with the runs at which its primary metric changed marked.

    Raises `InvalidFile` for an empty history. Without ruptures nothing is marked, and `say` is told what to install.
    """
    own = [entry for entry in entries if entry.suite == suite.name and tier_of(entry.mode) == suite.tier]
    if not own:
        fix = f"Save one with `row3 --baseline{suite.flags('row3 --baseline')}`"
        raise InvalidFile("the history has no run of this suite", where="metrics-history.json", fix=fix)
    points = points_of(own)
    try:
        return with_changes(points, suite.kind.primary)
    except MissingExtra as missing:
        say(f"no change points are marked: {missing}")
        return points


def chart_name(suite: JudgedSuite, *, weekly: bool = False) -> str:
    """Return the file of a suite's tier, relative to the project."""
    return f"charts/{file_stem(suite.name, suite.tier)}-{'weekly' if weekly else 'trend'}.svg"


def chart_file(suite: Suite, points: Sequence[TrendPoint], *, weekly: bool = False, png: bool = False) -> bytes:
    """Return the chart of a suite's tier."""
    return trend_chart(
        points,
        suite.kind.metrics,
        suite=file_stem(suite.name, suite.tier),
        primary=suite.kind.primary,
        thresholds=suite.rules.thresholds,
        weekly=weekly,
        png=png,
    )


def draw_trend(
    project: Project,
    suite: Suite,
    *,
    weekly: bool,
    file: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Path, list[TrendPoint]]:
    """Draw the chart into `charts/` or another file; returns the file, and the runs at which the level changed.

    A file that ends in `.png` gets a PNG, any other an SVG. Raises `InvalidFile`, `EnvironmentFault`.
    """
    # Read under the lock too: a promotion may be adding its entry and its chart.
    with writing(project.local) if file is None else nullcontext():
        points = marked_points(suite, read_history(project.tree), say)
        path = file or Path(chart_name(suite, weekly=weekly))
        content = chart_file(suite, points, weekly=weekly, png=path.suffix.lower() == ".png")
        if file is None:
            commit(project.root, project.local, {str(path): content})
        else:
            write_atomic(own_file(file), content, where=str(file))
    return path, [point for point in points if point.level is not None]
