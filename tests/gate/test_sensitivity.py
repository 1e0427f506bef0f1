"""What the line under a comparison says, and that it is what the gate then does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from row3.domain.metrics import Metric
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.power import Needed, smallest_drop
from row3.gate.sensitivity import POWER, Sensitivity, of_variance, sensitivity
from row3.gate.variance import DifferenceVariance

FIXED = GatePolicy()
PAIRED = GatePolicy(policy="paired")
RELATIVE = GatePolicy(policy="paired", unit="relative")
SPLIT = DifferenceVariance(0.04, 14.0, 15, 3.0, case_variance=0.01, repeat_variance=0.045, repeat_df=60.0)
UNSPLIT = DifferenceVariance(0.04, 14.0, 15, 1.0)


def wavering(cases: int = 15, repeats: int = 1, level: float = 0.8) -> Pairs:
    """A baseline of `level`, and changes that add up to nothing."""
    pairs = Pairs()
    for place in range(cases):
        spread = {"overall": 0.02} if repeats > 1 else {}
        pairs.add(
            {"overall": level + 0.05 * (place % 3 - 1)},
            {"overall": level + 0.1 * math.sin(place)},
            repeats=(repeats, repeats),
            spreads=(spread, spread),
        )
    return pairs


def told(seen: Sensitivity | None) -> Sensitivity:
    assert seen is not None
    return seen


def test_under_the_fixed_policy_a_drop_is_detected_when_it_is_seen() -> None:
    seen = of_variance(SPLIT, "overall", FIXED, wanted=0.1)
    assert seen.sees == smallest_drop(SPLIT, 15, 3.0, power=POWER)
    assert not seen.blocks
    assert (seen.metric, seen.cases, seen.repeats, seen.wanted) == ("overall", 15, 3.0, 0.1)


def test_under_paired_when_it_blocks() -> None:
    seen, fixed = (of_variance(SPLIT, "overall", policy, wanted=0.1) for policy in (PAIRED, FIXED))
    assert seen.blocks
    assert seen.sees == pytest.approx((fixed.sees or 0.0) + 0.05)
    own = of_variance(SPLIT, "overall", GatePolicy(policy="paired", limits={"overall": 2.0}), wanted=0.1)
    assert own.sees == pytest.approx((fixed.sees or 0.0) + 0.02)
    assert (own.needs_cases.count or 0) < (seen.needs_cases.count or 0)


def test_what_lies_within_the_limit_never_blocks() -> None:
    seen = of_variance(SPLIT, "overall", PAIRED, wanted=0.05)
    assert seen.needs_cases == seen.needs_repeats == Needed(None, "never")


def test_without_repeats_their_worth_is_unknown() -> None:
    seen = of_variance(UNSPLIT, "overall", FIXED, wanted=0.1)
    assert seen.needs_repeats == Needed(None, "unknown")
    assert seen.buy is None
    assert of_variance(SPLIT, "overall", FIXED, wanted=0.1).buy is not None


def test_fewer_than_two_cases_say_nothing() -> None:
    pairs = Pairs()
    assert sensitivity(pairs, "overall", FIXED, wanted=0.1) is None
    pairs.add({"overall": 0.5}, {"overall": 0.4})
    assert sensitivity(pairs, "overall", FIXED, wanted=0.1) is None


def test_where_nothing_moved_it_is_unknown_and_not_nought() -> None:
    pairs = Pairs()
    for _ in range(15):
        pairs.add({"overall": 0.5}, {"overall": 0.5})
    seen = told(sensitivity(pairs, "overall", FIXED, wanted=0.05))
    assert seen.sees is None
    assert seen.needs_cases == Needed(None, "unknown")


@pytest.mark.parametrize("repeats", [1, 3])
def test_it_is_the_variance_of_the_pairs(repeats: int) -> None:
    pairs = wavering(repeats=repeats)
    variance = pairs.variance("overall")
    assert variance is not None
    assert sensitivity(pairs, "overall", FIXED, wanted=0.1) == of_variance(variance, "overall", FIXED, wanted=0.1)
    assert sensitivity(pairs, "overall", PAIRED, wanted=0.1) == of_variance(variance, "overall", PAIRED, wanted=0.1)


class TestRelative:
    def test_the_limit_is_a_share_of_the_mean_before(self) -> None:
        pairs = wavering(level=0.4)
        variance = pairs.variance("overall")
        assert variance is not None
        seen = told(sensitivity(pairs, "overall", RELATIVE, wanted=0.1))
        assert seen.blocks
        assert seen.sees == pytest.approx(smallest_drop(variance, 15, 1.0, margin=0.05 * 0.4, power=POWER))

    def test_lower_is_better(self) -> None:
        pairs = wavering(level=0.4)
        variance = pairs.variance("overall")
        assert variance is not None
        seen = told(sensitivity(pairs, "overall", RELATIVE, wanted=0.1, higher_is_better=False))
        assert seen.sees == pytest.approx(smallest_drop(variance, 15, 1.0, margin=0.05 * 0.4, power=POWER))

    def test_a_baseline_of_zero_is_compared_in_points(self) -> None:
        pairs = Pairs()
        for place in range(15):
            pairs.add({"rate": 0.0}, {"rate": 0.01 * (place % 2)})
        seen, points = (told(sensitivity(pairs, "rate", policy, wanted=0.1)) for policy in (RELATIVE, PAIRED))
        assert seen.sees == points.sees

    def test_without_the_baselines_mean_a_drop_is_detected_when_it_is_seen(self) -> None:
        seen = of_variance(SPLIT, "overall", RELATIVE, wanted=0.1)
        assert not seen.blocks
        assert seen.sees == of_variance(SPLIT, "overall", FIXED, wanted=0.1).sees

    def test_the_fixed_policy_has_no_margin(self) -> None:
        seen = told(sensitivity(wavering(), "overall", GatePolicy(unit="relative"), wanted=0.1))
        assert seen == told(sensitivity(wavering(), "overall", FIXED, wanted=0.1))


@pytest.mark.parametrize("policy", [PAIRED, RELATIVE], ids=["points", "relative"])
def test_what_it_promises_to_block_is_blocked(policy: GatePolicy) -> None:
    """One comparison promises, another one has the drop."""
    rng, rounds, blocked = np.random.default_rng(8), 500, 0

    def compared(fall: float) -> Pairs:
        pairs = Pairs()
        for before, moved in zip(rng.normal(0.8, 0.05, 15), rng.normal(-fall, 0.08, 15), strict=True):
            pairs.add({"overall": before}, {"overall": before + moved})
        return pairs

    metric, limit = Metric("overall", "Overall"), 0.05 * (0.8 if policy.unit == "relative" else 1.0)
    for _ in range(rounds):
        promise = told(sensitivity(compared(0.0), "overall", policy, wanted=0.1)).sees
        assert promise is not None
        interval = compared(promise).interval(metric)
        assert interval is not None
        blocked += interval.high < -limit
    assert blocked / rounds > 0.8 - 3 * math.sqrt(0.16 / rounds)
