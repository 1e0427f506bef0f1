"""One panel of a trend chart, drawn into matplotlib axes: zones, grid, line, points, last value, dates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from row3.domain.metrics import Metric, Threshold, Zone
from row3.reports.charting.chart_scale import date_ticks, percent, week_ticks, y_ticks, zone_bands
from row3.reports.charting.chart_series import Timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#17212B"
MUTED = "#55606C"
PAPER = "#FFFFFF"
PLAIN = "#F1F3F5"
FAIL_LIMIT = "#A8492B"
PROMOTION = "#3D4A57"
LINE = "#10314F"
ZONE_FILL = {Zone.FAIL: "#EFC4B4", Zone.MARGINAL: "#F6E2BC", Zone.PASS: "#E8F2F6", Zone.EXCELLENT: "#F6FAFC"}
"""Orange against blue for colour-blind readers, and lighter with every zone for a print in grey."""
ZONE_INK = {Zone.FAIL: "#8F3517", Zone.MARGINAL: "#76560F", Zone.PASS: "#1F5F78", Zone.EXCELLENT: "#174A6B"}
SMALL = 8.0
"""Points: the size of the text along the axes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is common to the panels of one size. Sizes in inches, x in the timeline's own unit."""

    width: float
    height: float
    x_range: tuple[float, float]
    large: bool

    @property
    def unit(self) -> float:
        """An inch along x."""
        return (self.x_range[1] - self.x_range[0]) / self.width

    def marker(self, count: int) -> float:
        """The size of a point among `count`; 0 where they would crowd into a band."""
        size = min(5.5 if self.large else 4.0, self.width / max(1, count) * 72 * 0.55)
        return size if size >= 2 else 0.0

    @classmethod
    def around(cls, timeline: Timeline, width: float, height: float, *, large: bool) -> Frame:
        """Leaves room for the last value to the right of the last point; one point stands in the middle."""
        left, right = 0.14, 0.76 if large else 0.62
        ends = [*timeline.xs, *(x for x, _ in timeline.promotions)]
        first, last = min(ends), max(ends)
        if timeline.weeks:
            first, last = math.floor(first), math.ceil(last)
        if first == last:
            return cls(width, height, (first - 0.5, last + 0.5), large)
        unit = (last - first) / (width - left - right)
        return cls(width, height, (first - left * unit, last + right * unit), large)


def draw_panel(
    axes: Axes,
    frame: Frame,
    timeline: Timeline,
    metric: Metric,
    threshold: Threshold | None,
    *,
    bounds: tuple[float, float],
) -> None:
    """Everything inside the panel and the percentages at its left."""
    pad = (bounds[1] - bounds[0]) * 0.035
    low, high = bounds[0] - pad, bounds[1] + pad
    axes.set_xlim(frame.x_range)
    axes.set_ylim(low, high)
    axes.tick_params(length=0, labelsize=SMALL, labelcolor=MUTED, pad=4)
    ticks = y_ticks(bounds, threshold, gap=0.17 * (high - low) / frame.height)
    axes.set_yticks(ticks, [percent(tick) for tick in ticks])
    _background(axes, metric, threshold, ticks, (low, high))
    values = timeline.series(metric.key)
    if all(math.isnan(value) for value in values):
        axes.text(
            0.5, 0.5, "no values", transform=axes.transAxes, ha="center", va="center", color=MUTED, size=SMALL + 1
        )
        return
    promotions = [x for x, _ in timeline.promotions]
    axes.vlines(promotions, low, high, color=PROMOTION, linewidth=0.8 if frame.large else 0.6, zorder=2)
    if timeline.weeks:
        _spread(axes, timeline, metric.key)
    _line(axes, frame, timeline, values)
    _last_value(axes, frame, timeline.xs, values, metric=metric, threshold=threshold)


def draw_dates(axes: Axes, frame: Frame, timeline: Timeline, *, labelled: bool) -> None:
    """Light lines where dates stand, and the dates themselves below a panel that is the lowest of its column."""
    gap = 0.55 * frame.unit
    ticks = week_ticks(timeline.moments, gap) if timeline.weeks else date_ticks(timeline.moments, gap)
    low, high = axes.get_ylim()
    axes.vlines([x for x, *_ in ticks], low, high, color=PAPER, linewidth=0.9, zorder=1)
    for x, *lines in ticks if labelled else ():
        for row, text in enumerate(lines):
            place = (x, low)
            axes.annotate(
                text, place, (0, -12 - 11 * row), textcoords="offset points", ha="center", color=MUTED, size=SMALL
            )


