"""Confidence intervals and tests of a mean over cases and of a paired difference.

A case asked K times counts once, with the mean of its K answers. Cases that share a source form one cluster, and
clusters are the independent units.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
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


def mean_interval(values: Sequence[float], *, clusters: Clusters | None = None, level: float = 0.95) -> Interval | None:
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
    spread = spread_of_mean([value - estimate for value in values], clusters)
    if spread is None:
        return None
    error, df, units = spread
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
        values: Sequence[float],
        clusters: Clusters | None = None,
        *,
        lowest: float = -math.inf,
        highest: float = math.inf,
    ) -> None:
        """Take differences; `lowest` and `highest` are the smallest and largest possible one."""
        self.mean = mean_interval(values, clusters=clusters)
        """The t interval of the mean at 95 %; None with fewer than two independent units."""
        self._values, self._clusters = values, clusters
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
        found = mean_interval(self._values, clusters=self._clusters, level=level)
        unseen = unseen and self._lowest > -math.inf
        if found is None or (self.moved == 0 and not unseen):
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
        exact = sign_flip_p([sign * value for value in self._sums]) if self.moved <= COUNTED else 0.0
        if self.moved < FEW:
            return max(exact, self._bounded_p(-sign, depth, 0.0))
        if self.mean.degenerate:
            return exact if sign * self.mean.estimate < 0.0 else 1.0
        return max(exact, t_cdf(sign * self.mean.estimate / self.mean.standard_error, self.mean.df))

    def _bounded_p(self, sign: float, depth: float, null: float) -> float:
        """Return the p-value of "`sign` times the mean difference is at most `sign * null`".

        `depth` is how far below 0 `sign` times a difference can lie.
        """
        above = [sign * (value - null * size) for value, size in zip(self._sums, self._sizes, strict=True)]
        return bounded_p(above, (-depth - sign * null) * len(self._values) / self.units)

    def _bound(self, sign: float, depth: float, alpha: float) -> float:
        """Return the lower bound of `sign` times the mean difference."""
        low, high = -depth, sign * math.fsum(self._sums) / len(self._values)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._bounded_p(sign, depth, sign * middle) <= alpha else (low, middle)
        return low


def spread_of_mean(deviations: Sequence[float], clusters: Clusters | None = None) -> tuple[float, float, int] | None:
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
    shares = [size / n for size in sizes]
    weighted = math.fsum([total * total / (1.0 - share) for total, share in zip(sums, shares, strict=True)])
    error = math.sqrt(weighted) / n
    if len(set(sizes)) == 1:
        df = units - 1.0
    else:
        weights = [share * share / (1.0 - share) for share in shares]
        cross = math.fsum(weights) ** 2 - math.fsum(weight * weight for weight in weights)
        df = 1.0 / (math.fsum(share * share for share in shares) + cross)
    return (0.0 if max(map(abs, sums)) <= EXACT else error), df, units


def unit_sums(values: Sequence[float], clusters: Clusters | None = None) -> tuple[list[float], list[int]]:
    """Return each independent unit's sum and its number of cases. Raises ValueError for a wrong length."""
    if clusters is None:
        return list(values), [1] * len(values)
    groups: defaultdict[object, list[float]] = defaultdict(list)
    for place, (label, value) in enumerate(zip(clusters, values, strict=True)):
        # Labels are wrapped too, so no label equals the key of a case of its own.
        groups[("alone", place) if label is None else ("cluster", label)].append(value)
    return [math.fsum(group) for group in groups.values()], [len(group) for group in groups.values()]
