"""Trend of each metric on the page, as numbers for inline SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from row3.domain.metrics import Metric, Threshold
from row3.reports import numbers
from row3.reports.charting.timeline import Timeline, TrendPoint, run_timeline
from row3.reports.charting.trend_chart import moved_text, version_of, y_range, zone_bands

WIDTH, HEIGHT = 320, 120
LEFT, RIGHT, TOP, BOTTOM = 40.0, 56.0, 10.0, 18.0
MOST_RUNS = 60
"""Maximum runs of the history; more dots would overlap."""


class Dot(NamedTuple):
    """A run on a chart."""

    x: float
    y: float
    shape: str
    """`run`, `blocked`, or `old` if it is not comparable with the newest run."""
    title: str


class Band(NamedTuple):
    """A zone across a chart."""

    y: float
    height: float
    zone: str


class Chart(NamedTuple):
    """A chart of one metric."""

    title: str
    value: str
    message: str
    path: str
    old_path: str
    """Path of runs that are not comparable with the newest."""
    dots: Sequence[Dot]
    bands: Sequence[Band]
    ends: Sequence[tuple[float, str]]
    """Positions and texts of the highest and the lowest value of the scale."""
    promotions: Sequence[tuple[float, str]]
    first: str
    last: str


def charts(
    runs: Sequence[TrendPoint], metrics: Sequence[Metric], thresholds: Mapping[str, Threshold], primary: str
) -> list[Chart]:
    """Return a chart for every headline metric with two runs or more, the primary one first; runs are oldest first."""
    timeline = run_timeline(runs[-MOST_RUNS:])
    headline = sorted((metric for metric in metrics if not metric.companion), key=lambda m: m.key != primary)
    several = [metric for metric in headline if len(timeline.means(metric.key)) > 1]
    return [_chart(timeline, metric, thresholds.get(metric.key)) for metric in several]


def _chart(timeline: Timeline, metric: Metric, limits: Threshold | None) -> Chart:
    runs, known = timeline.runs, timeline.means(metric.key)
    low, high = y_range(metric, limits, [value for _, value in known])
    step = (WIDTH - LEFT - RIGHT) / (len(runs) - 1)

    def x(place: float) -> float:
        return round(LEFT + step * place, 1)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    dots, before = [], None
    paths: dict[bool, list[str]] = {True: [], False: []}
    for column, value in known:
        run = column.runs[0]
        joined = before is not None and column.x - before.x == 1 and column.comparable is before.comparable
        paths[column.comparable].append(f"{'L' if joined else 'M'}{x(column.x)} {y(value)}")
        shape = "blocked" if run.verdict == "block" else "run" if column.comparable else "old"
        parts = (numbers.percent(value), run.action, run.verdict, f"{run.at:%Y-%m-%d %H:%M}", run.label)
        dots.append(Dot(x(column.x), y(value), shape, " · ".join(part for part in parts if part)))
        before = column
    bands = zone_bands(metric, limits, low, high) if limits else []
    return Chart(
        metric.title,
        numbers.percent(known[-1][1]),
        moved_text(timeline, metric),
        "".join(paths[True]),
        "".join(paths[False]),
        dots,
        [Band(y(top), round(y(bottom) - y(top), 1), zone.word) for zone, bottom, top in bands],
        [(y(end), numbers.compact(end)) for end in (high, low)],
        [(x(place), version_of(name)) for place, name in timeline.promotions],
        f"{runs[0].at:%Y-%m-%d}",
        f"{runs[-1].at:%Y-%m-%d}",
    )
