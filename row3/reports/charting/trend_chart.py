"""Trend charts: the composite large on top, every other headline metric small below it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from row3.domain.counts import count
from row3.domain.metrics import Metric, Threshold, Zone
from row3.errors import UsageError
from row3.reports.charting.drawing import (
    FAIL_LIMIT,
    FRONT_INK,
    INK,
    LINE,
    MUTED,
    PROMOTION,
    ZONE_FILL,
    ChartFiles,
    drawn,
    label,
    percent,
)
from row3.reports.charting.timeline import EPOCH, Timeline, TrendPoint, run_timeline, week_timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGE, SMALL, STRIP = 3.2, 1.9, 0.7
"""Inches: height of the large panel, of a row of small ones, of the weeks' runs."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Spelt here because `strftime` follows the locale."""
CROWDED = 100
"""Points from which on only the line is drawn."""
LEAST_SPAN, LEAST_RATE_SPAN, STEP = 0.4, 0.1, 0.05


def trend_charts(
    points: Sequence[TrendPoint],
    metrics: Sequence[Metric],
    *,
    suite: str,
    thresholds: Mapping[str, Threshold],
    weekly: bool,
) -> ChartFiles:
    """Draw every headline metric, the last one large; the same input gives the same bytes.

    `points` come in any order; `thresholds` go before the metrics' own. `weekly` draws mean and spread of ISO weeks
    along real time, instead of runs side by side. Raises `UsageError` where there is no run or no headline metric.
    """
    headline = [metric for metric in metrics if not metric.companion]
    headline = headline[-1:] + headline[:-1]
    if not points:
        raise UsageError("there is no run to draw", where=suite, fix="Run row3 --baseline or row3 --compare first")
    if not headline:
        raise UsageError("there is no headline metric to draw", where=suite, fix="Choose a suite of another kind")
    limits = {**{metric.key: metric.threshold for metric in headline if metric.threshold is not None}, **thresholds}
    timeline = week_timeline(points) if weekly else run_timeline(points)
    columns = min(3, max(1, len(headline) - 1))
    rows = [(LARGE, [headline[0].key] * columns), *([(STRIP, ["weeks"] * columns)] if weekly else [])]
    for first in range(1, len(headline), columns):
        names = [metric.key for metric in headline[first : first + columns]]
        rows.append((SMALL, [*names, *["."] * (columns - len(names))]))

    def draw(panels: Mapping[str, Axes]) -> None:
        for metric in headline:
            _panel(panels[metric.key], timeline, metric, limits.get(metric.key), large=metric is headline[0])
        _name_promotions(panels[headline[0].key], timeline)
        if with_zones := next((metric for metric in headline if metric.key in limits), None):
            _name_zones(panels[with_zones.key], with_zones, limits[with_zones.key])
        if weekly:
            _run_counts(panels["weeks"], timeline)

    title = f"Quality trend: {label(suite)}, {period(timeline.runs[0].at, timeline.runs[-1].at)}"
    return drawn(suite, title, _caption(timeline), rows, draw)


