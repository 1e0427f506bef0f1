"""The chart of a leaderboard: every score with its interval, and score against cost and time where these are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from row3.errors import UsageError
from row3.gate.leaderboard import Leaderboard, Placed
from row3.reports import numbers
from row3.reports.charting.chart_files import ChartFiles, drawn
from row3.reports.charting.chart_panel import INK, LINE, MUTED, PAPER, PLAIN, SMALL
from row3.reports.charting.chart_scale import percent
from row3.reports.charting.chart_text import LEFT, RIGHT, WIDTH, add_axes, one_line, plain, text_width, write
from row3.reports.leaderboard import (
    THOUSAND,
    headline,
    names_of,
    score_bounds,
    shared_rank,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 30
HEADER, ROW, AXIS = 1.0, 0.3, 0.42
PANEL_TITLE, PANEL, PANEL_GAP = 0.5, 2.7, 0.75
NAMES_AT_MOST = 4.2
"""Inches for the names at the left."""
RANKS = 1.25
"""Inches for score and rank at the right."""
FRONT_INK = "#B4501E"
LOG_FROM = 20.0
"""Where the largest is so many times the smallest, a scale is logarithmic."""
Figure_of = Callable[[Placed], float | None]


def leaderboard_chart(board: Leaderboard) -> ChartFiles:
    """The board as SVG and PNG; raises `UsageError` where no combination has all of its answers."""
    if not board.placed:
        raise UsageError("there is no complete combination to draw", where="--chart", fix="Record the missing answers")
    return drawn(board.suite, lambda: _compose(board))


def _compose(board: Leaderboard) -> tuple[Figure, str]:
    from matplotlib.figure import Figure

    shown = board.placed[:SHOWN]
    panels: list[tuple[str, Figure_of]] = []
    if board.cost_known:
        panels.append(("US$ for 1,000 cases", lambda one: None if one.cost_usd is None else THOUSAND * one.cost_usd))
    if board.latency_known:
        panels.append(("seconds a case, median", lambda one: one.latency_p50_s))
    scores = HEADER + ROW * len(shown) + AXIS
    figure = Figure(figsize=(WIDTH, scores + (PANEL_TITLE + PANEL + AXIS + 0.2 if panels else 0.1)), facecolor="white")
    title = f"Leaderboard: {plain(board.suite)}"
    write(figure, LEFT, 0.45, title, size=17, weight="bold", color=INK)
    common = names_of(board).common
    write(figure, LEFT, 0.7, plain_line(headline(board)), size=9, color=MUTED)
    marks = "; orange: on the Pareto front" if panels else ""
    below = f"All of them: {common}. " if common else ""
    if len(shown) < len(board.placed):
        below += f"The first {len(shown)} of {len(board.placed)}. "
    write(figure, LEFT, 0.88, plain_line(f"{below}Lines: 95% intervals{marks}"), size=9, color=MUTED)
    _scores(figure, board, shown)
    width = (WIDTH - LEFT - RIGHT - PANEL_GAP) / 2
    for place, (label, value) in enumerate(panels):
        left = LEFT + place * (width + PANEL_GAP)
        write(figure, left, scores + PANEL_TITLE - 0.12, f"Score against {label}", size=9.5, weight="bold", color=INK)
        axes = add_axes(figure, left, scores + PANEL_TITLE, width, PANEL)
        _panel(axes, board, shown, value)
    return figure, title


def plain_line(text: str) -> str:
    """A line of the header, cut where it would leave the figure."""
    room = WIDTH - LEFT - RIGHT
    line = one_line(text)
    while text_width(line, 9, "normal") > room:
        line = f"{line[:-2].rstrip()}…"
    return line


def _scores(figure: Figure, board: Leaderboard, shown: Sequence[Placed]) -> None:
    """A row for each combination: its name and the number that it has below, a point and its interval, its rank."""
    names = names_of(board)
    labels = [f"{_cut(names.of(one.entrant))}   {place}" for place, one in enumerate(shown, 1)]
    room = max(text_width(label, 9, "normal") for label in labels) + 0.15
    axes = add_axes(figure, LEFT + room, HEADER, WIDTH - LEFT - RIGHT - room - RANKS, ROW * len(shown))
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_yticks(range(len(shown)), labels)
    axes.tick_params(length=0, labelsize=9, labelcolor=INK, pad=6)
    axes.set_xlim(*_bounds(board, shown))
    _grid(axes, [percent(tick) for tick in _ticks(axes)], across=False)
    right = axes.get_xlim()[1]
    for place, one in enumerate(shown):
        ink = FRONT_INK if _on_front(board, one) else LINE
        if (bounds := score_bounds(board, one)) is not None:
            axes.hlines(place, *bounds, color=ink, linewidth=1.6, zorder=3)
        axes.plot([one.mean], [place], marker="o", markersize=5.5, color=ink, linestyle="none", zorder=4)
        said = f"{numbers.percent(one.mean)}   rank {shared_rank(board, place)}"
        axes.annotate(said, (right, place), (6, 0), textcoords="offset points", va="center_baseline", color=INK, size=9)


def _panel(axes: Axes, board: Leaderboard, shown: Sequence[Placed], value: Figure_of) -> None:
    """Scores over another figure; combinations of which that is unknown are named below and not drawn."""
    points = [(place, one, x) for place, one in enumerate(shown) if (x := value(one)) is not None]
    xs = [x for _, _, x in points]
    if min(xs) > 0 and max(xs) / min(xs) > LOG_FROM:
        axes.set_xscale("log")
        axes.set_xlim(min(xs) / 1.5, max(xs) * 1.5)
    else:
        margin = 0.08 * (max(xs) or 1.0)
        axes.set_xlim(0.0, max(xs) + margin)
    axes.set_ylim(*_bounds(board, shown))
    axes.axhspan(*axes.get_ylim(), facecolor=PLAIN, linewidth=0, zorder=0)
    low, high = axes.get_ylim()
    ticks = [float(tick) for tick in axes.get_yticks() if low <= tick <= high]
    axes.set_yticks(ticks, [percent(tick) for tick in ticks])
    axes.grid(visible=True, color=PAPER, linewidth=0.9, zorder=1)
    axes.set_axisbelow(True)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.set_xticks(_x_ticks(axes, xs))
    axes.tick_params(which="both", length=0, labelsize=SMALL, labelcolor=MUTED, pad=4)
    axes.minorticks_off()
    for place, one, x in points:
        ink = FRONT_INK if _on_front(board, one) else LINE
        if (bounds := score_bounds(board, one)) is not None:
            axes.vlines(x, *bounds, color=ink, linewidth=1.0, alpha=0.6, zorder=3)
        axes.plot([x], [one.mean], marker="o", markersize=5.5, color=ink, linestyle="none", zorder=4)
        name = str(place + 1) if len(shown) > 1 else ""
        axes.annotate(name, (x, one.mean), (5, 4), textcoords="offset points", color=INK, size=SMALL)
    unknown = len(shown) - len(points)
    if unknown:
        said = f"{numbers.count(unknown, 'combination')} of unknown value not drawn"
        axes.annotate(
            said, (1, 0), (-4, 4), xycoords="axes fraction", textcoords="offset points", ha="right", color=MUTED, size=8
        )


def _x_ticks(axes: Axes, xs: Sequence[float]) -> list[float]:
    """Round values, four or so."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    low, high = axes.get_xlim()
    locator = LogLocator(subs=(1.0, 3.0)) if axes.get_xscale() == "log" else MaxNLocator(5)
    ticks = [float(tick) for tick in locator.tick_values(low, high) if low <= tick <= high]
    return ticks or [min(xs), max(xs)]


