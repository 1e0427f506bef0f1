"""The text of a trend chart: its header, the titles of panels, and labels made fit to draw. Places in inches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from row3.domain.counts import count
from row3.domain.metrics import Metric, Zone
from row3.reports.charting.chart_panel import INK, MUTED, ZONE_FILL, ZONE_INK
from row3.reports.charting.chart_scale import period
from row3.reports.charting.chart_series import Timeline, TrendPoint, by_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 10.0
LEFT, RIGHT = 0.72, 0.32
LONGEST = 44
"""Characters of a label."""


def header(figure: Figure, timeline: Timeline, points: Sequence[TrendPoint], suite: str, *, crowded: bool) -> str:
    """Title, dates and subtitle; returns the title. Crowded: the points are too many to be drawn."""
    runs = by_time(points)
    dates = period(runs[0].at, runs[-1].at)
    name = plain(suite)
    title = f"Quality trend: {name}"
    room = WIDTH - LEFT - RIGHT - 0.4 - text_width(dates, 11, "normal")
    size = min(17.0, 17.0 * room / text_width(title, 17, "bold"))
    write(figure, LEFT, 0.45, title, size=size, weight="bold", color=INK)
    write(figure, WIDTH - RIGHT, 0.45, dates, size=11, color=INK, ha="right")
    write(figure, LEFT, 0.72, _subtitle(timeline, runs, crowded=crowded), size=9, color=MUTED)
    return f"{title}, {dates}"


def _subtitle(timeline: Timeline, runs: Sequence[TrendPoint], *, crowded: bool) -> str:
    total = count(len(runs), "run")
    lines = "; vertical lines are promotions" if timeline.promotions else ""
    if timeline.weeks:
        weeks = count(len(timeline.weeks), "ISO week")
        return f"{total} in {weeks}: line, the weekly mean; band, the lowest to the highest run{lines}"
    kinds = Counter(run.action for run in runs)
    parts = [count(kinds[action], action) for action in ("baseline", "compare", "promotion") if kinds[action]]
    hollow = "; hollow points were blocked" if any(timeline.blocked) and not crowded else ""
    spacing = ", evenly spaced in order" if len(runs) > 1 else ""
    return f"{total}{spacing}: {', '.join(parts)}{lines}{hollow}"


def panel_title(figure: Figure, left: float, top: float, metric: Metric, size: float) -> None:
    """The name of a metric, and whether low values are the good ones."""
    name = plain(metric.title)
    write(figure, left, top, name, size=size, weight="bold", color=INK)
    if not metric.higher_is_better:
        shift = text_width(name, size, "bold") + 0.1
        write(figure, left + shift, top, "lower is better", size=size - 1, color=MUTED)


def zone_key(figure: Figure) -> None:
    """Names the zones in the header, for a chart whose large panel has none."""
    left = WIDTH - RIGHT
    for zone in sorted(Zone, reverse=True):
        left -= text_width(zone.word, 9, "normal")
        write(figure, left, 0.94, zone.word, size=9, color=ZONE_INK[zone])
        left -= 0.22
        swatch = add_axes(figure, left, 0.84, 0.16, 0.12)
        swatch.set_yticks([])
        swatch.axhspan(0, 1, facecolor=ZONE_FILL[zone], edgecolor=MUTED, linewidth=0.5)
        left -= 0.16


def add_axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes by the distance of their upper left corner from that of the figure."""
    whole = figure.get_figheight()
    axes = figure.add_axes((left / WIDTH, 1 - (top + height) / whole, width / WIDTH, height / whole), frameon=False)
    axes.set_xticks([])
    return axes


def write(figure: Figure, left: float, top: float, text: str, **style: Any) -> None:
    """Text whose baseline is `top` inches below the upper edge."""
    figure.text(left / WIDTH, 1 - top / figure.get_figheight(), text, va="baseline", **style)


def text_width(text: str, size: float, weight: str) -> float:
    """Inches that a text takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size, weight=weight), False)
    return float(width) / 72


def plain(text: str) -> str:
    """A label as one line of printable characters; a very long one keeps its beginning and its end."""
    line = one_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 13].rstrip()}…{line[-12:].lstrip()}"


def one_line(text: str) -> str:
    """Printable characters only, whatever a label has in it."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
