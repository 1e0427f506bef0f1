"""Trend charts: the primary metric large on top, every other measured headline metric small below it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from row3.charting.drawing import FAINT, FRONT_INK, INK, LINE, MUTED, ZONE_FILL, drawn, label
from row3.charting.timeline import EPOCH, Timeline, TrendPoint, run_timeline, week_timeline
from row3.domain import numbers
from row3.domain.runs import file_stem
from row3.domain.scores import Metric, Threshold, Zone
from row3.domain.words import count
from row3.gate.suites import JudgedSuite

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mark = TypeVar("Mark")

LARGE, SMALL = 3.3, 1.9
"""Inches: height of the large panel and of a row of small ones."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Because `strftime` depends on the locale."""
CROWDED = 100
"""Points from which only the line is drawn, without markers."""
LEAST_SPAN, LEAST_RATE_SPAN, STEP = 0.4, 0.1, 0.05


def trend_chart(points: Sequence[TrendPoint], suite: JudgedSuite, *, weekly: bool = False, png: bool = False) -> bytes:
    """Draw every headline metric that was measured, the primary one large; the same input gives the same bytes.

    `points`, at least one, come in any order. `weekly` draws mean and spread of ISO weeks along real time, instead of
    runs side by side; `png` makes a PNG instead of an SVG.
    """
    name, limits, kind = file_stem(suite.name, suite.tier), suite.rules.thresholds, suite.kind
    headline = sorted((m for m in kind.metrics if not m.companion), key=lambda metric: metric.key != kind.primary)
    timeline = week_timeline(points) if weekly else run_timeline(points)
    first, *others = [metric for metric in headline if timeline.means(metric.key)] or headline[:1]
    columns = min(2, max(1, len(others)))
    rows = [(LARGE, [first.key] * columns)]
    for place in range(0, len(others), columns):
        names = [metric.key for metric in others[place : place + columns]]
        rows.append((SMALL, names if len(names) == columns else names * columns))

    def draw(panels: Mapping[str, Axes]) -> None:
        for metric in (first, *others):
            _panel(panels[metric.key], timeline, metric, limits.get(metric.key), large=metric is first)
        _name_lines(panels[first.key], timeline, first.key)
        if with_zones := next((metric for metric in (first, *others) if metric.key in limits), None):
            _name_zones(panels[with_zones.key], with_zones, limits[with_zones.key])

    return drawn(name, message(timeline, first), _caption(timeline, name), rows, draw, png=png)


def message(timeline: Timeline, metric: Metric) -> str:
    """Return the chart's message in a sentence."""
    known, title = timeline.accepted(metric.key) or timeline.means(metric.key), label(metric.title)
    if marked := [run for run in timeline.runs if run.level is not None]:
        return change_text(title, marked[-1])
    if not known:
        return f"{title}: no values"
    joined = ", " if timeline.accepted(metric.key)[1:] else " in "
    blocked = "; last run blocked" if timeline.means(metric.key)[-1][0].x > known[-1][0].x else ""
    return f"{title} {numbers.percent(known[-1][1])}{joined}{moved_text(timeline, metric, sided=False)}{blocked}"


def change_text(title: str, run: TrendPoint) -> str:
    """Return `Overall rose from 78.0% to 84.7% with v1.1, 22 Nov 2026` for a run at which the level changed."""
    before, after = run.level or (0.0, 0.0)
    levels = f"from {numbers.percent(before)} to {numbers.percent(after)}"
    blocked = " (blocked)" if run.verdict == "block" else ""
    return (
        f"{title} {'rose' if after > before else 'fell'} {levels} with {version_of(run.label)}, {day(run.at)}{blocked}"
    )


def rescored_text(run: TrendPoint) -> str:
    """Return `Golden cases or scorer changed before v1.1, 22 Nov 2026` for a run scored unlike the one before."""
    return f"Golden cases or scorer changed before {version_of(run.label)}, {day(run.at)}"


