"""Pooled ratios: by hand, against a bootstrap, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.intervals import Interval
from row3.gate.intervals import mean_interval
from row3.gate.ratios import f1_counts, influences, paired_ratio_interval, ratio_interval
from row3.metrics.ratios import f1

COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20)


def found(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def test_by_hand() -> None:
    # 3/4, 1/4 and 2/2 pool to 6/10; the influences are (3 - 2.4, 1 - 2.4, 2 - 1.2) / (10/3).
    interval = found(ratio_interval([(3, 4), (1, 4), (2, 2)]))
    influence = [0.18, -0.42, 0.24]
    assert interval.estimate == pytest.approx(0.6)
    assert interval.standard_error == pytest.approx(float(np.std(influence, ddof=1)) / math.sqrt(3))
    assert interval.df == 2.0


def test_f1_is_that_of_pooled_precision_and_recall() -> None:
    cases = [(3, 5, 4), (2, 2, 6), (0, 1, 3)]  # correct, extracted, expected
    correct, extracted, expected = map(sum, zip(*cases, strict=True))
    interval = found(ratio_interval([f1_counts(*case) for case in cases]))
    assert interval.estimate == pytest.approx(f1(correct / extracted, correct / expected))
    assert f1_counts(3, 5, 4) == (2 * 3, 2 * 3 + 2 + 1)  # 2 tp, 2 tp + fp + fn


def test_a_loss_is_negative() -> None:
    # 6/10 to 4/8; the influences after are (1 - 2, 1 - 1, 2 - 1) / (8/3).
    interval = found(paired_ratio_interval([(3, 4), (1, 4), (2, 2)], [(1, 4), (1, 2), (2, 2)]))
    moved = np.array([-0.375, 0.0, 0.375]) - np.array([0.18, -0.42, 0.24])
    assert interval.estimate == pytest.approx(-0.1)
    assert interval.standard_error == pytest.approx(float(moved.std(ddof=1)) / math.sqrt(3))


def test_equal_denominators_make_it_a_mean() -> None:
    counts = [(1, 4), (3, 4), (4, 4), (2, 4)]
    mean = found(mean_interval([num / den for num, den in counts], clusters=["a", "a", "b", None]))
    ratio = found(ratio_interval(counts, clusters=["a", "a", "b", None]))
    assert (ratio.estimate, ratio.low, ratio.high) == pytest.approx((mean.estimate, mean.low, mean.high))


@given(COUNTS)
@settings(deadline=None, max_examples=60)
def test_influences_sum_to_zero_and_a_run_does_not_differ_from_itself(counts: list[tuple[int, int]]) -> None:
    linear = influences(counts)
    if linear is None:
        assert sum(den for _, den in counts) == 0
        assert paired_ratio_interval(counts, counts) is None
        return
    assert math.fsum(linear[1]) == pytest.approx(0.0, abs=1e-9)
    same = found(paired_ratio_interval(counts, counts))
    assert (same.estimate, same.low, same.high, same.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_near_a_bootstrap_of_whole_cases() -> None:
    rng = np.random.default_rng(4)
    expected = rng.integers(3, 12, 60)
    before, after = rng.binomial(expected, 0.8), rng.binomial(expected, 0.7)
    pairs = [list(zip(side.tolist(), expected.tolist(), strict=True)) for side in (before, after)]
    interval = found(paired_ratio_interval(*pairs))
    draws = rng.integers(0, 60, (4000, 60))
    moved = (after[draws].sum(1) - before[draws].sum(1)) / expected[draws].sum(1)
    assert interval.standard_error == pytest.approx(float(moved.std()), rel=0.08)


@pytest.mark.parametrize("cases", [5, 20])
def test_false_alarms_of_the_paired_f1(cases: int) -> None:
    rng = np.random.default_rng(cases)
    rounds, alarms = 1500, 0
    for _ in range(rounds):
        expected = rng.integers(3, 12, cases)
        skill = rng.beta(4, 1.5, cases)
        sides = []
        for _ in range(2):
            correct = rng.binomial(expected, skill)
            counts = np.stack([correct, correct + rng.poisson(1.0, cases), expected], axis=1)
            sides.append([f1_counts(*row) for row in counts.tolist()])
        alarms += found(paired_ratio_interval(*sides)).p_value < 0.05
    assert alarms / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)


def test_unknown() -> None:
    assert ratio_interval([]) is None
    assert ratio_interval([(1, 2)]) is None
    assert ratio_interval([(0, 0), (0, 0)]) is None
    assert paired_ratio_interval([(1, 2), (1, 2)], [(0, 0), (0, 0)]) is None
    assert paired_ratio_interval([(1, 2), (1, 2)], [(1, 2), (2, 2)], clusters=["a", "a"]) is None


def test_lengths_agree() -> None:
    with pytest.raises(ValueError):
        paired_ratio_interval([(1, 2), (1, 2)], [(1, 2)])
