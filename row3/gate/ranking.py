"""Many settings on the same cases: which of them are shown to be better, and which of them nothing beats.

Every pair is compared by the paired difference of their scores, case by case, clustered by source, as the gate
compares two runs. P-values are adjusted by Holm over all pairs. A setting's rank is 1 + the number of settings that are
shown to be better than it: since "not shown to differ" does not carry over from A and B, B and C to A and C, it never
says more than the pairs do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from row3.domain.changes import Interval
from row3.gate.exact import EXACT, holm
from row3.gate.intervals import Clusters, mean_interval

ALPHA = 0.05
"""Two-sided: what a 95 % interval goes with."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Two settings on the same cases."""

    delta: float
    """Mean of the second minus mean of the first, a fraction."""
    interval: Interval | None
    """Paired interval of `delta` at 95 %, widened as `p_adjusted` is; None with fewer than two independent units."""
    p_adjusted: float
    """Two-sided, adjusted by Holm over all pairs; 1 where it is not known."""

    @property
    def shown(self) -> bool:
        """The two differ beyond noise."""
        return self.p_adjusted <= ALPHA


@dataclass(frozen=True, slots=True)
class Ranking:
    """All settings, compared with each other."""

    intervals: list[Interval | None]
    """Of each setting's mean, 95 %."""
    means: list[float]
    ranks: list[int]
    order: list[int]
    """Places of the settings, best first: by rank, then by mean, then as they were given."""
    contests: dict[tuple[int, int], Contest]
    """By the places of the two in the order they were given in, the smaller one first."""

    def between(self, first: int, second: int) -> Contest:
        """How two settings compare, in this direction."""
        found = self.contests[min(first, second), max(first, second)]
        if first < second:
            return found
        interval = None if found.interval is None else found.interval.negated()
        return Contest(0.0 - found.delta, interval, found.p_adjusted)

    def pairs(self) -> dict[tuple[int, int], Contest]:
        """All pairs by their places in `order`, the better one first."""
        ranked = itertools.combinations(enumerate(self.order), 2)
        return {(i, j): self.between(first, second) for (i, first), (j, second) in ranked}


def rank_all(
    values: Sequence[Sequence[float]], *, clusters: Clusters | None = None, higher_is_better: bool = True
) -> Ranking:
    """Compare every setting with every other.

    Args:
        values: for each setting one fraction a case, the same cases in the same order.
        clusters: a label a case, as `mean_interval` takes them.
        higher_is_better: of the metric.
    Raises ValueError where the settings have different numbers of cases.
    """
    means = [math.fsum(each) / len(each) if each else 0.0 for each in values]
    places = list(itertools.combinations(range(len(values)), 2))
    moves = {(i, j): [b - a for a, b in zip(values[i], values[j], strict=True)] for i, j in places}
    plain = {pair: mean_interval(moved, clusters=clusters) for pair, moved in moves.items()}
    adjusted = holm({pair: 1.0 if known is None else known.p_value for pair, known in plain.items()}, ALPHA)
    contests = {}
    for i, j in places:
        p, tests = adjusted[i, j]
        interval = mean_interval(moves[i, j], clusters=clusters, level=1.0 - ALPHA / tests)
        contests[i, j] = Contest(means[j] - means[i], interval, p)
    beaten_by = [0] * len(values)
    for (i, j), contest in contests.items():
        if contest.shown:
            second_is_better = (contest.delta > 0) is higher_is_better
            beaten_by[i if second_is_better else j] += 1
    ranks = [1 + count for count in beaten_by]
    sign = -1.0 if higher_is_better else 1.0
    order = sorted(range(len(values)), key=lambda place: (ranks[place], sign * means[place], place))
    intervals = [mean_interval(each, clusters=clusters) for each in values]
    return Ranking(intervals, means, ranks, order, contests)


def pareto(points: Sequence[Sequence[float | None]]) -> list[bool | None]:
    """Whether no other point is at least as good in every figure and better in one; None where a figure is unknown.

    An unknown figure is neither good nor bad: its point has no standing and beats no other.

    Args:
        points: the figures of each, oriented so that more is better; None where unknown. A figure that is known of none
            is left out.
    """
    places = [place for place in range(len(points[0]) if points else 0) if any(p[place] is not None for p in points)]
    figures = [[value for place in places if (value := point[place]) is not None] for point in points]
    known = [each for each in figures if len(each) == len(places)]
    return [None if len(mine) < len(places) else not any(_beats(each, mine) for each in known) for mine in figures]


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    ahead = [a - b for a, b in zip(one, other, strict=True)]
    return min(ahead, default=0.0) >= -EXACT and max(ahead, default=0.0) > EXACT