def moved_text(timeline: Timeline, metric: Metric, *, sided: bool = True) -> str:
    """Return how a metric moved over the accepted runs; if sided, also that lower is better."""
    better = "; lower is better" if sided and not metric.higher_is_better else ""
    known = timeline.accepted(metric.key)
    if len(known) < 2:
        return f"one {'week' if timeline.weekly else 'run'}; a trend needs two{better}"
    (column, before), (_, now) = known[0], known[-1]
    size = f"{numbers.drop_points(abs(now - before))} points"
    word = "unchanged" if abs(now - before) < numbers.LEAST_MOVE else f"{'up' if now > before else 'down'} {size}"
    return f"{word} since {day(column.runs[0].at)}{better}"


def _panel(axes: Axes, timeline: Timeline, metric: Metric, threshold: Threshold | None, *, large: bool) -> None:
    values = [column.mean(metric.key) for column in timeline.columns]
    spreads = [column.values(metric.key) for column in timeline.columns]
    what = "mean of a week, with its lowest and highest run" if timeline.weekly else "every run, in order"
    caption = what if large else moved_text(timeline, metric)
    axes.set_title(label(metric.title), pad=20)
    axes.annotate(caption, (0, 1), (0, 6), "axes fraction", textcoords="offset points", color=MUTED)
    _scale_x(axes, timeline, large=large)
    low, high = y_range(metric, threshold, [value for spread in spreads for value in spread])
    pad = (high - low) * 0.035
    axes.set_ylim(low - pad, high + pad)
    ticks = y_ticks((low, high), threshold, large=large)
    axes.set_yticks(ticks, [numbers.compact(tick) for tick in ticks])
    for zone, bottom, top in zone_bands(metric, threshold, *axes.get_ylim()) if threshold else ():
        axes.axhspan(bottom, top, facecolor=ZONE_FILL[zone], linewidth=0, zorder=0)
    if timeline.weekly:
        lowest, highest = ([end(spread, default=math.nan) for spread in spreads] for end in (min, max))
        axes.vlines(timeline.xs, lowest, highest, color=LINE, alpha=0.3, linewidth=5, zorder=2.2)
    size = (5.0 if large else 3.5) if len(values) < CROWDED else 1.5
    for comparable, colour in ((False, FAINT), (True, LINE)):
        own = [v if c.comparable is comparable else math.nan for c, v in zip(timeline.columns, values, strict=True)]
        axes.plot(timeline.xs, own, color=colour, linewidth=1.8, marker="o", markersize=size, zorder=3)
    blocked = _blocked(timeline, metric.key)
    hollow: Any = {"linestyle": "none", "marker": "o", "markersize": size, "markerfacecolor": "white", "zorder": 4}
    axes.plot([x for x, _ in blocked], [value for _, value in blocked], color=LINE, **hollow)
    if known := timeline.means(metric.key):
        column, value = known[-1]
        _write(axes, numbers.percent(value), (column.x, value), (7, 0), va="center", weight="bold", color=INK)


def _write(axes: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style: Any) -> None:
    """Write a text at a position in the data, shifted by an offset in points."""
    axes.annotate(text, at, offset, textcoords="offset points", in_layout=False, zorder=5, **style)


