"""What a suite can detect: promises kept in simulation, and the way back to cases and repeats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.gate.intervals import paired_interval
from row3.gate.power import Needed, better_buy, cases_needed, repeats_needed, smallest_drop
from row3.gate.power_factor import detection_factor
from row3.gate.variance import DifferenceVariance, difference_variance

SPLIT = DifferenceVariance(0.04, 14.0, 15, 3.0, case_variance=0.01, repeat_variance=0.045, repeat_df=60.0)
UNSPLIT = DifferenceVariance(0.04, 14.0, 15, 1.0)
STILL = DifferenceVariance(0.0, 14.0, 15, 3.0, case_variance=0.0, repeat_variance=0.0, repeat_df=60.0)


def drop(variance: DifferenceVariance, cases: int, repeats: float, margin: float = 0.0) -> float:
    found = smallest_drop(variance, cases, repeats, margin=margin)
    assert found is not None
    return found


def test_by_hand() -> None:
    factor = detection_factor(14.0, known_df=14.0)
    assert drop(UNSPLIT, 15, 1) == pytest.approx(factor * math.sqrt(0.04 / 15))
    assert drop(UNSPLIT, 15, 1, margin=0.05) == pytest.approx(0.05 + factor * math.sqrt(0.04 / 15))
    assert drop(SPLIT, 15, 3) == pytest.approx(factor * math.sqrt(0.04 / 15))


def made(
    rng: np.random.Generator, cases: int, repeats: int, fall: float
) -> tuple[list[list[float]], list[list[float]]]:
    """Two runs: cases differ in how they take the change (0.1), answers vary (0.15)."""
    before = rng.normal(0.7, 0.15, (cases, repeats))
    after = 0.7 - fall + rng.normal(0, 0.1, (cases, 1)) + rng.normal(0, 0.15, (cases, repeats))
    return before.tolist(), after.tolist()


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize(("cases", "rounds"), [(5, 1500), (10, 1500), (15, 1500), (30, 1000), (50, 700), (200, 200)])
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_a_promised_drop_is_detected_as_often_as_promised(cases: int, rounds: int, repeats: int, margin: float) -> None:
    """One comparison promises, another one keeps it: the variance is estimated anew each time."""
    rng = np.random.default_rng(100 * cases + repeats)
    detected = 0
    for _ in range(rounds):
        variance = difference_variance(*made(rng, cases, repeats, 0.0))
        assert variance is not None
        before, after = made(rng, cases, repeats, drop(variance, cases, variance.repeats, margin))
        interval = paired_interval([sum(old) / repeats for old in before], [sum(new) / repeats for new in after])
        assert interval is not None
        detected += interval.high < -margin
    assert detected / rounds > 0.8 - 3 * math.sqrt(0.16 / rounds)


def test_more_repeats_than_were_tried_are_not_promised_too_much_of() -> None:
    rng = np.random.default_rng(9)
    rounds, detected = 300, 0
    for _ in range(rounds):
        variance = difference_variance(*made(rng, 15, 2, 0.0))
        assert variance is not None
        before, after = made(rng, 15, 8, drop(variance, 15, 8))
        interval = paired_interval([sum(old) / 8 for old in before], [sum(new) / 8 for new in after])
        assert interval is not None
        detected += interval.high < 0.0
    assert detected / rounds > 0.8 - 3 * math.sqrt(0.16 / rounds)


@given(st.floats(0.02, 0.5), st.sampled_from([0.0, 0.01]))
@settings(deadline=None, max_examples=15)
def test_the_number_of_cases_is_the_smallest_that_is_enough(wanted: float, margin: float) -> None:
    count = cases_needed(SPLIT, wanted, margin=margin).count
    assert count is not None
    assert drop(SPLIT, count, 3, margin) <= wanted
    assert count == 2 or (smallest_drop(SPLIT, count - 1, 3, margin=margin) or 9.0) > wanted


def test_the_number_of_repeats_is_the_smallest_that_is_enough() -> None:
    found = repeats_needed(SPLIT, 0.15)
    assert found.count is not None
    assert drop(SPLIT, 15, found.count) <= 0.15 < drop(SPLIT, 15, found.count - 1)
    assert repeats_needed(SPLIT, 0.9) == Needed(1)
    fewer = repeats_needed(SPLIT, 0.15, cases=30).count
    assert fewer is not None
    assert fewer < found.count


def test_no_number_of_repeats_helps_against_cases_that_differ() -> None:
    # omega alone: 2.8 * 0.1 / sqrt(15) = 0.072, before any doubt.
    assert repeats_needed(SPLIT, 0.07) == Needed(None, "never")
    assert cases_needed(SPLIT, 0.07).count is not None


def test_no_number_detects_a_drop_within_the_margin() -> None:
    assert cases_needed(SPLIT, 0.05, margin=0.05) == Needed(None, "never")
    assert repeats_needed(SPLIT, 0.04, margin=0.05) == Needed(None, "never")


def test_one_answer_a_case_says_nothing_of_repeats() -> None:
    assert repeats_needed(UNSPLIT, 0.1) == Needed(None, "unknown")
    assert smallest_drop(UNSPLIT, 15, 2) is None
    assert cases_needed(UNSPLIT, 0.1, repeats=2) == Needed(None, "unknown")
    assert better_buy(UNSPLIT) is None
    assert cases_needed(UNSPLIT, 0.1).count is not None


def test_no_spread_is_no_promise() -> None:
    """That nothing moved in a few cases does not mean that every drop would be seen."""
    assert smallest_drop(STILL, 15, 3) is None
    assert cases_needed(STILL, 0.05) == repeats_needed(STILL, 0.05) == Needed(None, "unknown")
    assert better_buy(STILL) is None


def test_too_few_cases() -> None:
    assert smallest_drop(SPLIT, 1, 3) is None
    assert smallest_drop(SPLIT, 0, 3) is None


def test_clusters_stay_as_large_when_cases_are_added() -> None:
    paired = DifferenceVariance(0.04, 4.0, 10, 1.0)  # ten cases in five sources
    assert drop(paired, 20, 1) == pytest.approx(detection_factor(9.0, known_df=4.0) * math.sqrt(0.04 / 20))


@pytest.mark.parametrize(("case_variance", "better"), [(0.0, "repeats"), (0.035, "cases")])
def test_the_better_buy(case_variance: float, better: str) -> None:
    noise = (0.04 - case_variance) * 3 / 2
    variance = DifferenceVariance(0.04, 49.0, 50, 3.0, case_variance, noise, 200.0)
    bought = better_buy(variance)
    assert bought is not None
    assert bought.better == better
    assert bought.more_cases <= bought.more_repeats <= bought.now


def test_a_request_for_a_request_cases_never_lose() -> None:
    for share in (0.0, 0.2, 0.5, 0.8, 1.0):
        variance = DifferenceVariance(0.04, 1e9, 10**9 + 1, 2.0, 0.04 * share, 0.04 * (1 - share), 1e9)
        bought = better_buy(variance)
        assert bought is not None
        assert bought.more_cases <= bought.more_repeats * (1 + 1e-3)


def test_arguments() -> None:
    with pytest.raises(ValueError, match="repeats"):
        smallest_drop(SPLIT, 15, 0.5)
    with pytest.raises(ValueError, match="power"):
        smallest_drop(SPLIT, 15, 3, power=1.0)
