"""The chart of a leaderboard: every score with its interval, and score against cost and time where these are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from row3.errors import UsageError
from row3.gate.leaderboard import Leaderboard, Placed
from row3.reports import numbers
from row3.reports.charting.drawing import FRONT_INK, INK, LINE, MUTED, ChartFiles, drawn, label, percent
from row3.reports.leaderboard import THOUSAND, headline, names_of, score_bounds, shared_rank

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 30
ROW, PANEL, AROUND = 0.3, 3.0, 1.6
"""Inches: a row of the scores, a panel below them, and what stands around them."""
LOG_FROM = 20.0
"""Ratio of the largest to the smallest value from which a scale is logarithmic."""
LINE_ROOM = 110
"""Characters of a line across the figure."""
Figure_of = Callable[[Placed], float | None]


def leaderboard_chart(board: Leaderboard) -> ChartFiles:
    """The board as SVG and PNG; raises `UsageError` where no combination has all of its answers."""
    if not board.placed:
        raise UsageError("there is no complete combination to draw", where="--chart", fix="Record the missing answers")
    shown = board.placed[:SHOWN]
    panels: list[tuple[str, Figure_of]] = []
    if board.cost_known:
        panels.append(("US$ for 1,000 cases", lambda one: None if one.cost_usd is None else THOUSAND * one.cost_usd))
    if board.latency_known:
        panels.append(("seconds a case, median", lambda one: one.latency_p50_s))
    rows = [(ROW * len(shown) + 0.4, ["scores"] * max(1, len(panels)))]
    if panels:
        rows.append((PANEL, [name for name, _ in panels]))

    def draw(axes: Mapping[str, Axes]) -> None:
        _scores(axes["scores"], board, shown)
        for name, value in panels:
            axes[name].set_title(f"Score against {name}")
            _panel(axes[name], board, shown, value)

    common = names_of(board).common
    notes = [headline(board), *([f"All of them: {common}"] if common else [])]
    if len(shown) < len(board.placed):
        notes.append(f"The first {len(shown)} of {len(board.placed)}")
    notes.append(f"Lines: 95% intervals{'; orange: on the Pareto front' if panels else ''}")
    caption = "\n".join(label(note, LINE_ROOM) for note in notes)
    return drawn(board.suite.name, f"Leaderboard: {label(board.suite.name)}", caption, rows, draw, around=AROUND)


def _ink(board: Leaderboard, one: Placed) -> str:
    on_front = bool(one.front) and (board.cost_known or board.latency_known)
    return FRONT_INK if on_front else LINE


def _scores(axes: Axes, board: Leaderboard, shown: Sequence[Placed]) -> None:
    """A row for each combination: name and number, a point with its interval, score and rank."""
    from matplotlib.ticker import FuncFormatter

    names = names_of(board)
    for place, one in enumerate(shown):
        if (bounds := score_bounds(board, one)) is not None:
            axes.hlines(place, *bounds, color=_ink(board, one), linewidth=1.6)
        axes.plot(one.mean, place, marker="o", markersize=5.5, color=_ink(board, one))
    rows = range(len(shown))
    axes.set_yticks(rows, [f"{label(names.of(one.entrant))}   {place}" for place, one in enumerate(shown, 1)])
    right = axes.secondary_yaxis("right")
    right.set_yticks(
        rows, [f"{numbers.percent(one.mean)}   rank {shared_rank(board, i)}" for i, one in enumerate(shown)]
    )
    right.tick_params(colors=INK, labelsize=9)
    axes.tick_params(axis="y", colors=INK, labelsize=9)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlim(*_bounds(board, shown))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: percent(x)))
    axes.grid(visible=True, axis="x", linewidth=0.5)


def _panel(axes: Axes, board: Leaderboard, shown: Sequence[Placed], value: Figure_of) -> None:
    """Scores over another figure; combinations of which that is unknown are counted and not drawn."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

    points = [(place, one, x) for place, one in enumerate(shown, 1) if (x := value(one)) is not None]
    xs = [x for _, _, x in points]
    if xs and min(xs) > 0 and max(xs) / min(xs) > LOG_FROM:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axes.minorticks_off()
    else:
        axes.set_xlim(0.0, 1.08 * max(xs, default=1.0) or 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: percent(y)))
    axes.set_ylim(*_bounds(board, shown))
    axes.grid(visible=True, linewidth=0.5)
    for place, one, x in points:
        if (bounds := score_bounds(board, one)) is not None:
            axes.vlines(x, *bounds, color=_ink(board, one), linewidth=1.0, alpha=0.6)
        axes.plot(x, one.mean, marker="o", markersize=5.5, color=_ink(board, one))
        if len(shown) > 1:
            axes.annotate(str(place), (x, one.mean), (5, 4), textcoords="offset points", color=INK, size=8)
    if unknown := len(shown) - len(points):
        note = f"{numbers.count(unknown, 'combination')} of unknown value not drawn"
        axes.text(0.99, 0.02, note, transform=axes.transAxes, ha="right", color=MUTED, size=8)


def _bounds(board: Leaderboard, shown: Sequence[Placed]) -> tuple[float, float]:
    """Room for all intervals."""
    ends = [(one.mean, *(score_bounds(board, one) or ())) for one in shown]
    low, high = min(map(min, ends)), max(map(max, ends))
    margin = max(0.01, 0.08 * (high - low))
    return low - margin, high + margin