def zone_names(threshold: Threshold, metric: Metric, low: float, high: float, gap: float) -> list[tuple[Zone, float]]:
    """The height at which each zone is named: the middle of its band, pushed up where two would touch."""
    names: list[tuple[Zone, float]] = []
    for zone, bottom, top in zone_bands(metric, threshold, low, high):
        middle = (bottom + top) / 2
        names.append((zone, max(middle, names[-1][1] + gap) if names else middle))
    return names


def _background(
    axes: Axes,
    metric: Metric,
    threshold: Threshold | None,
    ticks: Sequence[float],
    limits: tuple[float, float],
) -> None:
    if threshold is None:
        axes.axhspan(*limits, facecolor=PLAIN, linewidth=0, zorder=0)
    else:
        for zone, bottom, top in zone_bands(metric, threshold, *limits):
            axes.axhspan(bottom, top, facecolor=ZONE_FILL[zone], linewidth=0, zorder=0)
    axes.hlines(ticks, *axes.get_xlim(), color=PAPER, linewidth=0.9, zorder=1)
    if threshold is not None:
        axes.axhline(threshold.minimum, color=FAIL_LIMIT, linewidth=0.9, zorder=1.5)


def _spread(axes: Axes, timeline: Timeline, key: str) -> None:
    low = [week.low.get(key, math.nan) for week in timeline.weeks]
    high = [week.high.get(key, math.nan) for week in timeline.weeks]
    axes.fill_between(timeline.xs, low, high, color=LINE, alpha=0.22, linewidth=0, zorder=2.2)
    for index in _alone(low):
        axes.vlines(timeline.xs[index], low[index], high[index], color=LINE, alpha=0.3, linewidth=4, zorder=2.2)


def _line(axes: Axes, frame: Frame, timeline: Timeline, values: Sequence[float]) -> None:
    """A line that breaks where a value is missing; crowded points are left out but those that no line reaches."""
    size = frame.marker(len(values))
    width = (1.9 if frame.large else 1.4) * (1.0 if size else 0.75)
    axes.plot(timeline.xs, values, color=LINE, linewidth=width, zorder=3)
    known = [index for index, value in enumerate(values) if not math.isnan(value)]
    solid = known if size else [*_alone(values), known[-1]]
    hollow = [index for index in known if size and timeline.blocked[index]]
    for indexes, fill in ((solid, LINE), (hollow, PAPER)):
        axes.plot(
            [timeline.xs[index] for index in indexes],
            [values[index] for index in indexes],
            linestyle="none",
            marker="o",
            markersize=size or 2.8,
            markerfacecolor=fill,
            markeredgecolor=LINE,
            markeredgewidth=0.9,
            zorder=4,
            clip_on=False,
        )


def _last_value(
    axes: Axes,
    frame: Frame,
    xs: Sequence[float],
    values: Sequence[float],
    *,
    metric: Metric,
    threshold: Threshold | None,
) -> None:
    """Written beside its point; on its own side of the fail limit where that line would strike it through."""
    index = max(index for index, value in enumerate(values) if not math.isnan(value))
    size = 11 if frame.large else 9
    y = values[index]
    if threshold is not None:
        low, high = axes.get_ylim()
        room = 0.62 * size / 72 * (high - low) / frame.height
        if abs(y - threshold.minimum) < room:
            tolerance = 1e-9 if metric.higher_is_better else -1e-9
            y = threshold.minimum + math.copysign(room, y - threshold.minimum + tolerance)
    place = (xs[index] + 0.075 * frame.unit, y)
    axes.text(*place, percent(values[index], 1), color=INK, size=size, weight="bold", va="center_baseline", zorder=5)


def _alone(values: Sequence[float]) -> list[int]:
    """Where a value has none beside it."""
    padded = [math.nan, *values, math.nan]
    return [
        index
        for index, (before, value, after) in enumerate(zip(padded, padded[1:], padded[2:], strict=False))
        if math.isnan(before) and math.isnan(after) and not math.isnan(value)
    ]
