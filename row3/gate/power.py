"""The smallest drop the gate detects with the given cases, and with more cases or repeats.

**Detected** means that the policy reacts, see `Finding`. A drop of exactly the limit is detected half the time at best.

**The variance** of one case's difference has two parts: omega^2, how differently the change affects different cases,
and sigma^2, how much an answer varies when asked again. With K answers per case and side, a mean over n cases has
SE^2 = (omega^2 + 2 sigma^2 / K) / n. A drop of mean D affects cases unevenly, with a standard deviation of `UNEVEN` D,
whose square is added. Source: Miller 2024, arXiv 2411.00640, power analysis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from row3.domain.requests import MOST_REPEATS
from row3.domain.scores import Metric
from row3.gate.distributions import normal_quantile, t_quantile
from row3.gate.exact import fewest_units
from row3.gate.pairs import DifferenceVariance, Pairs
from row3.gate.policy import ALPHA, ALPHA_FALL, GatePolicy

POWER = 0.8
"""Probability of detecting a drop of the stated size."""
UNEVEN = 0.8
"""Standard deviation of a drop over the cases, as a share of its mean: most cases lose little, some lose much."""
FEWEST_CASES, MOST_CASES = 5, 10_000
"""Fewest cases that are recommended (STANDARDS), and most."""
Answers = list[Mapping[str, float]]


class Finding(NamedTuple):
    """The condition for the gate to detect a drop of one metric; fractions.

    `fixed`, and the primary metric under `evidence`: the mean falls by more than the limit. Other gated metrics under
    `evidence`: also, the drop exceeds noise. `paired`: the interval lies wholly beyond the limit.
    """

    limit: float
    """The mean must fall by more than this."""
    alpha: float | None = None
    """One-sided level of the test that must reject as well; None if the mean alone decides."""
    beyond: float = 0.0
    """The drop that this test must reject."""

    @classmethod
    def of(cls, policy: GatePolicy, metric: Metric, *, primary: str, baseline: float) -> Finding:
        """Return the policy's condition for a metric; `baseline` is its mean, the base of a relative limit."""
        key, limit = metric.key, policy.margin(metric, baseline)
        others = max(1, sum(gated != primary for gated in policy.metrics))
        if policy.policy == "paired":
            return cls(limit, ALPHA if key == primary else ALPHA / others, limit)
        tested = policy.policy == "evidence" and key != primary and key in policy.metrics
        return cls(limit, ALPHA_FALL / others if tested else None)


@dataclass(frozen=True, slots=True)
class Needed:
    """A required number of cases or repeats, or why there is none."""

    count: int | None
    why: Literal["", "unknown", "never"] = ""
    """`unknown`: no spread was seen, or the noise of repeats is unknown. `never`: `MOST_CASES` or `MOST_REPEATS` are
    not enough."""


class Sensitivity(NamedTuple):
    """The smallest drop of a metric detected with 80 % power, and what it takes to detect the wanted drop."""

    metric: str
    variance: DifferenceVariance
    finding: Finding
    smallest_drop: float | None
    """Smallest detected drop, a fraction; None if unknown or if no drop is sure to be detected."""
    wanted: float
    needs_cases: Needed
    needs_repeats: Needed
    blocks: bool
    """Whether a detected drop blocks; otherwise a person should look."""


class Answered(NamedTuple):
    """A case, and the metrics of each of its answers under one setting."""

    answers: Answers
    source: str | None = None
    critical: bool = False


class ErrorRates(NamedTuple):
    """How often a suite of this size blocks: equal prompts, and those that lose 10 points; asked once, confirmed."""

    cases: int
    repeats: int
    false_once: float
    false_confirmed: float
    found_once: float
    found_confirmed: float


@dataclass(frozen=True, slots=True)
class PowerReport:
    """The result of `row3 power`, by metric, the composite first."""

    suite: str
    settings: tuple[str, str]
    """Prompts and model of the baseline, and of the candidate."""
    repeats: tuple[int, int]
    policy: GatePolicy
    plans: tuple[tuple[Metric, Sensitivity | None], ...]
    """None if fewer than two independent cases have the metric."""
    flag: str = ""
    """Options that select the suite on the command line."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Reasons by metric that applies to no case."""
    rates: tuple[ErrorRates, ...] = ()
    """Of the suite as it is, then with more answers or cases."""
    nearest: str = ""
    """The simulated suite that has these rates; empty if they are this suite's own."""