def _panel(axes: Axes, timeline: Timeline, metric: Metric, threshold: Threshold | None, *, large: bool) -> None:
    values = [column.mean(metric.key) for column in timeline.columns]
    spreads = [column.values(metric.key) for column in timeline.columns]
    known = [index for index, value in enumerate(values) if not math.isnan(value)]
    axes.set_title(label(metric.title) + ("" if metric.higher_is_better else " (lower is better)"))
    _scale_x(axes, timeline, large=large)
    low, high = y_range(metric, threshold, [value for spread in spreads for value in spread])
    pad = (high - low) * 0.035
    axes.set_ylim(low - pad, high + pad)
    ticks = y_ticks((low, high), threshold)
    axes.set_yticks(ticks, [percent(tick) for tick in ticks])
    for zone, bottom, top in zone_bands(metric, threshold, *axes.get_ylim()) if threshold else ():
        axes.axhspan(bottom, top, facecolor=ZONE_FILL[zone], linewidth=0, zorder=0)
    axes.grid(visible=True, color="white", linewidth=0.9, zorder=1)
    if threshold is not None:
        axes.axhline(threshold.minimum, color=FAIL_LIMIT, linewidth=0.9, zorder=1.5)
    if not known:
        axes.text(0.5, 0.5, "no values", transform=axes.transAxes, ha="center", va="center", color=MUTED)
        return
    for x, _ in timeline.promotions:
        axes.axvline(x, color=PROMOTION, linewidth=0.7, zorder=2)
    for x in timeline.changes if large else ():
        axes.axvline(x, color=FRONT_INK, linewidth=1.1, linestyle="--", zorder=2.1)
    if timeline.weekly:
        lowest, highest = ([end(spread, default=math.nan) for spread in spreads] for end in (min, max))
        axes.vlines(timeline.xs, lowest, highest, color=LINE, alpha=0.3, linewidth=4, zorder=2.2)
    size = (4.5 if large else 3.0) if len(values) < CROWDED else 0.0
    axes.plot(timeline.xs, values, color=LINE, linewidth=1.6, marker="o", markersize=size or 1.5, zorder=3)
    hollow = [index for index in known if size and _blocked(timeline, index)]
    axes.plot(
        [timeline.xs[index] for index in hollow],
        [values[index] for index in hollow],
        color=LINE,
        linestyle="none",
        marker="o",
        markersize=size,
        markerfacecolor="white",
        zorder=4,
    )
    last = known[-1]
    axes.annotate(
        percent(values[last], 1),
        (timeline.xs[last], values[last]),
        (6, 0),
        textcoords="offset points",
        va="center",
        weight="bold",
        color=INK,
        size=11 if large else 9,
        zorder=5,
    )


def _blocked(timeline: Timeline, index: int) -> bool:
    return not timeline.weekly and timeline.runs[index].verdict == "block"


