"""What a trend chart shows, before anything is drawn: runs in order, or ISO weeks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One run of the history."""

    at: datetime
    """UTC; a time without a zone is taken as UTC."""
    action: Literal["baseline", "compare", "promotion"]
    label: str
    """What ran, such as `decompose-concepts v1.1`; names a promotion on the chart."""
    metrics: Mapping[str, float]
    """Fractions in [0, 1] by metric key; a missing or non-finite one is a gap."""
    verdict: str | None = None


@dataclass(frozen=True, slots=True)
class Week:
    """The runs of one ISO week. A metric that no run of the week has is in none of the mappings."""

    monday: date
    runs: int
    mean: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Timeline:
    """A series laid out along x: by order of run, or in weeks of real time since the first Monday."""

    xs: Sequence[float]
    values: Sequence[Mapping[str, float]]
    blocked: Sequence[bool]
    promotions: Sequence[tuple[float, str]]
    moments: Sequence[tuple[float, datetime]]
    """Where a date may be written on the x axis."""
    weeks: Sequence[Week] = ()
    """One for each x of a weekly timeline; empty by run."""

    def series(self, key: str) -> list[float]:
        """The values of a metric along x; NaN where it is missing."""
        return [values.get(key, math.nan) for values in self.values]


def by_time(points: Sequence[TrendPoint]) -> list[TrendPoint]:
    """The points oldest first, in UTC and without values that cannot be drawn."""
    cleaned = [
        TrendPoint(
            at=point.at.replace(tzinfo=UTC) if point.at.tzinfo is None else point.at.astimezone(UTC),
            action=point.action,
            label=point.label,
            metrics={key: value for key, value in point.metrics.items() if math.isfinite(value)},
            verdict=point.verdict,
        )
        for point in points
    ]
    return sorted(cleaned, key=lambda point: point.at)


def by_week(points: Sequence[TrendPoint]) -> list[Week]:
    """Aggregates runs to the ISO weeks (UTC) that have any, oldest first.

    Every run of a week counts the same; a run without a metric is left out of that metric's mean.
    """
    weeks: dict[date, list[TrendPoint]] = {}
    for point in by_time(points):
        weeks.setdefault(_monday(point.at), []).append(point)
    return [_week(monday, runs) for monday, runs in weeks.items()]


def run_timeline(points: Sequence[TrendPoint]) -> Timeline:
    """Equal spacing by run, whatever the time between them."""
    runs = by_time(points)
    return Timeline(
        xs=[float(index) for index in range(len(runs))],
        values=[run.metrics for run in runs],
        blocked=[run.verdict == "block" for run in runs],
        promotions=[(float(index), run.label) for index, run in enumerate(runs) if run.action == "promotion"],
        moments=[(float(index), run.at) for index, run in enumerate(runs)],
    )


def week_timeline(points: Sequence[TrendPoint]) -> Timeline:
    """Real time: a week's mean stands in the middle of its week, a promotion at its own instant."""
    runs = by_time(points)
    weeks = by_week(runs)
    start = datetime.combine(weeks[0].monday, time(), UTC)
    one = timedelta(weeks=1)
    indexes = [(week.monday - weeks[0].monday) // one for week in weeks]
    return Timeline(
        xs=[index + 0.5 for index in indexes],
        values=[week.mean for week in weeks],
        blocked=[False] * len(weeks),
        promotions=[((run.at - start) / one, run.label) for run in runs if run.action == "promotion"],
        moments=[(float(index), start + index * one) for index in range(indexes[-1] + 2)],
        weeks=weeks,
    )


def _monday(at: datetime) -> date:
    return at.date() - timedelta(days=at.weekday())


def _week(monday: date, runs: Sequence[TrendPoint]) -> Week:
    columns: dict[str, list[float]] = {}
    for run in runs:
        for key, value in run.metrics.items():
            columns.setdefault(key, []).append(value)
    return Week(
        monday=monday,
        runs=len(runs),
        mean={key: math.fsum(column) / len(column) for key, column in columns.items()},
        low={key: min(column) for key, column in columns.items()},
        high={key: max(column) for key, column in columns.items()},
    )
