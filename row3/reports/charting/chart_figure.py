"""A whole trend chart: header, the composite large on top, small multiples below. All places in inches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from row3.domain.metrics import Metric, Threshold
from row3.reports.charting.chart_panel import (
    LINE,
    MUTED,
    PROMOTION,
    SMALL,
    ZONE_INK,
    Frame,
    draw_dates,
    draw_panel,
    zone_names,
)
from row3.reports.charting.chart_scale import place, y_range
from row3.reports.charting.chart_series import Timeline, TrendPoint
from row3.reports.charting.chart_text import (
    LEFT,
    RIGHT,
    WIDTH,
    add_axes,
    header,
    one_line,
    panel_title,
    plain,
    text_width,
    zone_key,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ZONE_COLUMN = 0.82
HEADER = 0.96
TITLE = 0.34
VERSIONS = 0.24
"""The line of promoted versions above the large panel."""
LARGE = 2.9
COUNTS = 0.42
DATES = 0.5
SMALL_TITLE = 0.32
SMALL_PANEL = 1.42
COLUMN_GAP = 0.62


def compose(
    timeline: Timeline,
    points: Sequence[TrendPoint],
    metrics: Sequence[Metric],
    thresholds: Mapping[str, Threshold],
    suite: str,
) -> tuple[Figure, str]:
    """The figure and its title; the first metric is the large one."""
    from matplotlib.figure import Figure

    columns = _columns(len(metrics) - 1)
    rows = math.ceil((len(metrics) - 1) / columns)
    top = HEADER + TITLE + (VERSIONS if timeline.promotions else 0)
    height = top + LARGE + DATES + rows * (SMALL_TITLE + SMALL_PANEL) + (DATES - 0.1 if rows else 0)
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    crowded = _large_frame(timeline).marker(len(timeline.xs)) == 0
    title = header(figure, timeline, points, suite, crowded=crowded)
    _large_panel(figure, timeline, metrics[0], thresholds.get(metrics[0].key), top)
    _small_panels(figure, timeline, metrics[1:], thresholds, columns=columns, start=top + LARGE + DATES)
    if metrics[0].key not in thresholds and thresholds:
        zone_key(figure)
    return figure, title


def _columns(panels: int) -> int:
    return panels if 0 < panels < 3 else 2 if panels == 4 else 3


def _large_frame(timeline: Timeline) -> Frame:
    height = LARGE - COUNTS if timeline.weeks else LARGE
    return Frame.around(timeline, WIDTH - LEFT - RIGHT - ZONE_COLUMN, height, large=True)


def _large_panel(figure: Figure, timeline: Timeline, metric: Metric, threshold: Threshold | None, top: float) -> None:
    frame = _large_frame(timeline)
    width, height = frame.width, frame.height
    axes = add_axes(figure, LEFT, top, width, height)
    bounds = y_range(metric, threshold, _all_values(timeline, metric))
    draw_panel(axes, frame, timeline, metric, threshold, bounds=bounds)
    panel_title(figure, LEFT, HEADER + TITLE - 0.1, metric, 12)
    _promotion_names(axes, frame, timeline)
    if threshold is not None:
        low, high = axes.get_ylim()
        for zone, y in zone_names(threshold, metric, low, high, gap=0.17 * (high - low) / height):
            axes.text(
                frame.x_range[1] + 0.08 * frame.unit, y, zone.word, color=ZONE_INK[zone], size=9, va="center_baseline"
            )
    draw_dates(axes, frame, timeline, labelled=not timeline.weeks)
    if timeline.weeks:
        _run_counts(add_axes(figure, LEFT, top + height + 0.2, width, COUNTS - 0.2), frame, timeline)


def _small_panels(
    figure: Figure,
    timeline: Timeline,
    metrics: Sequence[Metric],
    thresholds: Mapping[str, Threshold],
    *,
    columns: int,
    start: float,
) -> None:
    """Those where higher is better share one scale, so that their slopes compare."""
    width = (WIDTH - LEFT - RIGHT - (columns - 1) * COLUMN_GAP) / columns
    frame = Frame.around(timeline, width, SMALL_PANEL - 0.2, large=False)
    ranges = {m.key: y_range(m, thresholds.get(m.key), _all_values(timeline, m)) for m in metrics}
    rising = [ranges[metric.key] for metric in metrics if metric.higher_is_better]
    for index, metric in enumerate(metrics):
        left = LEFT + index % columns * (width + COLUMN_GAP)
        top = start + index // columns * (SMALL_TITLE + SMALL_PANEL) + SMALL_TITLE
        axes = add_axes(figure, left, top, width, frame.height)
        shared = (min(low for low, _ in rising), max(high for _, high in rising)) if metric.higher_is_better else None
        bounds = shared or ranges[metric.key]
        draw_panel(axes, frame, timeline, metric, thresholds.get(metric.key), bounds=bounds)
        panel_title(figure, left, top - 0.09, metric, 9.5)
        draw_dates(axes, frame, timeline, labelled=index + columns >= len(metrics))


def _all_values(timeline: Timeline, metric: Metric) -> list[float]:
    """What a panel must have room for: the values, and the spread of weeks."""
    spread = [side[metric.key] for week in timeline.weeks for side in (week.low, week.high) if metric.key in side]
    return spread or [value for value in timeline.series(metric.key) if not math.isnan(value)]


def _promotion_names(axes: Axes, frame: Frame, timeline: Timeline) -> None:
    """In full where all of them fit, else by their last word (the version); the newer one wins."""
    labels = [one_line(label) for _, label in timeline.promotions]
    for names in ([plain(label) for label in labels], [plain(label.rsplit(" ", 1)[-1]) for label in labels]):
        wanted = [
            (x, (text_width(name, SMALL + 0.5, "normal") + 0.02) * frame.unit)
            for (x, _), name in zip(timeline.promotions, names, strict=True)
        ]
        placed = place(wanted, *frame.x_range, gap=0.12 * frame.unit)
        if len(placed) == len(labels):
            break
    top = axes.get_ylim()[1]
    for index, x in placed:
        axes.annotate(
            names[index], (x, top), (0, 4), textcoords="offset points", ha="center", color=PROMOTION, size=SMALL + 0.5
        )


def _run_counts(axes: Axes, frame: Frame, timeline: Timeline) -> None:
    """A strip of bars: how many runs stand behind each week."""
    counts = [week.runs for week in timeline.weeks]
    axes.set_xlim(frame.x_range)
    axes.set_ylim(0, max(counts))
    axes.bar(timeline.xs, counts, width=min(0.7, 0.35 * frame.unit), color=LINE, alpha=0.45, linewidth=0)
    axes.set_yticks([max(counts) / 2], ["runs"])
    axes.tick_params(length=0, labelsize=SMALL, labelcolor=MUTED, pad=4)
    numbered = range(len(counts)) if 0.24 * frame.unit <= 1 else [counts.index(max(counts))]
    for index in numbered:
        place_of = (timeline.xs[index], counts[index])
        axes.annotate(
            str(counts[index]), place_of, (0, 1.5), textcoords="offset points", ha="center", color=MUTED, size=SMALL - 1
        )
    draw_dates(axes, frame, timeline, labelled=True)
