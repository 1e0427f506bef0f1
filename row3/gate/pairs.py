"""What two runs say of the same cases, side by side, ready for means, intervals and power."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from typing import NamedTuple

from row3.domain.intervals import Interval
from row3.gate.intervals import EXACT, mean_interval, spread_of_mean
from row3.gate.rare import rare_loss_p
from row3.gate.silence import both_sides
from row3.gate.variance import DifferenceVariance
from row3.kinds.base import Kind


class _Metric:
    """One metric's values over the cases that both runs have it for."""

    __slots__ = ("after", "apart", "before", "labels", "noise", "repeat_df", "silent", "weight", "weight_after")

    def __init__(self) -> None:
        self.before, self.after = array("d"), array("d")
        self.labels: list[str | None] = []
        self.apart: list[int] = []
        """Places of the cases that are set apart."""
        self.silent: list[int] = []
        """Places of the cases in which the later answer is silent, where the earlier one invented."""
        self.noise = 0.0
        """Sum of squared deviations of answers from their case's mean, both sides."""
        self.repeat_df = 0.0
        self.weight = 0.0
        """Sum over the cases of 1/K before + 1/K after."""
        self.weight_after = 0.0
        """Sum over the cases of 1/K after."""

    def add_spreads(
        self, key: str, repeats: tuple[int, int], spreads: tuple[Mapping[str, float], Mapping[str, float]]
    ) -> None:
        """Take in how much the answers to one case differ, on the sides that asked more than once."""
        for count, spread in zip(repeats, spreads, strict=True):
            if count > 1 and key in spread:
                self.noise += (count - 1) * spread[key] ** 2
                self.repeat_df += count - 1

    def others(self, apart: _Metric) -> _Metric:
        """Without those set apart, of which `apart` are the same values."""
        rest, gone = _Metric(), frozenset(self.apart)
        silent = frozenset(self.silent)
        for place, (before, after, label) in enumerate(zip(self.before, self.after, self.labels, strict=True)):
            if place not in gone:
                if place in silent:
                    rest.silent.append(len(rest.after))
                rest.before.append(before)
                rest.after.append(after)
                rest.labels.append(label)
        rest.noise, rest.repeat_df = max(0.0, self.noise - apart.noise), self.repeat_df - apart.repeat_df
        rest.weight, rest.weight_after = self.weight - apart.weight, self.weight_after - apart.weight_after
        return rest

    def moved(self, relative: float) -> list[float]:
        """after - (1 - relative) before, a case."""
        kept = 1.0 - relative
        return [new - kept * old for old, new in zip(self.before, self.after, strict=True)]


