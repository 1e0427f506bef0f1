"""Trend charts for reports (SVG and PNG) and sparklines for terminals.

matplotlib is imported inside the functions that draw, and never through pyplot, so nothing global stays behind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from row3.domain.metrics import Metric, Threshold
from row3.errors import UsageError
from row3.reports.charting.chart_files import ChartFiles, drawn
from row3.reports.charting.chart_series import TrendPoint, Week, by_week, run_timeline, week_timeline

__all__ = ["TrendPoint", "Week", "by_week", "sparkline", "trend_charts"]

BLOCKS = "▁▂▃▄▅▆▇█"


def trend_charts(
    points: Sequence[TrendPoint],
    metrics: Sequence[Metric],
    *,
    suite: str,
    thresholds: Mapping[str, Threshold],
    weekly: bool,
) -> ChartFiles:
    """Draws the composite, or what stands in its place, large and every other headline metric below it.

    The same input gives the same bytes. Companion metrics are left out.

    Args:
        points: the runs, in any order.
        metrics: what the suite's kind computes, in the order of the panels; the last headline metric is the large one.
        suite: its name, for the title.
        thresholds: zones by metric key, before the metric's own.
        weekly: the mean and the spread of ISO weeks along real time, instead of runs side by side.
    Raises:
        UsageError: there is no run or no headline metric to draw.
    """
    headline = [metric for metric in metrics if not metric.companion]
    headline = headline[-1:] + headline[:-1]
    if not points:
        raise UsageError("there is no run to draw", where=suite, fix="Run row3 --baseline or row3 --compare first")
    if not headline:
        raise UsageError("the suite has no headline metric to draw", where=suite)
    from row3.reports.charting.chart_figure import compose

    timeline = week_timeline(points) if weekly else run_timeline(points)
    limits = {metric.key: metric.threshold for metric in headline if metric.threshold} | dict(thresholds)
    return drawn(suite, lambda: compose(timeline, points, headline, limits, suite))


def sparkline(values: Sequence[float]) -> str:
    """A line of blocks from the lowest to the highest value; middle blocks where all are equal.

    A value that is not finite is a space. No values, no text.
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if high - low < 1e-9:
        return "".join(BLOCKS[3] if math.isfinite(value) else " " for value in values)
    top = len(BLOCKS) - 1
    return "".join(BLOCKS[round((v - low) / (high - low) * top)] if math.isfinite(v) else " " for v in values)
