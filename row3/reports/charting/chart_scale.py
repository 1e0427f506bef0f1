"""The scales of a trend chart: ranges, ticks, zone bands, dates, and labels that do not collide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from row3.domain.metrics import Metric, Threshold, Zone

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Spelt here because `strftime` follows the locale."""
LEAST_SPAN = 0.4
LEAST_RATE_SPAN = 0.1
STEP = 0.05


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


def y_ticks(bounds: tuple[float, float], threshold: Threshold | None, gap: float) -> list[float]:
    """The limits of the zones first, then round values where they leave room; none nearer than `gap`."""
    low, high = bounds
    step = next(step for step in (0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, math.inf) if (high - low) / step < 5)
    wanted = [threshold.minimum, threshold.excellent, threshold.target] if threshold else []
    ticks: list[float] = []
    for tick in wanted:
        if all(abs(tick - other) >= gap for other in ticks):
            ticks.append(tick)
    for count in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        tick = count * step
        if all(abs(tick - other) >= max(gap, 0.6 * step) - 1e-9 for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def zone_bands(metric: Metric, threshold: Threshold, low: float, high: float) -> list[tuple[Zone, float, float]]:
    """Where each zone lies between `low` and `high`; a zone that is outside is left out."""
    zones = list(Zone) if metric.higher_is_better else list(reversed(Zone))
    limits = sorted((threshold.minimum, threshold.target, threshold.excellent))
    edges = [-math.inf, *limits, math.inf]
    bands = [(zone, max(low, edges[i]), min(high, edges[i + 1])) for i, zone in enumerate(zones)]
    return [band for band in bands if band[1] < band[2]]


def percent(value: float, digits: int | None = None) -> str:
    """A fraction as a percentage: 0.784 is `78.4%`; without `digits` as short as it is exact."""
    return f"{value * 100:.4g}%" if digits is None else f"{value * 100:.{digits}f}%"


def day(at: datetime) -> str:
    """`3 Mar 2026`."""
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def period(first: datetime, last: datetime) -> str:
    """From when to when, without saying anything twice."""
    if first.date() != last.date():
        start = day(first) if first.year != last.year else day(first).rsplit(" ", 1)[0]
        return f"{start} – {day(last)}"
    times = dict.fromkeys((f"{first:%H:%M}", f"{last:%H:%M}"))
    return f"{day(first)}, {'–'.join(times)} UTC"


def date_ticks(moments: Sequence[tuple[float, datetime]], gap: float) -> list[tuple[float, str, str]]:
    """Dates along x, none nearer than `gap` and none twice; times where all is one day.

    Returns:
        Place, date (or time), and below it the year (or the day) where that begins, else nothing.
    """
    one_day = moments[0][1].date() == moments[-1][1].date()
    ticks: list[tuple[float, str, str]] = []
    last_small = last_large = ""
    for x, at in moments:
        small = f"{at:%H:%M}" if one_day else f"{at.day} {MONTHS[at.month - 1]}"
        large = day(at) if one_day else str(at.year)
        if (small, large) == (last_small, last_large) or (ticks and x - ticks[-1][0] < gap):
            continue
        ticks.append((x, small, "" if large == last_large else large))
        last_small, last_large = small, large
    return ticks


def week_ticks(moments: Sequence[tuple[float, datetime]], gap: float) -> list[tuple[float, str, str]]:
    """Mondays along x, evenly spaced."""
    every = next((n for n in (1, 2, 4, 8, 13, 26, 52) if n >= gap), math.ceil(gap))
    return date_ticks(moments[::every], 0.0)


def place(wanted: Sequence[tuple[float, float]], low: float, high: float, gap: float) -> list[tuple[int, float]]:
    """Puts labels of (centre, width) side by side between `low` and `high`; the later of two that collide wins.

    Returns:
        Index and centre of those that have room, in order.
    """
    placed: list[tuple[int, float]] = []
    free = math.inf
    for index in range(len(wanted) - 1, -1, -1):
        centre, width = wanted[index]
        centre = max(low + width / 2, min(centre, high - width / 2))
        if centre + width / 2 <= free:
            placed.append((index, centre))
            free = centre - width / 2 - gap
    return placed[::-1]


def _down(value: float) -> float:
    return math.floor(value / STEP + 1e-9) * STEP


def _up(value: float) -> float:
    return math.ceil(value / STEP - 1e-9) * STEP
