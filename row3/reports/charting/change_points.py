"""Change points: the runs at which a metric's level changed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from row3.errors import MissingExtra
from row3.reports.charting.timeline import TrendPoint, by_time

LEAST_POINTS = 8
"""Minimum points to look for changes."""
LEAST_NOISE = 0.01
"""Minimum standard deviation, a fraction: recorded answers repeat exactly, and a move of a point is no change."""
PENALTY = 2.0
"""Cost of a change, in standard deviations times ln n: at most 7% of steady series of 8 to 40 points show one."""
NORMAL = 1.4826 / math.sqrt(2)
"""Factor from the median step between neighbours to the standard deviation of normal noise."""


def level_changes(values: Sequence[float]) -> list[int]:
    """Return the indexes of the first values of new levels (PELT, absolute error, at least two values a level).

    Raises `MissingExtra` if ruptures is not installed and there are `LEAST_POINTS` or more values.
    """
    if len(values) < LEAST_POINTS:
        return []
    if importlib.util.find_spec("ruptures") is None:
        raise MissingExtra("marking change points needs ruptures", fix="pip install 'row3[trend]'")
    import numpy
    from ruptures import Pelt

    steps = [abs(after - before) for before, after in pairwise(values)]
    noise = max(LEAST_NOISE, NORMAL * median(steps))
    # By medians, so that a single bad run is not a level.
    search = Pelt(model="l1", min_size=2, jump=1).fit(numpy.asarray(values, dtype=float))
    found: list[int] = search.predict(pen=PENALTY * noise * math.log(len(values)))
    return found[:-1]  # the last is the end of the series


def with_changes(points: Sequence[TrendPoint], key: str) -> list[TrendPoint]:
    """Return the points oldest first, with new levels of a metric marked. Raises as `level_changes`."""
    runs = by_time(points)
    places = [place for place, run in enumerate(runs) if run.comparable and key in run.metrics]
    values = [runs[place].metrics[key] for place in places]
    starts = level_changes(values)
    if not starts:
        return runs
    levels = [math.fsum(values[a:b]) / (b - a) for a, b in zip([0, *starts], [*starts, len(values)], strict=True)]
    for start, (before, after) in zip(starts, pairwise(levels), strict=True):
        runs[places[start]] = replace(runs[places[start]], level=(before, after))
    return runs
