"""The trend of each metric on the page, as numbers for inline SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from row3.domain.metrics import Metric, Threshold
from row3.reports import numbers
from row3.reports.charting.timeline import TrendPoint
from row3.reports.charting.trend_chart import y_range

WIDTH, HEIGHT = 320, 120
LEFT, RIGHT, TOP, BOTTOM = 44.0, 20.0, 10.0, 18.0
MOST_RUNS = 60
"""Of the history; more would be dots on dots."""


class Dot(NamedTuple):
    """A run on a chart."""

    x: float
    y: float
    shape: str
    """`run`, `kept` (a promotion or baseline) or `blocked`."""
    title: str


class Level(NamedTuple):
    """A line across a chart: `minimum` or `target` of the metric, or an end of the scale (`frame`)."""

    y: float
    name: str
    text: str


class Chart(NamedTuple):
    """A chart of one metric."""

    title: str
    value: str
    spoken: str
    path: str
    dots: Sequence[Dot]
    levels: Sequence[Level]
    first: str
    last: str


def charts(
    runs: Sequence[TrendPoint], metrics: Sequence[Metric], thresholds: Mapping[str, Threshold], primary: str
) -> list[Chart]:
    """Return a chart for every headline metric that any run has, the primary one first; runs are oldest first."""
    headline = sorted((metric for metric in metrics if not metric.companion), key=lambda m: m.key != primary)
    drawn = [_chart(runs[-MOST_RUNS:], metric, thresholds.get(metric.key)) for metric in headline]
    return [chart for chart in drawn if chart is not None]


def _chart(runs: Sequence[TrendPoint], metric: Metric, limits: Threshold | None) -> Chart | None:
    values = [run.metrics.get(metric.key, math.nan) for run in runs]
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return None
    low, high = y_range(metric, limits, known)
    step = (WIDTH - LEFT - RIGHT) / max(len(runs) - 1, 1)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    dots, path, pen = [], [], "M"
    for place, (run, value) in enumerate(zip(runs, values, strict=True)):
        if not math.isfinite(value):
            pen = "M"
            continue
        x = round(LEFT + step * place, 1)
        path.append(f"{pen}{x} {y(value)}")
        pen = "L"
        shape = "blocked" if run.verdict == "block" else "kept" if run.action in ("promotion", "baseline") else "run"
        parts = (numbers.percent(value), run.action, run.verdict, f"{run.at:%Y-%m-%d %H:%M}", run.label)
        dots.append(Dot(x, y(value), shape, " · ".join(part for part in parts if part)))
    levels = [Level(y(end), "frame", numbers.compact(end)) for end in (high, low)]
    if limits is not None:
        ends = (("minimum", limits.minimum), ("target", limits.target))
        levels += [Level(y(limit), name, f"{name} {numbers.limit(limit, metric)}") for name, limit in ends]
    better = "higher" if metric.higher_is_better else "lower"
    ends_text = f"from {numbers.percent(known[0])} to {numbers.percent(known[-1])}"
    return Chart(
        metric.title,
        numbers.percent(known[-1]),
        f"{metric.title} over {numbers.count(len(known), 'run')}, {ends_text}; {better} is better.",
        "".join(path),
        dots,
        levels,
        f"{runs[0].at:%Y-%m-%d}",
        f"{runs[-1].at:%Y-%m-%d}",
    )
