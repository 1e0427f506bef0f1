"""`row3 history` and `row3 trend`: the runs of a suite over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from row3.charting.timeline import TrendPoint, with_changes
from row3.charting.trend_chart import trend_chart
from row3.domain.runs import HistoryEntry, file_stem, tier_of
from row3.errors import InvalidFile, MissingExtra
from row3.gate.results import Run
from row3.gate.suites import JudgedSuite
from row3.project.files import write_atomic
from row3.project.history import FILE
from row3.project.project import Project
from row3.project.root import own_file
from row3.project.suites import Suite
from row3.project.transaction import commit, writing
from row3.running.session import scored_by


def points_of(entries: Sequence[HistoryEntry], run: Run | None = None) -> list[TrendPoint]:
    """Return the points of a chart, each with whether it is scored like `run`, or else like the newest entry.

    Raises `InvalidFile` for an invalid time.
    """
    points = []
    before: dict[str, str] = {}
    like = (run.cases, scored_by(run)) if run else (entries[-1].cases, entries[-1].scored) if entries else None
    for latest, entry in zip([*entries[:1], *entries], entries, strict=False):
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            what = f"`{entry.at}` is not a time"
            raise InvalidFile(what, where=f"{FILE} run {entry.run_id}", fix="Correct it") from None
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        changed = [f"{name} {version}" for name, version in entry.prompts.items() if before.get(name) != version]
        label = changed[0] if changed else next((f"{n} {v}" for n, v in entry.prompts.items()), entry.suite)
        if entry.action == "promotion":
            before = dict(entry.prompts)
        alike = like == (entry.cases, entry.scored)
        rescored = (latest.cases, latest.scored) != (entry.cases, entry.scored)
        points.append(TrendPoint(at, entry.action, label, entry.metrics, entry.verdict, alike, rescored))
    return points


def marked_points(
    suite: Suite, entries: Sequence[HistoryEntry], say: Callable[[str], None] = lambda _: None
) -> list[TrendPoint]:
    """Return the chart's points for a suite's tier, with the change points of its primary metric.

    Raises `InvalidFile` for an empty history. Without the package ruptures, `say` gets a note and nothing is marked.
    """
    own = [entry for entry in entries if entry.suite == suite.name and tier_of(entry.mode) == suite.tier]
    if not own:
        fix = f"Save one with `row3 --baseline{suite.flags('row3 --baseline')}`"
        raise InvalidFile("the history has no run of this suite", where=FILE, fix=fix)
    points = points_of(own)
    try:
        return with_changes(points, suite.kind.primary)
    except MissingExtra as missing:
        say(f"change points are not marked: {missing}")
        return points


def chart_name(suite: JudgedSuite, *, weekly: bool = False) -> str:
    """Return the path of the chart of a suite's tier, relative to the project."""
    return f"charts/{file_stem(suite.name, suite.tier)}-{'weekly' if weekly else 'trend'}.svg"


def draw_trend(
    project: Project, suite: Suite, *, weekly: bool, file: Path | None, say: Callable[[str], None]
) -> tuple[Path, list[TrendPoint]]:
    """Draw the chart to `charts/` or to `file`, as PNG if its name ends in `.png`; return the file and its runs.

    Raises `InvalidFile`, `EnvironmentFault`.
    """
    # The lock keeps a promotion from writing history and chart in between.
    with writing(project.root) if file is None else nullcontext():
        points = marked_points(suite, project.on_disk().history, say)
        path = file or Path(chart_name(suite, weekly=weekly))
        content = trend_chart(points, suite, weekly=weekly, png=path.suffix.lower() == ".png")
        if file is None:
            commit(project.root, {str(path): content})
        else:
            write_atomic(own_file(file), content, where=str(file))
    return path, points
