"""Charts of production: figures by day compared with an earlier period, and estimates with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from row3.reports.charting.drawing import FAINT, FRONT_INK, LINE, MUTED, drawn, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL, ROW = 2.2, 0.34
"""Inches: height of a panel of days, and of a row with an interval."""


class Panel(NamedTuple):
    """A figure by day, and for the days before; None is a gap."""

    title: str
    values: Sequence[float | None]
    before: Sequence[float | None]


class Estimate(NamedTuple):
    """A number with the ends of its interval."""

    name: str
    value: float
    low: float
    high: float


def days_chart(title: str, days: Sequence[str], panels: Sequence[Panel]) -> bytes:
    """Return an SVG of figures by day, a panel each; days are written YYYY-MM-DD."""

    def draw(axes: Mapping[str, Axes]) -> None:
        for panel in panels:
            one = axes[panel.title]
            one.set_title(label(panel.title))
            one.plot(_gaps(panel.before), color=MUTED, linestyle="--", marker="o", markersize=3, linewidth=1.2)
            one.plot(_gaps(panel.values), color=LINE, marker="o", markersize=4, linewidth=1.8)
            one.set_ylim(0, 1.1 * max([each for each in (*panel.values, *panel.before) if each], default=1.0))
            one.set_xticks(range(len(days)), [day[5:] for day in days])
            one.grid(visible=True, axis="y", color=FAINT, alpha=0.3, linewidth=0.8)

    rows = [(PANEL, [panel.title]) for panel in panels]
    return drawn("production", title, "line: these days; dashed: the days before", rows, draw)


def estimates_chart(title: str, caption: str, found: Sequence[Estimate], span: float) -> bytes:
    """Return an SVG of estimates below each other, with a line at 0; the scale goes from -span to +span."""

    def draw(axes: Mapping[str, Axes]) -> None:
        one, places = axes["all"], range(len(found))
        one.axvline(0, color=FRONT_INK, linewidth=0.9)
        one.hlines(places, [each.low for each in found], [each.high for each in found], color=LINE, linewidth=2.2)
        one.plot([each.value for each in found], places, color=LINE, linestyle="none", marker="o", markersize=6)
        one.set_yticks(places, [label(each.name) for each in found])
        one.set_xlim(-span, span)
        one.set_ylim(len(found) - 0.5, -0.5)

    return drawn("production", title, caption, [(0.5 + ROW * len(found), ["all"])], draw)


def _gaps(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]
