"""What two runs say of the same cases, side by side, ready for means, intervals and power."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from row3.domain.metrics import Metric
from row3.gate.exact import EXACT
from row3.gate.intervals import Differences, spread_of_mean
from row3.kinds.base import Kind


def both_sides(
    kind: Kind, before: Mapping[str, float], after: Mapping[str, float]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The metrics of two answers to one case as they compare; see `side_by_side`."""
    before, after = side_by_side(kind, (before, after))
    return before, after


def side_by_side(kind: Kind, answers: Sequence[Mapping[str, float]]) -> Sequence[Mapping[str, float]]:
    """The metrics of answers to one case as they compare, or make a mean.

    Where one invents and another is silent, the silent one is flawless in what the other is judged by; else what is
    invented there, or is no more, would move nothing. Where all are silent there is nothing to compare.
    """
    if not kind.invented:
        return answers
    invent = [metrics for metrics in answers if kind.primary in metrics]
    if not 0 < len(invent) < len(answers):
        return answers
    judged_by = {key for metrics in invent for key in metrics}
    return [metrics if kind.primary in metrics else _flawless(kind, metrics, judged_by) for metrics in answers]


def _flawless(kind: Kind, silent: Mapping[str, float], judged_by: Collection[str]) -> Mapping[str, float]:
    lacks = [metric for metric in kind.metrics if metric.key in judged_by and metric.key not in silent]
    # Whatever else the others are judged by asks for something, so that it answers another case.
    if any(metric.higher_is_better and metric.key not in kind.invented for metric in lacks):
        return silent
    return {**silent, **{metric.key: float(metric.higher_is_better) for metric in lacks}}


@dataclass(slots=True)
class _Metric:
    """One metric's values over the cases that both runs have it for."""

    before: array[float] = field(default_factory=lambda: array("d"))
    after: array[float] = field(default_factory=lambda: array("d"))
    labels: list[str | None] = field(default_factory=list)
    noise: float = 0.0
    """Sum of squared deviations of answers from their case's mean, both sides."""
    repeat_df: float = 0.0
    weight: float = 0.0
    """Sum over the cases of 1/K before + 1/K after."""

    def moved(self) -> list[float]:
        """Return after - before, a case."""
        return [new - old for old, new in zip(self.before, self.after, strict=True)]


@dataclass(frozen=True, slots=True)
class DifferenceVariance:
    """Variance of a case's difference, in its two parts: what cases differ by, and the noise of answers.

    Where no case was asked twice the two parts cannot be told apart: `repeat_variance` and `case_variance` are
    None, and only `total` is known, for as many repeats as were made.
    """

    total: float
    """n SE^2 of the comparison: of one case's mean difference, both parts, clusters taken into account."""
    df: float
    """Degrees of freedom behind `total`."""
    cases: int
    repeats: float
    """Answers a case and side; the harmonic mean where they differ."""
    case_variance: float | None = None
    """omega^2, at least 0."""
    repeat_variance: float | None = None
    """sigma^2 of one answer, the mean of both sides."""
    repeat_df: float = 0.0
    """Degrees of freedom behind `repeat_variance`."""
    step: float = 0.0
    """The smallest move of a case where others did not move at all; else 0."""

    def at(self, repeats: float) -> tuple[float, float] | None:
        """The variance of a case's mean difference with that many repeats, and its degrees of freedom.

        None where the parts are not known and `repeats` is not what was observed. The degrees of freedom are
        Satterthwaite's for total + 2 sigma^2 (1/repeats - 1/observed), and never more than `total` has.
        """
        if self.case_variance is None or self.repeat_variance is None:
            return (self.total, self.df) if repeats == self.repeats else None
        variance = self.case_variance + 2.0 * self.repeat_variance / repeats
        moved = 2.0 * self.repeat_variance * (1.0 / repeats - 1.0 / self.repeats)
        doubt = self.total**2 / self.df + (moved**2 / self.repeat_df if moved else 0.0)
        return variance, max(1.0, min(self.df, variance**2 / doubt)) if doubt else self.df


class Pairs:
    """Both sides of every case that can be compared; sixteen bytes a metric and case.

    The value of a case that was asked K times is the mean over its answers; `spread` is their sample standard
    deviation. Cases with one `source` are not independent and are kept as one cluster.
    """

    def __init__(self, kind: Kind | None = None) -> None:
        """`kind` is what scored the cases; without it a metric counts where both sides have it."""
        self._kind = kind
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
        """Take in one case, with the metrics that apply to it on both sides; for a silent one see `silence`."""
        if self._kind is not None:
            before, after = both_sides(self._kind, before, after)
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
            for asked, spread in () if repeats == (1, 1) else zip(repeats, spreads, strict=True):
                if asked > 1 and key in spread:
                    held.noise += (asked - 1) * spread[key] ** 2
                    held.repeat_df += asked - 1

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

    def differences(self, metric: Metric) -> Differences:
        """Return how each case moved, oriented so that up is better; raises KeyError for a metric no case has.

        A value cannot fall below 0 where higher is better, nor rise above 1 where lower is.
        """
        held = self._metrics[metric.key]
        labels = held.labels if self._clustered else None
        lowest, highest = -max(held.before), 1.0 - min(held.before)
        if metric.higher_is_better:
            return Differences(held.moved(), labels, lowest=lowest, highest=highest)
        return Differences([0.0 - by for by in held.moved()], labels, lowest=-highest, highest=-lowest)

    def variance(self, key: str) -> DifferenceVariance | None:
        """Return the variance of a case's difference, split where cases were asked more than once."""
        held = self._metrics.get(key)
        if held is None:
            return None
        n, moved = len(held.after), held.moved()
        centre = math.fsum(moved) / n
        spread = spread_of_mean([value - centre for value in moved], held.labels if self._clustered else None)
        if spread is None:
            return None
        sizes = [abs(value) for value in moved if abs(value) > EXACT]
        step = min(sizes) if 0 < len(sizes) < n else 0.0
        total, df, shrink = n * spread[0] ** 2, spread[1], held.weight / n
        if not held.repeat_df:
            return DifferenceVariance(total, df, n, 2.0 / shrink, step=step)
        noise = held.noise / held.repeat_df
        omega2 = max(0.0, total - noise * shrink)
        return DifferenceVariance(total, df, n, 2.0 / shrink, omega2, noise, held.repeat_df, step)