class RareLoss(NamedTuple):
    """What the answers say of losses that are rare and large."""

    p_value: float
    """One-sided; small rules them out."""
    answers: int
    """On the later side."""
    room: float
    """How far the mean lies above the limit; negative beyond it."""
    depth: float
    """How far it lies above the worst that a difference can be."""


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
        self._moved = False
        self._intervals: dict[tuple[str, float, float], Interval | None] = {}
        """Those asked for: the table and the policy want the same one."""
        self.apart: Pairs | None = None
        """The cases that were set apart, beside being among the others."""

    def add(
        self,
        before: Mapping[str, float],
        after: Mapping[str, float],
        *,
        source: str | None = None,
        repeats: tuple[int, int] = (1, 1),
        spreads: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {}),
        apart: bool = False,
    ) -> None:
        """Take in one case, with the metrics that apply to it on both sides; for a silent one see `silence`."""
        own = after
        if self._kind is not None:
            before, after = both_sides(self._kind, before, after)
        if apart:
            self.apart = self.apart or Pairs(self._kind)
            self.apart.add(before, after, source=source, repeats=repeats, spreads=spreads)
        self._clustered = self._clustered or source is not None
        self._intervals.clear()
        weight, weight_after = 1.0 / repeats[0] + 1.0 / repeats[1], 1.0 / repeats[1]
        metrics, repeated = self._metrics, repeats != (1, 1)
        for key, value in after.items():
            old = before.get(key)
            if old is None:
                continue
            held = metrics.get(key)
            if held is None:
                held = metrics[key] = _Metric()
            if apart:
                held.apart.append(len(held.after))
            if after is not own and key not in own:
                held.silent.append(len(held.after))
            held.before.append(old)
            held.after.append(value)
            held.labels.append(source)
            held.weight += weight
            held.weight_after += weight_after
            if value != old and abs(value - old) > EXACT:
                self._moved = True
            if repeated:
                held.add_spreads(key, repeats, spreads)

    def others(self) -> Pairs:
        """Without the cases that were set apart."""
        rest = Pairs(self._kind)
        rest._clustered = self._clustered
        for key, held in self._metrics.items():
            apart = None if self.apart is None else self.apart._metrics.get(key)
            kept = held if apart is None else held.others(apart)
            if kept.after:
                rest._metrics[key] = kept
                both = zip(kept.before, kept.after, strict=True)
                rest._moved = rest._moved or any(abs(after - before) > EXACT for before, after in both)
        return rest

    def means(self) -> tuple[dict[str, float], dict[str, float]]:
        """Means of both sides over the same cases, exactly summed."""
        items = self._metrics.items()
        return (
            {key: math.fsum(held.before) / len(held.before) for key, held in items},
            {key: math.fsum(held.after) / len(held.after) for key, held in items},
        )

    def figures(self) -> dict[str, float]:
        """Means of the later side over the cases that it has a value for by itself, as its scorecard has them."""
        means = {}
        for key, held in self._metrics.items():
            silent = frozenset(held.silent)
            own = [value for place, value in enumerate(held.after) if place not in silent] if silent else held.after
            if len(own):
                means[key] = math.fsum(own) / len(own)
        return means

    def counts(self) -> dict[str, int]:
        """How many cases stand behind each metric."""
        return {key: len(held.after) for key, held in self._metrics.items()}

    @property
    def still(self) -> bool:
        """No metric of any case moved: the answers are the same, as those of a replay are."""
        return not self._moved

    def interval(self, key: str, *, relative: float = 0.0, level: float = 0.95) -> Interval | None:
        """The paired interval of after - (1 - relative) before; None with fewer than two independent cases.

        `relative` 0 is the plain difference. A share r > 0 asks whether a metric fell by more than r of its baseline,
        with the baseline's own noise in the answer.
        """
        held = self._metrics.get(key)
        if held is None:
            return None
        asked = (key, relative, level)
        if asked not in self._intervals:
            labels = held.labels if self._clustered else None
            self._intervals[asked] = mean_interval(held.moved(relative), clusters=labels, level=level)
        return self._intervals[asked]

    def rare_loss(
        self, key: str, limit: float, *, relative: float = 0.0, higher_is_better: bool = True
    ) -> RareLoss | None:
        """Whether a mean loss of `limit` is ruled out for rare losses too (`rare`); None without a case.

        `relative` as in `interval`, and then `limit` is 0. A value cannot fall below 0 where higher is better, nor rise
        above 1 where lower is.
        """
        held = self._metrics.get(key)
        if held is None:
            return None
        moved, kept = held.moved(relative), 1.0 - relative
        if higher_is_better:
            worst = kept * max(held.before)
        else:
            moved, worst = [0.0 - value for value in moved], 1.0 - kept * min(held.before)
        answers = len(moved) / held.weight_after
        labels = held.labels if self._clustered else None
        p_value = rare_loss_p(moved, limit, worst, answers=answers, clusters=labels)
        mean = math.fsum(moved) / len(moved)
        return RareLoss(p_value, round(len(moved) * answers), mean + limit, mean + worst)

    def variance(self, key: str, *, relative: float = 0.0) -> DifferenceVariance | None:
        """The variance of a case's difference, split into cases and repeats where cases were asked more than once.

        `relative` as in `interval`; the noise of the baseline's answers is then taken for whole.
        """
        held = self._metrics.get(key)
        if held is None:
            return None
        n = len(held.after)
        moved = held.moved(relative)
        centre = math.fsum(moved) / n
        away, labels = [value - centre for value in moved], held.labels if self._clustered else None
        spread = spread_of_mean(away, labels)
        if spread is None:
            return None
        total, shrink = n * spread[0] ** 2, held.weight / n
        if not held.repeat_df:
            return DifferenceVariance(total, spread[1], n, 2.0 / shrink)
        noise = held.noise / held.repeat_df
        omega2 = max(0.0, total - noise * shrink)
        return DifferenceVariance(total, spread[1], n, 2.0 / shrink, omega2, noise, held.repeat_df)
