"""The chart of a leaderboard, written where charts are."""

from __future__ import annotations

from pathlib import Path

from row3.reports.charting.leaderboard_chart import leaderboard_chart
from row3.store.files import write_atomic
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import commit
from row3.workflows.leaderboards.board import Leaderboard


def chart_name(suite: Suite) -> str:
    """How the charts of a suite's leaderboard are called, without their ending."""
    return f"{suite.name}-leaderboard"


def draw_leaderboard(project: Project, board: Leaderboard, folder: Path | None = None) -> list[Path]:
    """Draw the board into `charts/` or another folder; returns the files.

    Raises `UsageError` where there is nothing to draw, `EnvironmentFault`.
    """
    files = leaderboard_chart(board)
    name = chart_name(board.suite)
    contents = {f"{name}.svg": files.svg, f"{name}.png": files.png}
    if folder is not None:
        for each, content in contents.items():
            write_atomic(folder / each, content, where=str(folder / each))
        return [folder / each for each in contents]
    with writing(project.local):
        commit(project.root, project.local, {f"charts/{each}": content for each, content in contents.items()})
    return [Path("charts") / each for each in contents]
