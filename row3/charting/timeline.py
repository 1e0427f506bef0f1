"""Data of a trend chart: runs in order, or ISO weeks; and the runs at which a metric's level changed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

from row3.errors import MissingExtra

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LEAST_POINTS = 8
"""Minimum points to look for changes."""
LEAST_NOISE = 0.01
"""Minimum standard deviation, a fraction: recorded answers repeat exactly, and a move of a point is no change."""
PENALTY = 2.0
"""Cost of a change, in standard deviations times ln n: at most 7% of steady series of 8 to 40 points show one."""
NORMAL = 1.4826 / math.sqrt(2)
"""Factor from the median step between neighbours to the standard deviation of normal noise."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run of the history."""

    at: datetime
    """UTC; a time without a zone is taken as UTC."""
    action: Literal["baseline", "compare", "promotion"]
    label: str
    """Prompt versions, such as `decompose-concepts v1.1`; names a promotion on the chart."""
    metrics: Mapping[str, float]
    """Fractions in [0, 1] by metric key; a missing or non-finite one is a gap."""
    verdict: str | None = None
    comparable: bool = True
    """Whether it was scored like the newest run, on as many cases."""
    rescored: bool = False
    """Whether other golden cases or another scorer scored the run before it."""
    level: tuple[float, float] | None = None
    """Mean of the primary metric before and since, fractions, if its level changed at this run."""


class Column(NamedTuple):
    """The runs at one x position: a single one, or those of an ISO week."""

    x: float
    runs: Sequence[TrendPoint]

    def values(self, key: str) -> list[float]:
        """Return the values of a metric, from the runs that have it."""
        return [run.metrics[key] for run in self.runs if key in run.metrics]

    def mean(self, key: str) -> float:
        """Return the mean over the runs that have the metric; NaN without a value."""
        values = self.values(key)
        return math.fsum(values) / len(values) if values else math.nan

    @property
    def comparable(self) -> bool:
        """Whether every run was scored like the newest one, on as many cases."""
        return all(run.comparable for run in self.runs)

    @property
    def blocked(self) -> bool:
        """Whether the gate blocked every run."""
        return all(run.verdict == "block" for run in self.runs)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Columns along x: runs by number, or ISO weeks by days since 1970."""

    columns: Sequence[Column]
    promotions: Sequence[tuple[float, str]]
    runs: Sequence[TrendPoint]
    weekly: bool
    changes: Sequence[tuple[float, tuple[float, float]]] = ()
    """x positions at which the primary metric's level changed, with its mean before and since, fractions."""

    @property
    def xs(self) -> list[float]:
        """x positions of the columns."""
        return [column.x for column in self.columns]

    @property
    def rescored(self) -> list[float]:
        """x positions before the columns at which golden cases or the scorer changed."""
        half = 3.5 if self.weekly else 0.5
        return [column.x - half for column in self.columns if any(run.rescored for run in column.runs)]

    def means(self, key: str) -> list[tuple[Column, float]]:
        """Return the columns that have a metric, with its mean."""
        return [(column, column.mean(key)) for column in self.columns if column.values(key)]

    def accepted(self, key: str) -> list[tuple[Column, float]]:
        """Return the comparable columns that have a metric, with its mean; blocked ones only if there is no other."""
        known = [(column, mean) for column, mean in self.means(key) if column.comparable]
        return [(column, mean) for column, mean in known if not column.blocked] or known


def by_time(points: Sequence[TrendPoint]) -> list[TrendPoint]:
    """Return the points oldest first, in UTC, without non-finite values."""
    cleaned = [
        replace(
            point,
            at=point.at.replace(tzinfo=UTC) if point.at.tzinfo is None else point.at.astimezone(UTC),
            metrics={key: value for key, value in point.metrics.items() if math.isfinite(value)},
        )
        for point in points
    ]
    return sorted(cleaned, key=lambda point: point.at)


def run_timeline(points: Sequence[TrendPoint]) -> Timeline:
    """Return runs at equal distances, whatever the time between them."""
    runs = by_time(points)
    columns = [Column(float(place), [run]) for place, run in enumerate(runs)]
    promotions = [(column.x, run.label) for column in columns for run in column.runs if run.action == "promotion"]
    changes = [(place - 0.5, run.level) for place, run in enumerate(runs) if run.level is not None]  # between two runs
    return Timeline(columns, promotions, runs, weekly=False, changes=changes)


def week_timeline(points: Sequence[TrendPoint]) -> Timeline:
    """Return the ISO weeks (UTC) that have runs, in real time: a week at its middle, a promotion at its own time."""
    runs = by_time(points)
    weeks: dict[date, list[TrendPoint]] = {}
    for run in runs:
        weeks.setdefault(run.at.date() - timedelta(days=run.at.weekday()), []).append(run)
    columns = [Column((monday - EPOCH.date()).days + 3.5, members) for monday, members in weeks.items()]
    promotions = [(run.at.timestamp() / 86_400, run.label) for run in runs if run.action == "promotion"]
    changes = [(run.at.timestamp() / 86_400, run.level) for run in runs if run.level is not None]
    return Timeline(columns, promotions, runs, weekly=True, changes=changes)


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
