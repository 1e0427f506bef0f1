"""Many metrics at once: adjusted p-values, and what may be said of a whole family of metrics.

A change delta is oriented so that up is better (`Interval.negated` where lower is better); a limit is how much
worse a metric may become, a fraction >= 0. Two questions are asked of every metric, each with its own null:

- block: H0 "delta >= -limit". Rejecting it shows a loss beyond the limit. One metric is enough to
  block, so there are as many chances of a false block as metrics: p-values are adjusted by Holm, and the
  probability of any false block stays at most alpha, however the metrics depend on each other.
- pass: H0 "delta <= -limit". Rejecting it shows that the loss, if any, is within the limit. To pass, all
  must be shown. If the true change is beyond the limit in even one metric, the family passes at most as often as
  that metric's own test errs, which is alpha: an intersection-union test needs no adjustment
  (Berger 1982, Technometrics 24, 295-300). It is conservative, and loses power with every metric.

What is neither shown is inconclusive. Holm's first step is Bonferroni's, so for the verdict itself the two agree;
Holm names more of the metrics that are to blame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from row3.domain.intervals import Interval
from row3.gate.distributions import t_cdf, t_quantile
from row3.gate.zones import SLACK

Family = Mapping[str, Interval | None]
"""The interval of each metric's change, oriented; None where it is unknown."""


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values: reject where at most alpha, and the family-wise error is at most alpha.

    The i-th smallest of m becomes the maximum over j <= i of min(1, (m - j + 1) p_(j)). Valid under any dependence.
    Raises nothing. Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    adjusted: dict[str, float] = {}
    worst = 0.0
    for place, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        worst = max(worst, min(1.0, (len(p_values) - place) * p_values[key]))
        adjusted[key] = worst
    return {key: adjusted[key] for key in p_values}


def benjamini_hochberg(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values for dashboards: of what is at most alpha, a share of at most alpha is false on average.

    The i-th smallest of m becomes the minimum over j >= i of min(1, m p_(j) / j). Valid for independent or
    positively dependent metrics. No guard of a gate. Raises nothing.
    Source: Benjamini and Hochberg 1995, JRSS B 57, 289-300; Benjamini and Yekutieli 2001.
    """
    adjusted: dict[str, float] = {}
    best = 1.0
    total = len(p_values)
    for place, key in enumerate(sorted(p_values, key=lambda key: -p_values[key])):
        best = min(best, total * p_values[key] / (total - place))
        adjusted[key] = best
    return {key: adjusted[key] for key in p_values}


def block_p(interval: Interval | None, limit: float) -> float:
    """One-sided p-value of H0 "delta >= -limit"; small shows a loss beyond the limit. 1 where unknown.

    F_t((estimate + limit) / SE). Without any spread it is 1 unless the estimate is beyond the limit (by more than
    `SLACK`), and then 4^-units: two answers of one and the same distribution differ by a given amount at most one time
    in four (yes and no, as likely either way), so chance makes two cases fall alike up to one time in 16.
    Raises nothing.
    """
    if interval is None:
        return 1.0
    room = interval.estimate + limit
    if interval.degenerate:
        return 0.25**interval.units if room < -SLACK else 1.0
    return t_cdf(room / interval.standard_error, interval.df)


def pass_p(interval: Interval | None, limit: float) -> float:
    """One-sided p-value of H0 "delta <= -limit"; small shows that the loss is within the limit. 1 where unknown.

    With any spread it is 1 - block_p. Without, exactly at the limit shows neither. Raises nothing.
    """
    if interval is None:
        return 1.0
    room = interval.estimate + limit
    if interval.degenerate:
        return 0.0 if room > SLACK else 1.0
    return t_cdf(-room / interval.standard_error, interval.df)


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """What is shown of a family of metrics at `alpha`; p-values by metric."""

    alpha: float
    block_p: Mapping[str, float]
    """Adjusted by Holm."""
    pass_p: Mapping[str, float]
    """Not adjusted; all must be at most alpha."""
    blocked: tuple[str, ...]
    """Metrics shown to be worse by more than their limit."""
    unclear: tuple[str, ...]
    """Metrics shown to be neither beyond nor within their limit."""

    @property
    def passes(self) -> bool:
        """All metrics are shown to be within their limits; True of no metrics at all."""
        return not self.blocked and not self.unclear


def judge_family(
    family: Family, limits: Mapping[str, float], *, alpha: float = 0.05, primary: str | None = None
) -> FamilyVerdict:
    """Block and pass over all metrics of `family`; see the module for why one is adjusted and one is not.

    A `primary` metric is tested on its own at `alpha`, so that what its interval shows is what is said of it; the
    others share another `alpha` by Holm. A false block then has at most twice `alpha`: 5 % at a one-sided 2.5 %.
    An unknown interval shows nothing and still counts as one of the metrics.
    Raises KeyError for a metric without a limit.
    """
    single = {key: block_p(interval, limits[key]) for key, interval in family.items()}
    blocks = holm({key: p for key, p in single.items() if key != primary})
    if primary in single:
        blocks = {key: single[key] if key == primary else blocks[key] for key in single}
    passing = {key: pass_p(interval, limits[key]) for key, interval in family.items()}
    blocked = tuple([key for key, p in blocks.items() if p <= alpha])
    unclear = tuple([key for key, p in passing.items() if p > alpha and key not in blocked])
    return FamilyVerdict(alpha, blocks, passing, blocked, unclear)


def simultaneous_upper_limits(
    family: Mapping[str, Interval], limits: Mapping[str, float], *, alpha: float = 0.05
) -> dict[str, float]:
    """Upper limits of every delta that all hold at once with probability 1 - alpha, and agree with Holm's blocks.

    With r of m metrics blocked: a metric that is not blocked has estimate + t_{1 - alpha/(m-r)} SE; a blocked one
    has -limit, unless all are blocked, then min(-limit, estimate + t_{1 - alpha/m} SE). That a blocked metric's
    limit sticks to -limit is the price of Holm's power: it shows that, not how far beyond.
    Raises KeyError for a metric without a limit, ValueError unless 0 < alpha < 1.
    Source: Strassburger and Bretz 2008, Statistics in Medicine 27, 4914-4927; Guilbaud 2008, Biometrical Journal
    50.
    """
    blocked = judge_family(family, limits, alpha=alpha).blocked
    share = alpha / ((len(family) - len(blocked)) or len(family) or 1)
    upper = {
        key: interval.estimate + t_quantile(1.0 - share, interval.df) * interval.standard_error
        for key, interval in family.items()
    }
    for key in blocked:
        upper[key] = min(-limits[key], upper[key]) if len(blocked) == len(family) else -limits[key]
    return upper
