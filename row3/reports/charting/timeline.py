"""What a trend chart shows, before anything is drawn: runs in order, or ISO weeks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
    """A series along x: runs by number, or ISO weeks in days since 1970."""

    xs: Sequence[float]
    values: Sequence[Mapping[str, float]]
    blocked: Sequence[bool]
    promotions: Sequence[tuple[float, str]]
    runs: Sequence[TrendPoint]
    """Oldest first."""
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
        runs=runs,
    )


def week_timeline(points: Sequence[TrendPoint]) -> Timeline:
    """Real time: a week's mean stands in the middle of its week, a promotion at its own instant."""
    runs, weeks = by_time(points), by_week(points)
    return Timeline(
        xs=[(week.monday - EPOCH.date()).days + 3.5 for week in weeks],
        values=[week.mean for week in weeks],
        blocked=[False] * len(weeks),
        promotions=[(run.at.timestamp() / 86_400, run.label) for run in runs if run.action == "promotion"],
        runs=runs,
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
