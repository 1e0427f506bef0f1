"""`row3 history` and `row3 trend`: the runs of a suite over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from row3.domain.manifests import file_stem, tier_of
from row3.domain.runs import HistoryEntry
from row3.errors import InvalidFile
from row3.gate.results import JudgedSuite
from row3.reports.charting.timeline import TrendPoint
from row3.reports.charting.trend_chart import trend_charts
from row3.store.files import write_atomic
from row3.store.history import read_history
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import commit, writing


def suite_history(
    project: Project, suite: Suite, *, action: str | None = None, last: int | None = None
) -> list[HistoryEntry]:
    """The suite's entries, oldest first. Raises `InvalidFile`."""
    entries = [entry for entry in read_history(project.tree) if entry.suite == suite.name]
    if action is not None:
        entries = [entry for entry in entries if entry.action == action]
    return entries[-last:] if last else entries


def points_of(entries: Sequence[HistoryEntry]) -> list[TrendPoint]:
    """What the charts draw; raises `InvalidFile` for a time that is none."""
    points = []
    before: dict[str, str] = {}
    for entry in entries:
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            raise InvalidFile(
                f"`{entry.at}` is not a time", where=f"metrics-history.json run {entry.run_id}", fix="Correct it"
            ) from None
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        changed = [f"{name} {version}" for name, version in entry.prompts.items() if before.get(name) != version]
        label = changed[0] if changed else next((f"{n} {v}" for n, v in entry.prompts.items()), entry.suite)
        if entry.action == "promotion":
            before = dict(entry.prompts)
        points.append(TrendPoint(at, entry.action, label, entry.metrics, entry.verdict))
    return points


def chart_name(suite: JudgedSuite, *, weekly: bool = False) -> str:
    """How the charts of a suite's tier are called, without their ending."""
    return f"charts/{file_stem(suite.name, suite.tier)}-{'weekly' if weekly else 'trend'}"


def chart_files(suite: Suite, entries: Sequence[HistoryEntry], *, weekly: bool) -> dict[str, bytes]:
    """The charts of a suite's tier by file name, relative to the project. Raises `InvalidFile` for an empty history."""
    own = [entry for entry in entries if entry.suite == suite.name and tier_of(entry.mode) == suite.tier]
    if not own:
        raise InvalidFile(
            "the history has no run of this suite",
            where="metrics-history.json",
            fix=f"Make one with `row3 --baseline{suite.flags('row3 --baseline')}`",
        )
    charts = trend_charts(
        points_of(own),
        suite.kind.metrics,
        suite=file_stem(suite.name, suite.tier),
        thresholds=suite.rules.thresholds,
        weekly=weekly,
    )
    name = chart_name(suite, weekly=weekly)
    return {f"{name}.svg": charts.svg, f"{name}.png": charts.png}


def draw_trend(project: Project, suite: Suite, *, weekly: bool, folder: Path | None = None) -> list[Path]:
    """Draw the charts into `charts/` or another folder; returns the files. Raises `InvalidFile`, `EnvironmentFault`."""
    if folder is not None:
        files = chart_files(suite, read_history(project.tree), weekly=weekly)
        paths = {folder / Path(name).name: content for name, content in files.items()}
        for path, content in paths.items():
            write_atomic(path, content, where=str(path))
        return [*paths]
    with writing(project.local):  # read under the lock too: a promotion may be adding its entry and its charts
        files = chart_files(suite, read_history(project.tree), weekly=weekly)
        commit(project.root, project.local, files)
    return [*map(Path, files)]
