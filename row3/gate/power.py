"""How small a drop the gate finds with this many cases, and what more cases or repeats would find.

**Found** means what the policy does about it, see `Finding`. A drop of the limit is found half the time at best.

**The variance** of one case's difference has two parts: omega^2, how differently the change acts on different cases,
and sigma^2, how much one answer varies when asked again. With K answers a case on each side a mean over n cases has
SE^2 = (omega^2 + 2 sigma^2 / K) / n. A drop of mean D hits the cases unevenly, with a standard deviation of `UNEVEN` D,
which adds its square. Source: Miller 2024, arXiv 2411.00640, power analysis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from row3.domain.metrics import SLACK, Metric
from row3.gate.distributions import normal_quantile, t_quantile
from row3.gate.exact import fewest_units
from row3.gate.pairs import DifferenceVariance, Pairs
from row3.gate.policy import ALPHA, ALPHA_FALL, GatePolicy

POWER = 0.8
"""How often a drop of the promised size is found."""
UNEVEN = 0.8
"""Standard deviation of a drop over the cases, as a share of its mean: most lose little, some much."""
MOST_CASES, MOST_REPEATS = 1_000_000, 1000
WORTH = 0.75
"""Repeats are the better buy where they bring this share of what cases bring: a case has to be written and labelled."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What makes the gate find a drop of one metric; fractions.

    `fixed`, and the primary metric under `evidence`: the mean falls by more than the limit. Another gated metric under
    `evidence`: that, and the drop is more than noise. `paired`: the interval lies wholly beyond the limit.
    """

    limit: float
    """The mean has to fall by more than this."""
    alpha: float | None = None
    """One-sided level of the test that also has to reject; None where the mean alone decides."""
    beyond: float = 0.0
    """The drop that is rejected."""

    @classmethod
    def of(cls, policy: GatePolicy, key: str, *, primary: str, baseline: float) -> Finding:
        """Return what the policy asks of a metric; `baseline` is its mean, of which a relative limit is a share."""
        limit = policy.limit(key) / 100.0
        if policy.unit == "relative" and abs(baseline) > SLACK:
            limit *= abs(baseline)
        others = max(1, sum(gated != primary for gated in policy.metrics))
        if policy.policy == "paired":
            return cls(limit, ALPHA if key == primary else ALPHA / others, limit)
        tested = policy.policy == "evidence" and key != primary and key in policy.metrics
        return cls(limit, ALPHA_FALL / others if tested else None)


@dataclass(frozen=True, slots=True)
class Needed:
    """How many cases or repeats; without a number, why there is none."""

    count: int | None
    why: Literal["", "unknown", "never"] = ""
    """`unknown`: no spread was seen, or repeats were not told apart from cases. `never`: no number up to `MOST_CASES`
    or `MOST_REPEATS` is enough."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """What the same number of additional requests buys: the smallest drop that is found, a fraction."""

    more_cases: float
    more_repeats: float
    better: Literal["cases", "repeats"]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The smallest drop of a metric that is found with 80 % power, and what it takes to find the wanted one."""

    metric: str
    variance: DifferenceVariance
    finding: Finding
    sees: float | None
    """A fraction; None where it is unknown, or no drop is sure to be found."""
    wanted: float
    needs_cases: Needed
    needs_repeats: Needed
    blocks: bool
    """A drop that is found blocks; else a person should look."""
    buy: Purchase | None = None
    """What twice the requests would bring; None where cases and repeats were never told apart."""


