"""What two runs say of the same cases, side by side, ready for means, intervals and power."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping

from row3.domain.intervals import Interval
from row3.gate.intervals import mean_interval, spread_of_mean
from row3.gate.variance import DifferenceVariance


class _Metric:
    """One metric's values over the cases that both runs have it for."""

    __slots__ = ("after", "before", "labels", "noise", "repeat_df", "weight")

    def __init__(self) -> None:
        self.before, self.after = array("d"), array("d")
        self.labels: list[str | None] = []
        self.noise = 0.0
        """Sum of squared deviations of answers from their case's mean, both sides."""
        self.repeat_df = 0.0
        self.weight = 0.0
        """Sum over the cases of 1/K before + 1/K after."""


class Pairs:
    """Both sides of every case that can be compared; sixteen bytes a metric and case.

    The value of a case that was asked K times is the mean over its answers; `spread` is their sample standard
    deviation. Cases with one `source` are not independent and are kept as one cluster.
    """

    def __init__(self) -> None:
        self._metrics: dict[str, _Metric] = {}
        self._clustered = False

    def add(
        self,
        before: Mapping[str, float],
        after: Mapping[str, float],
        *,
        source: str | None = None,
        repeats: tuple[int, int] = (1, 1),
        spreads: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {}),
    ) -> None:
        """Take in one case, with the metrics that apply to it on both sides."""
        self._clustered = self._clustered or source is not None
        weight = 1.0 / repeats[0] + 1.0 / repeats[1]
        for key, value in after.items():
            old = before.get(key)
            if old is None:
                continue
            held = self._metrics.get(key)
            if held is None:
                held = self._metrics[key] = _Metric()
            held.before.append(old)
            held.after.append(value)
            held.labels.append(source)
            held.weight += weight
            for count, spread in zip(repeats, spreads, strict=True):
                if count > 1 and key in spread:
                    held.noise += (count - 1) * spread[key] ** 2
                    held.repeat_df += count - 1

    def means(self) -> tuple[dict[str, float], dict[str, float]]:
        """Means of both sides over the same cases, exactly summed."""
        items = self._metrics.items()
        return (
            {key: math.fsum(held.before) / len(held.before) for key, held in items},
            {key: math.fsum(held.after) / len(held.after) for key, held in items},
        )

    def counts(self) -> dict[str, int]:
        """How many cases stand behind each metric."""
        return {key: len(held.after) for key, held in self._metrics.items()}

    def interval(self, key: str, *, relative: float = 0.0, level: float = 0.95) -> Interval | None:
        """The paired interval of after - (1 - relative) before; None with fewer than two independent cases.

        `relative` 0 is the plain difference. A share r > 0 asks whether a metric fell by more than r of its baseline,
        with the baseline's own noise in the answer.
        """
        held = self._metrics.get(key)
        if held is None:
            return None
        kept = 1.0 - relative
        moved = [new - kept * old for old, new in zip(held.before, held.after, strict=True)]
        return mean_interval(moved, clusters=held.labels if self._clustered else None, level=level)

    def variance(self, key: str) -> DifferenceVariance | None:
        """The variance of a case's difference, split into cases and repeats where cases were asked more than once."""
        held = self._metrics.get(key)
        if held is None:
            return None
        n = len(held.after)
        moved = [new - old for old, new in zip(held.before, held.after, strict=True)]
        centre = math.fsum(moved) / n
        spread = spread_of_mean([value - centre for value in moved], held.labels if self._clustered else None)
        if spread is None:
            return None
        total, shrink = n * spread[0] ** 2, held.weight / n
        if not held.repeat_df:
            return DifferenceVariance(total, spread[1], n, 2.0 / shrink)
        noise = held.noise / held.repeat_df
        return DifferenceVariance(
            total, spread[1], n, 2.0 / shrink, max(0.0, total - noise * shrink), noise, held.repeat_df
        )