def detectable_metrics(pairs: Pairs, metrics: Iterable[Metric], policy: GatePolicy, *, primary: str) -> set[str]:
    """Return the gated metrics whose fall the policy's test can show with this many independent units."""
    gated = [each for each in metrics if each.key in pairs.counts() and each.key in (primary, *policy.metrics)]
    levels = [(each, Finding.of(policy, each, primary=primary, baseline=0.0).alpha) for each in gated]
    return {each.key for each, alpha in levels if alpha and pairs.differences(each).units >= fewest_units(alpha)}


def sensitivity(
    pairs: Pairs, metric: Metric, policy: GatePolicy, *, primary: str = "overall", detect: float | None = None
) -> Sensitivity | None:
    """Return which drops of a metric a comparison's cases can detect; None with fewer than two independent units.

    `detect` is the wanted drop, a fraction; the default is twice the limit.
    """
    key, variance = metric.key, pairs.variance(metric.key)
    if variance is None:
        return None
    finding = Finding.of(policy, metric, primary=primary, baseline=pairs.means()[0][key])
    smallest = smallest_drop(variance, finding)
    wanted = min(1.0, 2.0 * finding.limit) if detect is None else detect
    return Sensitivity(
        key,
        variance,
        finding,
        None if smallest is None or smallest > 1.0 else smallest,
        wanted,
        cases_needed(variance, finding, wanted),
        repeats_needed(variance, finding, wanted),
        key in policy.metrics,
    )


def smallest_drop(
    variance: DifferenceVariance, finding: Finding, *, cases: int | None = None, repeats: float | None = None
) -> float | None:
    """Return the smallest true drop that a comparison of this size detects with probability `POWER`; a fraction.

    D with D - m = k sqrt((V + (UNEVEN D)^2) / n), for the limit and for the test. If some cases do not move at all, the
    drop is at least the smallest move times the share of units that the test needs to reject.

    None if it is unknown, because no spread was seen or the variance at other repeats than observed is unknown. None as
    well if no drop is sure to be detected.
    """
    cases = variance.cases if cases is None else cases
    known = variance.at(variance.repeats if repeats is None else repeats)
    # Added cases are assumed to form units of the same size.
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
    """Return how many estimated standard errors beyond a null a drop is detected with probability `POWER`.

    A drop of k SE is detected if Z + k S1 > t S2, where S1 (of the earlier comparison, with `known_df`) and S2 (of the
    planned one, with `df`) are chi / sqrt(df). Taking k S1 - t S2 as normal, with its exact mean and variance, gives k
    within 2 % from 5 cases on. `alpha` is the one-sided level of the t test; None if the estimate only has to be on the
    right side. Infinity if the earlier comparison has too few cases.
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
    """Return how many cases detect a drop, with as many repeats as observed."""
    if variance.at(variance.repeats) is None or variance.total <= 0.0:
        return Needed(None, "unknown")
    return _fewest(lambda cases: smallest_drop(variance, finding, cases=cases), drop, FEWEST_CASES, MOST_CASES)


def repeats_needed(variance: DifferenceVariance, finding: Finding, drop: float) -> Needed:
    """Return how many answers per case and side detect a drop, with as many cases as observed."""
    if variance.repeat_variance is None or variance.total == variance.repeat_variance == 0.0:
        return Needed(None, "unknown")
    return _fewest(lambda repeats: smallest_drop(variance, finding, repeats=repeats), drop, 1, MOST_REPEATS)


def _drop(null: float, factor: float, square: float, cases: int) -> float | None:
    """Return the D above null with (D - null)^2 = factor^2 (square + (UNEVEN D)^2 / cases); None if there is none."""
    share = factor * factor * UNEVEN * UNEVEN / cases
    if not share < 1.0:
        return None
    rest = null * null - factor * factor * square
    return (null + math.sqrt(max(0.0, null * null - (1.0 - share) * rest))) / (1.0 - share)


def _deviation(df: float) -> tuple[float, float]:
    """Return the mean and variance of chi_df / sqrt(df)."""
    if df > 1e6:
        return 1.0, 0.0
    mean = math.sqrt(2.0 / df) * math.exp(math.lgamma(0.5 * (df + 1.0)) - math.lgamma(0.5 * df))
    return mean, max(0.0, 1.0 - mean * mean)


def _fewest(found: Callable[[int], float | None], drop: float, least: int, most: int) -> Needed:
    """Return the smallest number that detects a drop, by doubling and then bisection."""

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