@dataclass(frozen=True, slots=True)
class PowerReport:
    """What `row3 power` found, metric by metric, the composite first."""

    suite: str
    settings: tuple[str, str]
    """Prompts and model of the baseline, and of the candidate."""
    repeats: tuple[int, int]
    policy: GatePolicy
    plans: tuple[tuple[Metric, Sensitivity | None], ...]
    """None where fewer than two independent cases have the metric."""
    flag: str = ""
    """Options that select the suite on the command line."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """By metric that applies to no case, why."""


def sensitivity(
    pairs: Pairs, key: str, policy: GatePolicy, *, primary: str = "overall", detect: float | None = None
) -> Sensitivity | None:
    """Return what the cases of a comparison can tell of one metric; None with fewer than two independent units.

    `detect` is the drop to be found, a fraction; twice the limit unless given.
    """
    variance = pairs.variance(key)
    if variance is None:
        return None
    finding = Finding.of(policy, key, primary=primary, baseline=pairs.means()[0][key])
    wanted = 2.0 * finding.limit if detect is None else detect
    return Sensitivity(
        key,
        variance,
        finding,
        smallest_drop(variance, finding),
        wanted,
        cases_needed(variance, finding, wanted),
        repeats_needed(variance, finding, wanted),
        key in policy.metrics,
        better_buy(variance, finding),
    )


def smallest_drop(
    variance: DifferenceVariance, finding: Finding, *, cases: int | None = None, repeats: float | None = None
) -> float | None:
    """Return the smallest true drop that a comparison of that size finds in `POWER` of all cases; a fraction.

    D with D - m = k sqrt((V + (UNEVEN D)^2) / n), for the limit and for the test. Where some cases do not move at all,
    it is no less than what the smallest move makes in as many units as the test takes to reject.

    None where it is unknown: no spread was seen, or other repeats than observed were asked for and the parts of the
    variance are not known. None too where no drop is sure to be found.
    """
    cases = variance.cases if cases is None else cases
    known = variance.at(variance.repeats if repeats is None else repeats)
    # As many cases come to a unit where cases are added.
    units = (variance.df + 1.0) * cases / variance.cases
    if known is None or known[0] <= 0.0 or units <= 1.0:
        return None
    found = [_drop(finding.limit, detection_factor(units - 1.0, known[1], None), known[0] / cases, cases)]
    if finding.alpha is not None:
        fewest = fewest_units(finding.alpha)
        if units < fewest:
            return None
        factor = detection_factor(units - 1.0, known[1], finding.alpha)
        found += [_drop(finding.beyond, factor, known[0] / cases, cases), fewest * variance.step / units]
    sizes = [drop for drop in found if drop is not None]
    return max(sizes) if len(sizes) == len(found) else None


def detection_factor(df: float, known_df: float, alpha: float | None) -> float:
    """Return how many estimated standard errors a drop has to be beyond a null to be found in `POWER` of all cases.

    A drop of k SE is found if Z + k S1 > t S2, where S1 (of the earlier comparison, with `known_df`) and S2 (of the
    planned one, with `df`) are chi / sqrt(df). Taking k S1 - t S2 as normal, with its exact mean and variance, gives k
    within 2 % from 5 cases on. `alpha` is the one-sided level of the t test, None where the estimate only has to be on
    the right side. Infinity where the earlier comparison knows too little.
    """
    z = normal_quantile(POWER)
    mean, spread = _deviation(known_df)
    critical, noise = 0.0, 0.0
    if alpha is not None:
        critical = t_quantile(1.0 - alpha, df)
        away, noise = _deviation(df)
        noise *= critical * critical
        critical *= away
    # k mean - critical = z sqrt(1 + k^2 spread + noise), the larger root.
    square = mean * mean - z * z * spread
    if square <= 0.0:
        return math.inf
    rest = critical * critical - z * z * (1.0 + noise)
    return (mean * critical + math.sqrt(max(0.0, (mean * critical) ** 2 - square * rest))) / square


def cases_needed(variance: DifferenceVariance, finding: Finding, drop: float) -> Needed:
    """Return how many cases find a drop, asked as often as observed."""
    if variance.at(variance.repeats) is None or variance.total <= 0.0:
        return Needed(None, "unknown")
    return _fewest(lambda cases: smallest_drop(variance, finding, cases=cases), drop, 2, MOST_CASES)


def repeats_needed(variance: DifferenceVariance, finding: Finding, drop: float) -> Needed:
    """Return how many answers a case and side find a drop, with as many cases as observed."""
    if variance.repeat_variance is None or variance.total == variance.repeat_variance == 0.0:
        return Needed(None, "unknown")
    return _fewest(lambda repeats: smallest_drop(variance, finding, repeats=repeats), drop, 1, MOST_REPEATS)


def better_buy(variance: DifferenceVariance, finding: Finding) -> Purchase | None:
    """Return whether twice the requests are better spent on cases or on repeats; None where that is unknown."""
    now = smallest_drop(variance, finding)
    by_cases = smallest_drop(variance, finding, cases=2 * variance.cases)
    by_repeats = smallest_drop(variance, finding, repeats=2.0 * variance.repeats)
    if now is None or by_cases is None or by_repeats is None:
        return None
    return Purchase(by_cases, by_repeats, "repeats" if now - by_repeats >= WORTH * (now - by_cases) else "cases")


def _drop(null: float, factor: float, square: float, cases: int) -> float | None:
    """Return the D above null with (D - null)^2 = factor^2 (square + (UNEVEN D)^2 / cases); None where none is."""
    share = factor * factor * UNEVEN * UNEVEN / cases
    if not share < 1.0:
        return None
    rest = null * null - factor * factor * square
    return (null + math.sqrt(max(0.0, null * null - (1.0 - share) * rest))) / (1.0 - share)


def _deviation(df: float) -> tuple[float, float]:
    """Return mean and variance of chi_df / sqrt(df)."""
    if df > 1e6:
        return 1.0, 0.0
    mean = math.sqrt(2.0 / df) * math.exp(math.lgamma(0.5 * (df + 1.0)) - math.lgamma(0.5 * df))
    return mean, max(0.0, 1.0 - mean * mean)


def _fewest(found: Callable[[int], float | None], drop: float, least: int, most: int) -> Needed:
    """Return the smallest number with which a drop is found: by doubling, then by halving."""

    def enough(number: int) -> bool:
        size = found(number)
        return size is not None and size <= drop

    low, high = least - 1, least
    while not enough(high):
        if high == most:
            return Needed(None, "never")
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Needed(high)
