"""Two small drawings of the table: where a value stands among the zones, and where its change may really be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from row3.domain.intervals import Interval, cut
from row3.domain.metrics import Metric, Threshold

WIDTH = 120
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
        return round(WIDTH * min(max(value / top, 0.0), 1.0), 1)

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
        return round(WIDTH / 2 * (1 + min(max(value / most, -1.0), 1.0)), 1)

    tone = "open"
    if interval.low > 0 or interval.high < 0:
        tone = "good" if (interval.low > 0) == higher_is_better else "bad"
    return Whisker(x(interval.low), x(interval.high), x(interval.estimate), tone)
