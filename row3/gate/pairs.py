"""Paired values of two runs on the same cases, for means, intervals and power."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from row3.domain.scores import Metric
from row3.gate.exact import EXACT
from row3.gate.intervals import Differences, spread_of_mean
from row3.kinds.base import Kind
from row3.metrics.aggregate import add_exactly


def align_metrics(kind: Kind, answers: Sequence[Mapping[str, float]]) -> Sequence[Mapping[str, float]]:
    """Return the metrics of several answers to one case, made comparable.

    If some answers invent items and others are empty, the empty ones get perfect values for the metrics of the rest.
    Otherwise starting or ceasing to invent items would move nothing. If all are empty, there is nothing to compare.
    """
    invent = [metrics for metrics in answers if kind.primary in metrics] if kind.invented else []
    if not 0 < len(invent) < len(answers):
        return answers
    measured = {key for metrics in invent for key in metrics}
    return [metrics if kind.primary in metrics else _flawless(kind, metrics, measured) for metrics in answers]


def _flawless(kind: Kind, empty: Mapping[str, float], measured: Collection[str]) -> Mapping[str, float]:
    lacks = [metric for metric in kind.metrics if metric.key in measured and metric.key not in empty]
    # Any other metric needs expected items, so the answers belong to different cases.
    if any(metric.higher_is_better and metric.key not in kind.invented for metric in lacks):
        return empty
    return {**empty, **{metric.key: float(metric.higher_is_better) for metric in lacks}}


BLOCK = 8_192
"""Numbers in an array of a column."""
ZEROS = array("d", [0.0]) * BLOCK
"""Shared by the columns: most cases do not move."""


class Column(Collection[float]):
    """A number of each case, 8 bytes each: a single array would be moved as it grows, and leave holes in memory."""

    def __init__(self) -> None:
        self._blocks = [array("d")]

    def __len__(self) -> int:
        return BLOCK * (len(self._blocks) - 1) + len(self._blocks[-1])

    def __iter__(self) -> Iterator[float]:
        return chain.from_iterable(self._blocks)

    def __contains__(self, value: object) -> bool:
        return any(value in block for block in self._blocks)

    def append(self, value: float) -> None:
        """Add the number of a case."""
        if len(self._blocks[-1]) == BLOCK:
            self._blocks[-1:] = (self._blocks[-1] if any(self._blocks[-1]) else ZEROS), array("d")
        self._blocks[-1].append(value)


@dataclass(slots=True)
class _Metric:
    """One metric's values over the cases where both runs have it."""

    before: array[float] = field(default_factory=lambda: array("d"))
    """Values with the sum of the cases', as `add_exactly` keeps them."""
    after: array[float] = field(default_factory=lambda: array("d"))
    least: float = math.inf
    most: float = -math.inf
    """The smallest and the largest value before."""
    moved: Column = field(default_factory=Column)
    """after - before of each case."""
    labels: array[int] = field(default_factory=lambda: array("l"))
    """Number of each case's source, -1 without one; empty as long as no case has one."""
    noise: float = 0.0
    """Sum of squared deviations of the answers from their case's mean, both sides."""
    repeat_df: float = 0.0
    weight: float = 0.0
    """Sum over the cases of 1/K before + 1/K after."""

    @property
    def clusters(self) -> Sequence[int | None] | None:
        """A label per case; None if no case has a source."""
        return [None if label < 0 else label for label in self.labels] if self.labels else None


class DifferenceVariance(NamedTuple):
    """Variance of a case's difference, split into variation between cases and noise of answers.

    If no case was asked twice, the two cannot be separated: `repeat_variance` and `case_variance` are None, and `total`
    holds for the observed number of repeats only.
    """

    total: float
    """n SE^2 of the comparison: variance of a case's mean difference, both parts, with clusters."""
    df: float
    cases: int
    repeats: float
    """Answers per case and side; the harmonic mean if they differ."""
    case_variance: float | None = None
    """omega^2, at least 0."""
    repeat_variance: float | None = None
    """sigma^2 of one answer, the mean of both sides."""
    repeat_df: float = 0.0
    step: float = 0.0
    """Smallest nonzero move of a case; 0 if all cases moved or none did."""

    def at(self, repeats: float) -> tuple[float, float] | None:
        """Return the variance of a case's mean difference with that many repeats, and its degrees of freedom.

        None if the parts are unknown and `repeats` was not observed. The degrees of freedom are Satterthwaite's for
        total + 2 sigma^2 (1/repeats - 1/observed), at most those of `total`.
        """
        if self.case_variance is None or self.repeat_variance is None:
            return (self.total, self.df) if repeats == self.repeats else None
        variance = self.case_variance + 2.0 * self.repeat_variance / repeats
        moved = 2.0 * self.repeat_variance * (1.0 / repeats - 1.0 / self.repeats)
        doubt = self.total**2 / self.df + (moved**2 / self.repeat_df if moved else 0.0)
        return variance, max(1.0, min(self.df, variance**2 / doubt)) if doubt else self.df


