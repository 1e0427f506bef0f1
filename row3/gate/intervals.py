"""Confidence intervals and tests of a mean over cases and of a paired difference.

A case asked K times counts once, with the mean of its K answers. Cases that share a source form one cluster, and
clusters are the independent units.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from row3.domain.judgements import Interval
from row3.gate.distributions import t_cdf, t_quantile
from row3.gate.exact import EXACT, bounded_p, sign_flip_p, units_needed

FEW = 6
"""With fewer moved units, no combination of signs is significant at 5 %, two-sided."""
COUNTED = 50
"""With more moved units, t is as good as counting the signs."""
HALVINGS = 20
"""Bisection steps for the end of a bounded interval, to a millionth of its range."""

Clusters = Sequence[Hashable | None]
"""A label per case; None for a case of its own."""
Units = Counter[tuple[float, int]]
"""Number of units by the sum and the number of their cases."""


def mean_interval(
    values: Collection[float], *, clusters: Clusters | None = None, level: float = 0.95
) -> Interval | None:
    """Return the t interval of the mean of one fraction per case, mean -+ t_{df} SE with `spread_of_mean`.

    Its p-value tests a mean of 0; equal values have no spread, and p is then 2 / 2^units. None with fewer than two
    independent units; cases with the same label in `clusters` are one unit. Raises ValueError if lengths differ, a
    value is not finite, or level is not between 0 and 1.
    """
    if not values:
        return None
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    estimate = math.fsum(values) / len(values)
    spread = spread_of_mean(array("d", (value - estimate for value in values)), clusters)
    return None if spread is None else _t_interval(estimate, *spread, level)


def _t_interval(estimate: float, error: float, df: float, units: int, level: float) -> Interval:
    if error == 0.0:
        p_value = 1.0 if abs(estimate) <= EXACT else min(1.0, 2.0 * 0.5**units)
        return Interval(estimate, estimate, estimate, level, p_value, 0.0, df, units)
    reach = t_quantile(0.5 + 0.5 * level, df) * error
    p_value = 2.0 * t_cdf(-abs(estimate) / error, df)
    return Interval(estimate, estimate - reach, estimate + reach, level, p_value, error, df, units)


class Differences:
    """Paired differences of one metric, one per case, with the interval and tests of their mean.

    A t interval needs an observed spread, so the method depends on how many units moved:

    - fewer than `FEW`: the bounded mean, assuming that no unit moves further than the furthest one seen, nor further
      than the metric's range. The interval's low end does not assume it: a rare loss may go unseen;
    - more: t. Up to `COUNTED` units, the exact sign-flip test must also reject a mean of 0.

    The interval excludes 0 exactly if `fall_p` or `rise_p` rejects at level (1 - level) / 2.
    """

    def __init__(
        self,
        values: Collection[float],
        clusters: Clusters | None = None,
        *,
        lowest: float = -math.inf,
        highest: float = math.inf,
    ) -> None:
        """Take differences; `lowest` and `highest` are the smallest and largest possible one."""
        self.mean = mean_interval(values, clusters=clusters)
        """The t interval of the mean at 95 %; None with fewer than two independent units."""
        self._cases = len(values)
        self._sums, self._sizes = unit_sums(values, clusters)
        self.units = len(self._sums)
        self.moved = sum(abs(value) > EXACT for value in self._sums)
        furthest = max((abs(value) / size for value, size in zip(self._sums, self._sizes, strict=True)), default=0.0)
        self._lowest, self._depth, self._height = lowest, min(furthest, -lowest), min(furthest, highest)

    def interval(self, level: float = 0.95, *, unseen: bool = True) -> Interval | None:
        """Return the two-sided interval of the mean difference; None with fewer than two independent units.

        `unseen`: if too few units moved to show a rise, a unit may lose all that the metric allows, as in
        `rare_loss_p`, without which the interval misses rare and large losses.
        """
        if self.mean is None:
            return None
        found = _t_interval(self.mean.estimate, self.mean.standard_error, self.mean.df, self.mean.units, level)
        unseen = unseen and self._lowest > -math.inf
        if self.moved == 0 and not unseen:
            return found
        alpha = 0.5 - 0.5 * level
        low, high = found.low, found.high
        if self.moved < FEW:
            depth = -self._lowest if unseen and self.rise_p() > alpha else self._depth
            low = self._bound(1.0, depth, alpha) if depth > EXACT else low
            high = -self._bound(-1.0, self._height, alpha) if self.moved else high
        p_value = min(1.0, 2.0 * min(self.fall_p(), self.rise_p()))
        if p_value > 2.0 * alpha:
            low, high = min(low, 0.0), max(high, 0.0)
        return replace(found, low=low, high=high, p_value=p_value)

    def fall_p(self) -> float:
        """Return the one-sided p-value of "the mean difference is at least 0"; 1 if unknown."""
        return self._sided_p(1.0, self._height)

    def rise_p(self) -> float:
        """Return the one-sided p-value of "the mean difference is at most 0"; 1 if unknown."""
        return self._sided_p(-1.0, self._depth)

    def loss_p(self, limit: float) -> float:
        """Return the one-sided p-value of "the mean fell by at most `limit`", never below `fall_p`; 1 if unknown."""
        if self.mean is None or self.moved == 0:
            return 1.0
        if self.moved < FEW:
            beyond = self._bounded_p(-1.0, self._height, -limit)
        elif self.mean.degenerate:
            beyond = 0.0 if self.mean.estimate + limit < -EXACT else 1.0
        else:
            beyond = t_cdf((self.mean.estimate + limit) / self.mean.standard_error, self.mean.df)
        return max(beyond, self.fall_p())

    def rare_loss_p(self, limit: float) -> float:
        """Return the one-sided p-value of "the mean loss is at least `limit`", valid for rare large losses too."""
        return self._bounded_p(1.0, -self._lowest, -limit)

    def rare_gain_p(self, limit: float) -> float:
        """Return the p-value of "the mean fell by at most `limit`", valid for rare gains from 0 to 1 too."""
        return self._bounded_p(-1.0, 1.0, -limit)

    def units_needed(self, limit: float, alpha: float) -> int:
        """Return how many units like these rule out a rare large loss of `limit`; 0 if no number does."""
        if self.mean is None:
            return 0
        return units_needed(self.mean.estimate + limit, self.mean.estimate - self._lowest, alpha)

    def _sided_p(self, sign: float, depth: float) -> float:
        """Return the p-value of "`sign` times the mean difference is at least 0"."""
        if self.mean is None or self.moved == 0:
            return 1.0
        exact = sign_flip_p(sign * value for value in self._sums) if self.moved <= COUNTED else 0.0
        if self.moved < FEW:
            return max(exact, self._bounded_p(-sign, depth, 0.0))
        if self.mean.degenerate:
            return exact if sign * self.mean.estimate < 0.0 else 1.0
        return max(exact, t_cdf(sign * self.mean.estimate / self.mean.standard_error, self.mean.df))

    def _bounded_p(self, sign: float, depth: float, null: float, units: Units | None = None) -> float:
        """Return the p-value of "`sign` times the mean difference is at most `sign * null`".

        `depth` is how far below 0 `sign` times a difference can lie; `units` counts the units if that is done.
        """
        above = Counter[float]()
        for (value, size), number in (units or self._counted()).items():
            above[sign * (value - null * size)] += number
        return bounded_p(above, (-depth - sign * null) * self._cases / self.units)

    def _counted(self) -> Units:
        """Return how many units have each sum and size: most of many are alike."""
        return Counter(zip(self._sums, self._sizes, strict=True))

    def _bound(self, sign: float, depth: float, alpha: float) -> float:
        """Return the lower bound of `sign` times the mean difference."""
        low, high, units = -depth, sign * math.fsum(self._sums) / self._cases, self._counted()
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._bounded_p(sign, depth, sign * middle, units) <= alpha else (low, middle)
        return low


def spread_of_mean(deviations: Collection[float], clusters: Clusters | None = None) -> tuple[float, float, int] | None:
    """Return the standard error of the mean, its degrees of freedom, and the number of independent units.

    With R_c the sum of deviations in cluster c, m_c its cases and p_c = m_c / n:

        SE^2 = n^-2 sum_c R_c^2 / (1 - p_c)
        df   = 1 / (sum_c p_c^2 + (sum_c w_c)^2 - sum_c w_c^2),   w_c = p_c^2 / (1 - p_c)

    Clusters of one size give SE^2 = C/(C-1) n^-2 sum R_c^2 with C - 1 degrees of freedom, single cases s^2 / n with
    n - 1. With one cluster of 10 cases and five of 1, those formulas give 11 to 28 % false alarms at 5 %, these 2 to 4.

    None with fewer than two clusters. Raises ValueError for a value that is not finite or a wrong length.
    Source: Bell and McCaffrey 2002, Survey Methodology 28, 169-181 (CR2 and its Satterthwaite degrees of
    freedom), written out for a mean; Miller 2024, arXiv 2411.00640, for clustered cases.
    """
    n = len(deviations)
    if not all(map(math.isfinite, deviations)):
        raise ValueError("a value is not finite")
    sums, sizes = unit_sums(deviations, clusters)
    units = len(sums)
    if units < 2:
        return None
    weighted = math.fsum(total * total / (1.0 - size / n) for total, size in zip(sums, sizes, strict=True))
    error = math.sqrt(weighted) / n
    if len(set(sizes)) == 1:
        df = units - 1.0
    else:
        shares = [size / n for size in sizes]
        weights = [share * share / (1.0 - share) for share in shares]
        cross = math.fsum(weights) ** 2 - math.fsum(weight * weight for weight in weights)
        df = 1.0 / (math.fsum(share * share for share in shares) + cross)
    return (0.0 if max(map(abs, sums)) <= EXACT else error), df, units


def unit_sums(values: Collection[float], clusters: Clusters | None = None) -> tuple[Collection[float], Sequence[int]]:
    """Return each independent unit's sum and its number of cases. Raises ValueError for a wrong length."""
    if clusters is None:
        return values, b"\1" * len(values)  # a byte a case, as there may be a million
    groups: defaultdict[Hashable, list[float]] = defaultdict(list)
    alone = [value for label, value in zip(clusters, values, strict=True) if label is None]
    for label, value in zip(clusters, values, strict=True):
        if label is not None:
            groups[label].append(value)
    sums = alone + [math.fsum(group) for group in groups.values()]
    return sums, [1] * len(alone) + [len(group) for group in groups.values()]
