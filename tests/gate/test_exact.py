"""Tests that hold for any number of cases: against scipy, by counting, and by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.gate.exact import bounded_p, counted_sum, fewest_units, holm, sign_flip_p, units_needed, upper_bound
from tests.rows import every_row


class TestSignFlips:
    @given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
    @settings(max_examples=80, deadline=None)
    def test_is_the_share_of_sign_choices(self, values: list[int]) -> None:
        sums = [
            sum(sign * abs(value) for sign, value in zip(signs, values, strict=True))
            for signs in itertools.product((-1, 1), repeat=len(values))
        ]
        share = sum(each <= sum(values) for each in sums) / len(sums)
        assert sign_flip_p([0.1 * value for value in values]) == pytest.approx(share)

    def test_of_values_that_are_no_multiples(self) -> None:
        values = np.random.default_rng(3).normal(-0.5, 1.0, 12)
        theirs = stats.permutation_test((values,), np.mean, permutation_type="samples", alternative="less")
        assert sign_flip_p(values.tolist()) == pytest.approx(float(theirs.pvalue), abs=0.003)

    @every_row(("worse", "better"), [(5, 0), (7, 2), (3, 3), (0, 4), (40, 20)])
    def test_of_one_size_is_the_sign_test(self, worse: int, better: int) -> None:
        values = [-0.3] * worse + [0.3] * better + [0.0] * 11
        theirs = stats.binomtest(worse, worse + better, alternative="greater")
        assert sign_flip_p(values) == pytest.approx(float(theirs.pvalue))

    def test_of_nothing(self) -> None:
        assert sign_flip_p([]) == sign_flip_p([0.0, 1e-15]) == 1.0

    @every_row(("alpha", "fewest"), [(0.05, 5), (0.025, 6), (0.01, 7), (0.0625, 4)])
    def test_the_fewest_that_can_reject(self, alpha: float, fewest: int) -> None:
        assert fewest_units(alpha) == fewest
        assert sign_flip_p([-1.0] * fewest) <= alpha < sign_flip_p([-1.0] * (fewest - 1))


class TestBounded:
    @every_row(("units", "above"), [(2, 0.8), (5, 0.8), (15, 0.2), (50, 0.05)])
    def test_units_that_are_alike(self, units: int, above: float) -> None:
        assert bounded_p([above] * units, -0.8) == pytest.approx((1 + above / 0.8) ** -units, rel=0.03)

    def test_the_probability_is_that_of_the_bootstrap(self) -> None:
        sums = [0.2, 0.15, -0.2, 0.35, 0.15, 0.4, 0.25]
        weights = np.random.default_rng(1).exponential(size=(200_000, len(sums) + 1))
        share = float(np.mean(weights @ np.array([*sums, -0.5]) <= 0.0))
        assert bounded_p(sums, -0.5) == pytest.approx(share, rel=0.03)

    def test_at_its_ends(self) -> None:
        assert bounded_p([0.1, 0.2], 0.0) == 0.0
        assert bounded_p([-0.1, 0.05], -0.5) == bounded_p([0.1] * 4, -0.5) == 1.0
        assert bounded_p([], -0.5) == 1.0

    @given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.integers(1, 300)), max_size=20))
    def test_a_counted_sum_is_that_of_all_values(self, parts: list[tuple[float, int]]) -> None:
        assert counted_sum(parts) == math.fsum(value for value, number in parts for _ in range(number))

    @every_row(("units", "rate"), [(15, 0.06), (50, 0.06), (100, 0.06), (60, 0.5)])
    def test_a_mean_of_0_is_seldom_called_higher(self, units: int, rate: float) -> None:
        """Rare and large: a share of `rate` of the units is as low as can be, and the others make up for it."""
        rng, rounds = np.random.default_rng(2), 3000
        draws = np.where(rng.random((rounds, units)) < rate, -1.0, rate / (1 - rate))
        wrong = sum(bounded_p(row, -1.0) <= 0.05 for row in draws.tolist())
        assert wrong / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)

    def test_units_needed(self) -> None:
        assert units_needed(0.05, 0.85, 0.05) == 50
        for n in (49, 50):
            assert ((1 - 0.05 / 0.85) ** n <= 0.05) is (n >= 50)
        assert units_needed(0.0, 0.85, 0.05) == units_needed(0.9, 0.85, 0.05) == 0


class TestUpperBound:
    @every_row(("seen", "trials", "level"), [(0, 30, 0.95), (1, 15, 0.95), (7, 10, 0.9), (3, 200, 0.975)])
    def test_is_scipys(self, seen: int, trials: int, level: float) -> None:
        theirs = stats.binomtest(seen, trials, alternative="less").proportion_ci(level, method="exact")
        assert upper_bound(seen, trials, level) == pytest.approx(float(theirs.high))

    def test_at_its_ends(self) -> None:
        assert upper_bound(0, 0) == upper_bound(4, 4) == 1.0
        assert upper_bound(0, 30) == pytest.approx(1 - 0.05 ** (1 / 30))

    @every_row(("seen", "trials", "level"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 1.0)])
    def test_what_cannot_be(self, seen: int, trials: int, level: float) -> None:
        with pytest.raises(ValueError, match=r"events in|level"):
            upper_bound(seen, trials, level)


P_VALUES = st.dictionaries(st.sampled_from("abcdef"), st.floats(1e-6, 1.0), max_size=6)


class TestHolm:
    @given(P_VALUES)
    def test_adjusts_as_by_hand(self, p_values: dict[str, float]) -> None:
        adjusted = holm(p_values, 0.05)
        assert list(adjusted) == list(p_values)
        worst = 0.0
        for place, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
            worst = max(worst, min(1.0, (len(p_values) - place) * p_values[key]))
            assert adjusted[key][0] == pytest.approx(worst)

    @given(P_VALUES, st.sampled_from([0.05, 0.025]))
    def test_the_divided_level_decides_alike(self, p_values: dict[str, float], alpha: float) -> None:
        for key, (p, tests) in holm(p_values, alpha).items():
            if abs(p - alpha) > 1e-9:
                assert (p <= alpha) == (p_values[key] <= alpha / tests)