def _scale_x(axes: Axes, timeline: Timeline, *, large: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ends = [*timeline.xs, *(x for x, _ in timeline.promotions)]
    first, last = min(ends), max(ends)
    span = (last - first) or 1.0
    axes.set_xlim(first - 0.03 * span, last + 0.14 * span)
    runs = timeline.runs
    one_day = not timeline.weekly and runs[0].at.date() == runs[-1].at.date()
    one_year = runs[0].at.year == runs[-1].at.year

    def date_of(x: float, _: object) -> str:
        if timeline.weekly:
            return day(EPOCH + timedelta(days=x), year=not one_year)
        if not 0 <= x < len(runs) or x != int(x):
            return ""
        at = runs[int(x)].at
        return f"{at:%H:%M}" if one_day else day(at, year=not one_year)

    axes.xaxis.set_major_locator(MaxNLocator(5 if large else 2, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(date_of))


def _name_promotions(axes: Axes, timeline: Timeline) -> None:
    """At the foot of the large panel, in full where there are few; of two that collide the newer one is named."""
    low, high = axes.get_xlim()
    full = len(timeline.promotions) <= 2
    room = (high - low) * (0.4 if full else 0.07)
    next_x = math.inf
    for x, name in reversed(timeline.promotions):
        if next_x - x >= room:
            shown = label(name) if full else label(name.rsplit(" ", 1)[-1])
            side = -1 if x - low > 0.8 * (high - low) else 1  # the label stays inside the panel
            axes.annotate(
                shown,
                (x, axes.get_ylim()[0]),
                (4 * side, 4),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                color=PROMOTION,
                size=8,
                in_layout=False,
            )
            next_x = x


def _name_zones(axes: Axes, metric: Metric, threshold: Threshold) -> None:
    """At the right of the first panel that has zones; a zone too thin for its name has none."""
    low, high = axes.get_ylim()
    bands = [band for band in zone_bands(metric, threshold, low, high) if band[2] - band[1] > 0.04 * (high - low)]
    right = axes.secondary_yaxis("right")
    right.set_yticks([(bottom + top) / 2 for _, bottom, top in bands], [zone.word for zone, *_ in bands])
    right.spines["right"].set_visible(False)


def _run_counts(axes: Axes, timeline: Timeline) -> None:
    _scale_x(axes, timeline, large=True)
    bars = axes.bar(timeline.xs, [len(week.runs) for week in timeline.columns], width=5, color=LINE, alpha=0.45)
    if len(timeline.columns) <= 40:
        axes.bar_label(bars, size=7, color=MUTED)
    axes.set_yticks([])
    axes.margins(y=0.5)
    axes.set_ylabel("runs", color=MUTED, size=8)


def _caption(timeline: Timeline) -> str:
    total = count(len(timeline.runs), "run")
    lines = "; vertical lines are promotions" if timeline.promotions else ""
    lines += "; dashed lines: the level of the top metric changed" if timeline.changes else ""
    if timeline.weekly:
        weeks = count(len(timeline.columns), "ISO week")
        return f"{total} in {weeks}: line, the weekly mean; bars, the lowest to the highest run{lines}"
    kinds = Counter(run.action for run in timeline.runs)
    parts = [count(kinds[action], action) for action in ("baseline", "compare", "promotion") if kinds[action]]
    hollow = (
        "; hollow points were blocked"
        if any(_blocked(timeline, index) for index in range(len(timeline.xs))) and len(timeline.xs) < CROWDED
        else ""
    )
    spacing = ", evenly spaced in order" if len(timeline.runs) > 1 else ""
    return f"{total}{spacing}: {', '.join(parts)}{lines}{hollow}"


def y_range(metric: Metric, threshold: Threshold | None, values: Sequence[float]) -> tuple[float, float]:
    """An honest range: always the fail limit, all the data and a fair part of the scale, rounded to 5 %.

    Where lower is better it starts at 0, and it ends at 1 at the most where the data do. A narrow range grows
    downwards first, so that small changes stay small.
    """
    limits = [threshold.minimum, threshold.target, threshold.excellent] if threshold else []
    low, high = min([*values, *limits], default=1.0), max([*values, *limits], default=1.0)
    if not metric.higher_is_better:
        fail = threshold.minimum if threshold else 0.0
        return min(0.0, _down(low)), max(high, min(1.0, max(_up(high + STEP / 2), 2 * fail, LEAST_RATE_SPAN)))
    low = _down(low - STEP / 2) if low < 0 else max(0.0, _down(low - STEP / 2))
    high = max(high, min(1.0, _up(high + STEP / 2)))
    low = min(low, max(0.0, high - LEAST_SPAN))
    return low, max(high, low + LEAST_SPAN)


def _down(value: float) -> float:
    return math.floor(value / STEP + 1e-9) * STEP


def _up(value: float) -> float:
    return math.ceil(value / STEP - 1e-9) * STEP


def y_ticks(bounds: tuple[float, float], threshold: Threshold | None) -> list[float]:
    """The limits of the zones first, then round values where they leave room."""
    from matplotlib.ticker import MaxNLocator

    low, high = bounds
    limits = [threshold.minimum, threshold.excellent, threshold.target] if threshold else []
    ticks: list[float] = []
    for tick in (*limits, *map(float, MaxNLocator(4).tick_values(low, high))):
        if low - 1e-9 <= tick <= high + 1e-9 and all(abs(tick - other) >= 0.08 * (high - low) for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def zone_bands(metric: Metric, threshold: Threshold, low: float, high: float) -> list[tuple[Zone, float, float]]:
    """Where each zone lies between `low` and `high`; a zone outside is left out."""
    zones = list(Zone) if metric.higher_is_better else list(reversed(Zone))
    limits = sorted((threshold.minimum, threshold.target, threshold.excellent))
    edges = [-math.inf, *limits, math.inf]
    bands = [(zone, max(low, edges[i]), min(high, edges[i + 1])) for i, zone in enumerate(zones)]
    return [band for band in bands if band[1] < band[2]]


def day(at: datetime, *, year: bool = True) -> str:
    """`3 Mar 2026`."""
    return f"{at.day} {MONTHS[at.month - 1]}{f' {at.year}' if year else ''}"


def period(first: datetime, last: datetime) -> str:
    """From when to when, without saying anything twice."""
    if first.date() != last.date():
        return f"{day(first, year=first.year != last.year)} – {day(last)}"
    times = dict.fromkeys((f"{first:%H:%M}", f"{last:%H:%M}"))
    return f"{day(first)}, {'–'.join(times)} UTC"
