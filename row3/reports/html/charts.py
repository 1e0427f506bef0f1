"""Drawings of the page, as numbers for inline SVG: zones, intervals, and the trend of each metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from row3.domain.intervals import Interval, cut
from row3.domain.metrics import Metric, Threshold
from row3.domain.runs import HistoryEntry
from row3.reports import numbers

SCALE_WIDTH = 120
"""Of both drawings, in their own units."""
ROOM = 1.25
"""How far a scale of rates goes beyond the largest number on it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A zone on the scale."""

    x: float
    width: float
    zone: str


@dataclass(frozen=True, slots=True)
class ZoneScale:
    """The zones from left to right, and the values before and now."""

    stretches: Sequence[Stretch]
    now: float
    before: float | None


@dataclass(frozen=True, slots=True)
class Whisker:
    """The interval of a change around zero."""

    low: float
    high: float
    at: float
    tone: str
    """`good` or `bad` where the whole interval is on one side, else `open`."""


def zone_scale(metric: Metric, limits: Threshold | None, now: float | None, before: float | None) -> ZoneScale | None:
    """The scale of one metric; None without limits or value."""
    if limits is None or now is None:
        return None
    if metric.higher_is_better:
        top, cuts = 1.0, (0.0, limits.minimum, limits.target, limits.excellent, 1.0)
        zones = ("fail", "marginal", "pass", "excellent")
    else:
        top = min(1.0, ROOM * max(2 * limits.minimum, now, before or 0.0, 0.02))
        cuts = (0.0, limits.excellent, limits.target, limits.minimum, top)
        zones = ("excellent", "pass", "marginal", "fail")

    def x(value: float) -> float:
        return round(SCALE_WIDTH * min(max(value / top, 0.0), 1.0), 1)

    stretches = [
        Stretch(x(start), round(x(end) - x(start), 1), zone)
        for zone, start, end in zip(zones, cuts[:-1], cuts[1:], strict=True)
        if x(end) > x(start)
    ]
    return ZoneScale(stretches, x(now), None if before is None else x(before))


def widest(intervals: Sequence[Interval]) -> float:
    """The largest change that an interval reaches and there can be; at least a point, so that nothing looks large."""
    return max([0.01, *(abs(end) for one in intervals for end in cut(one.low, one.high))])


def whisker(interval: Interval, most: float, *, higher_is_better: bool) -> Whisker:
    """The interval of a change on a scale from -`most` to `most`."""

    def x(value: float) -> float:
        return round(SCALE_WIDTH / 2 * (1 + min(max(value / most, -1.0), 1.0)), 1)

    tone = "open"
    if interval.low > 0 or interval.high < 0:
        tone = "good" if (interval.low > 0) == higher_is_better else "bad"
    return Whisker(x(interval.low), x(interval.high), x(interval.estimate), tone)


WIDTH, HEIGHT = 320, 120
LEFT, RIGHT, TOP, BOTTOM = 34.0, 10.0, 10.0, 18.0
INSET = 10.0
"""Between the frame and the first and last run."""
MOST_RUNS = 60
"""Of the history; more would be dots on dots."""
NARROWEST = 0.10
"""Of the scale, so that a tenth of a point does not look like a cliff."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One run: when, what it was for, its figures."""

    at: str
    action: str
    versions: str
    metrics: Mapping[str, float]
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Dot:
    """A run on a chart."""

    x: float
    y: float
    shape: str
    """`run`, `kept` (a promotion or baseline) or `blocked`."""
    title: str
    last: bool


@dataclass(frozen=True, slots=True)
class Level:
    """A limit, or the end of the scale."""

    y: float
    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one metric."""

    title: str
    value: str
    spoken: str
    path: str
    dots: Sequence[Dot]
    limits: Sequence[Level]
    ends: Sequence[Level]
    first: str
    last: str
    primary: bool


def moments(history: Sequence[HistoryEntry], now: Moment) -> list[Moment]:
    """The runs of a suite and the present one, oldest first."""
    past = [
        Moment(
            numbers.moment(entry.at),
            entry.action,
            " · ".join(f"{name} {version}" for name, version in entry.prompts.items()),
            entry.metrics,
            entry.verdict,
        )
        for entry in history[-MOST_RUNS:]
    ]
    return [*past, now]


def charts(
    runs: Sequence[Moment], metrics: Sequence[Metric], thresholds: Mapping[str, Threshold], primary: str
) -> list[Chart]:
    """A chart for every headline metric that any run has; the composite first."""
    headline = sorted((metric for metric in metrics if not metric.companion), key=lambda m: m.key != primary)
    drawn = [_chart(runs, metric, thresholds.get(metric.key), primary) for metric in headline]
    return [chart for chart in drawn if chart is not None]


def _chart(runs: Sequence[Moment], metric: Metric, limits: Threshold | None, primary: str) -> Chart | None:
    values = [run.metrics.get(metric.key) for run in runs]
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known:
        return None
    drawn = [] if limits is None else [("minimum", limits.minimum), ("target", limits.target)]
    low, high = _scale([*known, *(limit for _, limit in drawn)])

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    def x(place: int) -> float:
        between = max(len(runs) - 1, 1)
        across = place / between if len(runs) > 1 else 0.5
        return round(LEFT + INSET + (WIDTH - LEFT - RIGHT - 2 * INSET) * across, 1)

    dots, path, pen = [], [], "M"
    for place, (run, value) in enumerate(zip(runs, values, strict=True)):
        if value is None or not math.isfinite(value):
            pen = "M"
            continue
        path.append(f"{pen}{x(place)} {y(value)}")
        pen = "L"
        shape = "blocked" if run.verdict == "block" else "kept" if run.action in ("promotion", "baseline") else "run"
        verdict = f", {run.verdict}" if run.verdict else ""
        title = f"{numbers.percent(value)} · {run.action}{verdict} · {run.at} · {run.versions}"
        dots.append(Dot(x(place), y(value), shape, title, place == len(runs) - 1))
    return Chart(
        title=metric.title,
        value=numbers.percent(known[-1]),
        spoken=_spoken(metric, known),
        path="".join(path),
        dots=dots,
        limits=[Level(y(limit), numbers.limit(limit, metric), name) for name, limit in drawn],
        ends=[Level(y(high), numbers.compact(high), "top"), Level(y(low), numbers.compact(low), "bottom")],
        first=runs[0].at[:10],
        last=runs[-1].at[:10],
        primary=metric.key == primary,
    )


def _spoken(metric: Metric, values: Sequence[float]) -> str:
    better = "higher" if metric.higher_is_better else "lower"
    runs = numbers.count(len(values), "run")
    ends = f"from {numbers.percent(values[0])} to {numbers.percent(values[-1])}"
    return f"{metric.title} over {runs}, {ends}; {better} is better."


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """Ends of the scale: all values with a little air, in whole twentieths, within 0 and 1 where they are."""
    low, high = min(values), max(values)
    air = max((high - low) * 0.1, (NARROWEST - (high - low)) / 2, 0.0)
    bottom, top = math.floor((low - air) * 20) / 20, math.ceil((high + air) * 20) / 20
    return max(bottom, min(0.0, low)), min(top, max(1.0, high))