class Pairs:
    """Both sides of every comparable case; eight bytes per metric and case, sixteen if cases share sources.

    A case asked K times has the mean of its answers; `spread` is their sample standard deviation. Cases with the same
    `source` are not independent and form one cluster.
    """

    def __init__(self, kind: Kind | None = None) -> None:
        """Take the kind that scored the cases; without it, a metric needs a value on both sides."""
        self._kind = kind
        self._metrics: dict[str, _Metric] = {}
        self._sources: dict[str, int] = {}
        self.same_answers = True
        """Whether every case has the same answers on both sides, so that nothing can hide."""

    def add(
        self,
        before: Mapping[str, float],
        after: Mapping[str, float],
        *,
        source: str | None = None,
        repeats: tuple[int, int] = (1, 1),
        spreads: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {}),
        same: bool = False,
    ) -> None:
        """Add one case with each side's metrics; `repeats` and `spreads` are before and after.

        `same`: both sides have the same answers, word for word.
        """
        self.same_answers = self.same_answers and same
        if self._kind is not None:
            before, after = align_metrics(self._kind, (before, after))
        if source is not None and not self._sources:
            for held in self._metrics.values():
                held.labels = array("l", [-1]) * len(held.moved)
        label = -1 if source is None else self._sources.setdefault(source, len(self._sources))
        weight = 1.0 / repeats[0] + 1.0 / repeats[1]
        for key, value in after.items():
            old = before.get(key)
            if old is None:
                continue
            held = self._metrics.get(key) or self._metrics.setdefault(key, _Metric())
            add_exactly(held.before, old)
            add_exactly(held.after, value)
            held.least, held.most = min(held.least, old), max(held.most, old)
            held.moved.append(value - old)
            if self._sources:
                held.labels.append(label)
            held.weight += weight
            for asked, spread in () if repeats == (1, 1) else zip(repeats, spreads, strict=True):
                if asked > 1 and key in spread:
                    held.noise += (asked - 1) * spread[key] ** 2
                    held.repeat_df += asked - 1

    def means(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return both sides' means over the same cases, exactly summed."""
        items = self._metrics.items()
        return (
            {key: math.fsum(held.before) / len(held.moved) for key, held in items},
            {key: math.fsum(held.after) / len(held.moved) for key, held in items},
        )

    def counts(self) -> dict[str, int]:
        """Return the number of cases by metric."""
        return {key: len(held.moved) for key, held in self._metrics.items()}

    def differences(self, metric: Metric) -> Differences:
        """Return each case's difference, oriented so that up is better; raises KeyError for a metric without cases.

        The bounds hold because values lie in [0, 1]. The same answers have none, as nothing can go unseen.
        """
        held = self._metrics[metric.key]
        lowest, highest = -held.most, 1.0 - held.least
        if self.same_answers:
            lowest, highest = -math.inf, math.inf
        if metric.higher_is_better:
            return Differences(held.moved, held.clusters, lowest=lowest, highest=highest)
        down = array("d", (0.0 - by for by in held.moved))
        return Differences(down, held.clusters, lowest=-highest, highest=-lowest)

    def variance(self, key: str) -> DifferenceVariance | None:
        """Return the variance of a case's difference, in two parts if cases were asked more than once."""
        held = self._metrics.get(key)
        if held is None:
            return None
        moved, n = held.moved, len(held.moved)
        centre = math.fsum(moved) / n
        spread = spread_of_mean(array("d", (value - centre for value in moved)), held.clusters)
        if spread is None:
            return None
        step = min((abs(value) for value in moved if abs(value) > EXACT), default=0.0)
        step = step if any(abs(value) <= EXACT for value in moved) else 0.0
        total, df, shrink = n * spread[0] ** 2, spread[1], held.weight / n
        if not held.repeat_df:
            return DifferenceVariance(total, df, n, 2.0 / shrink, step=step)
        noise = held.noise / held.repeat_df
        omega2 = max(0.0, total - noise * shrink)
        return DifferenceVariance(total, df, n, 2.0 / shrink, omega2, noise, held.repeat_df, step)