def _on_front(board: Leaderboard, one: Placed) -> bool:
    return one.standing == "front" and (board.cost_known or board.latency_known)


def _bounds(board: Leaderboard, shown: Sequence[Placed]) -> tuple[float, float]:
    """Room for all intervals, inside of what a score can be."""
    ends = [(one.mean, *(score_bounds(board, one) or ())) for one in shown]
    low, high = min(map(min, ends)), max(map(max, ends))
    margin = max(0.01, 0.08 * (high - low))
    return low - margin, high + margin


def _ticks(axes: Axes) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    low, high = axes.get_xlim()
    ticks = [float(tick) for tick in MaxNLocator(6).tick_values(low, high) if low <= tick <= high]
    axes.set_xticks(ticks)
    return ticks


def _grid(axes: Axes, labels: Sequence[str], *, across: bool) -> None:
    axes.axvspan(*axes.get_xlim(), facecolor=PLAIN, linewidth=0, zorder=0)
    axes.set_xticks(axes.get_xticks(), labels)
    axes.tick_params(axis="x", labelsize=SMALL, labelcolor=MUTED)
    axes.grid(visible=True, axis="both" if across else "x", color=PAPER, linewidth=0.9, zorder=1)
    axes.set_axisbelow(True)


def _cut(name: str) -> str:
    """A name that leaves room for the scores: its beginning and its end."""
    line = one_line(name)
    while text_width(line, 9, "normal") > NAMES_AT_MOST and len(line) > 12:
        half = (len(line) - 3) // 2
        line = f"{line[:half].rstrip('…')}…{line[-half:].lstrip('…')}"
    return line