def _scale_x(axes: Axes, timeline: Timeline, *, large: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ends = [*timeline.xs, *(x for x, _ in timeline.promotions)]
    first, last = min(ends), max(ends)
    span = (last - first) or 1.0
    axes.set_xlim(first - 0.03 * span, last + 0.27 * span)  # room for a label at the last run
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


def _name_lines(axes: Axes, timeline: Timeline, key: str) -> None:
    """Mark and label promotions, changes of level and of what is scored, and blocked runs in the large panel."""
    low, high = axes.get_ylim()
    for x, _ in timeline.promotions:
        axes.axvline(x, color=FAINT, linewidth=0.9, zorder=2)
    for x, name in _apart(axes, timeline.promotions):
        _write(axes, f"{version_of(name)} promoted", (x, low), (4, 4), color=MUTED)
    for x, _ in timeline.changes:
        axes.axvline(x, color=FRONT_INK, linewidth=1.2, linestyle="--", zorder=2.1)
    for x, (before, after) in _apart(axes, timeline.changes):
        _write(axes, f"{numbers.percent(before)} → {numbers.percent(after)}", (x, high), (4, -13), color=FRONT_INK)
    for x in timeline.rescored:
        axes.axvline(x, color=MUTED, linewidth=1.2, linestyle=":", zorder=2.1)
    for x, name in _apart(axes, [(x, "cases or scorer changed") for x in timeline.rescored]):
        side = 1 if 2 * x < sum(axes.get_xlim()) else -1
        _write(axes, name, (x, high), (4 * side, -25), ha="left" if side > 0 else "right", color=MUTED)
    for x, value in _apart(axes, _blocked(timeline, key)):
        _write(axes, "blocked", (x, value), (0, -16), ha="center", color=INK)


def _blocked(timeline: Timeline, key: str) -> list[tuple[float, float]]:
    return [] if timeline.weekly else [(column.x, value) for column, value in timeline.means(key) if column.blocked]


def _apart(axes: Axes, marks: Sequence[tuple[float, Mark]]) -> list[tuple[float, Mark]]:
    """Return the marks with room for their names; of two that collide, the newer one."""
    low, high = axes.get_xlim()
    kept: list[tuple[float, Mark]] = []
    for mark in reversed(marks):
        if not kept or kept[-1][0] - mark[0] >= 0.19 * (high - low):
            kept.append(mark)
    return kept


def version_of(name: str) -> str:
    """Return the version in a run's label: `v1.1` of `extract v1.1`."""
    return label(name.rsplit(" ", 1)[-1])


def _name_zones(axes: Axes, metric: Metric, threshold: Threshold) -> None:
    """Label the zones at the right of a panel, except those too thin for their name."""
    low, high = axes.get_ylim()
    bands = [band for band in zone_bands(metric, threshold, low, high) if band[2] - band[1] > 0.06 * (high - low)]
    right = axes.secondary_yaxis("right")
    right.set_yticks([(bottom + top) / 2 for _, bottom, top in bands], [zone.word for zone, *_ in bands])
    right.spines["right"].set_visible(False)


def _caption(timeline: Timeline, suite: str) -> str:
    first, last = timeline.runs[0].at, timeline.runs[-1].at
    kinds = Counter(run.action for run in timeline.runs)
    parts = [count(kinds[action], action) for action in ("baseline", "compare", "promotion") if kinds[action]]
    when = day(last) if first.date() == last.date() else f"{day(first, year=first.year != last.year)} – {day(last)}"
    return f"{label(suite)}, {when}: {', '.join(parts)}"


def y_range(metric: Metric, threshold: Threshold | None, values: Sequence[float]) -> tuple[float, float]:
    """Return the range of the y axis, rounded to 5%: it shows the fail limit, all data and a fair part of the scale.

    If lower is better, it starts at 0. It ends at 1 at most, unless the data do not. A narrow range grows downwards
    first, so that small changes look small.
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


def y_ticks(bounds: tuple[float, float], threshold: Threshold | None, *, large: bool = True) -> list[float]:
    """Return the limits of the zones, and round values that leave room between ticks."""
    from matplotlib.ticker import MaxNLocator

    low, high = bounds
    room = (0.08 if large else 0.16) * (high - low)
    limits = [threshold.minimum, threshold.excellent, threshold.target] if threshold else []
    ticks: list[float] = []
    for tick in (*limits, *map(float, MaxNLocator(4).tick_values(low, high))):
        if low - 1e-9 <= tick <= high + 1e-9 and all(abs(tick - other) >= room for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def zone_bands(metric: Metric, threshold: Threshold, low: float, high: float) -> list[tuple[Zone, float, float]]:
    """Return each zone with its ends, cut to `low` and `high`; zones outside are left out."""
    zones = list(Zone) if metric.higher_is_better else list(reversed(Zone))
    limits = sorted((threshold.minimum, threshold.target, threshold.excellent))
    edges = [-math.inf, *limits, math.inf]
    bands = [(zone, max(low, edges[i]), min(high, edges[i + 1])) for i, zone in enumerate(zones)]
    return [band for band in bands if band[1] < band[2]]


def day(at: datetime, *, year: bool = True) -> str:
    """Return `3 Mar 2026`."""
    return f"{at.day} {MONTHS[at.month - 1]}{f' {at.year}' if year else ''}"
