"""What a comparison of this size can see: one plain line under every comparison."""

from __future__ import annotations

from dataclasses import dataclass

from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.power import Needed, Purchase, better_buy, cases_needed, repeats_needed, smallest_drop
from row3.gate.variance import DifferenceVariance
from row3.gate.zones import SLACK

POWER = 0.8


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The smallest drop of a metric that is detected with 80 % power, and what it takes to see the wanted one.

    All drops are fractions (points / 100).
    """

    metric: str
    cases: int
    repeats: float
    sees: float | None
    """None where no spread was seen: it is unknown, not nought."""
    wanted: float
    needs_cases: Needed
    needs_repeats: Needed
    blocks: bool
    """`detected` means blocked by the paired policy, not only seen to be a drop."""
    buy: Purchase | None = None
    """What twice the requests would bring; None where cases and repeats were never told apart."""


def sensitivity(
    pairs: Pairs, key: str, policy: GatePolicy, *, wanted: float, higher_is_better: bool = True
) -> Sensitivity | None:
    """What the cases of a comparison can tell of one metric; None with fewer than two independent cases.

    Under the `paired` policy a drop is detected when it blocks, so the limit is added to it; under `fixed`, when its
    95 % interval leaves out 0. `wanted` is a fraction. A limit that is a share of the baseline is taken of its mean.
    """
    baseline = pairs.means()[0].get(key, 0.0)
    variance = pairs.variance(key)
    return None if variance is None else of_variance(variance, key, policy, wanted=wanted, baseline=baseline)


def of_variance(
    variance: DifferenceVariance, key: str, policy: GatePolicy, *, wanted: float, baseline: float | None = None
) -> Sensitivity:
    """As `sensitivity`, from the variance of an earlier comparison, whose baseline had that mean.

    Without the mean, a limit relative to it is not known, and a drop is detected when it is seen at all.
    """
    margin = policy.limit(key) / 100.0 if policy.policy == "paired" else 0.0
    if policy.unit == "relative" and baseline is None:
        margin = 0.0
    elif policy.unit == "relative" and abs(baseline or 0.0) > SLACK:
        margin *= abs(baseline or 0.0)
    return Sensitivity(
        key,
        variance.cases,
        variance.repeats,
        smallest_drop(variance, variance.cases, variance.repeats, margin=margin, power=POWER),
        wanted,
        cases_needed(variance, wanted, margin=margin, power=POWER),
        repeats_needed(variance, wanted, margin=margin, power=POWER),
        blocks=margin > 0.0,
        buy=better_buy(variance, margin=margin, power=POWER),
    )
