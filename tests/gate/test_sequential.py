"""Peeking after every case: error rates by simulation, and bounds against the definition."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import lambertw

from row3.gate.intervals import mean_interval
from row3.gate.sequential import asymptotic_sequence, betting_sequence, capital

DIFFERENCES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), max_size=25)
Draw = Callable[[np.random.Generator, int], np.ndarray]

# Differences whose mean is exactly 0.
NULLS: dict[str, Draw] = {
    "normal": lambda rng, n: np.clip(rng.normal(0, 0.25, n), -1, 1),
    "flips": lambda rng, n: rng.choice([0.0, 1.0, -1.0], n, p=[0.9, 0.05, 0.05]),
    "mostly none": lambda rng, n: rng.choice([0.0, 0.3, -0.3], n, p=[0.8, 0.1, 0.1]),
    "few large losses": lambda rng, n: rng.choice([0.0, 0.1, -0.5], n, p=[0.7, 0.25, 0.05]),
    "one huge gain": lambda rng, n: rng.choice([-1 / 19, 1.0], n, p=[0.95, 0.05]),
    "coins": lambda rng, n: rng.choice([-1.0, 1.0], n),
}


def allowed(rounds: int, rate: float = 0.05) -> float:
    return rate + 3 * math.sqrt(rate * (1 - rate) / rounds)


class TestCapital:
    def test_by_hand(self) -> None:
        # x = 0.75 against m = 0.5. The first bet: sqrt(2 ln 40 / (30 * 0.25)) = 0.9918, below 0.9 / 0.5.
        bet = math.sqrt(2 * math.log(40) / 7.5)
        assert capital([0.5]) == [(pytest.approx(1 + bet * 0.25), pytest.approx(1 - bet * 0.25))]
        # The second: mean (0.5 + 0.75) / 2, variance (0.25 + 0.125^2) / 2; a difference of -1 is x = 0.
        second = math.sqrt(2 * math.log(40) / (30 * (0.25 + 0.125**2) / 2))
        assert capital([0.5, -1.0])[1][0] == pytest.approx((1 + bet * 0.25) * (1 - min(second, 1.8) * 0.5))

    def test_nothing_to_bet_on(self) -> None:
        assert capital([]) == []
        assert capital([0.0] * 5) == [(1.0, 1.0)] * 5

    @pytest.mark.parametrize("kind", NULLS)
    @pytest.mark.parametrize("cases", [5, 30, 200])
    def test_peeking_after_every_case_alarms_as_seldom_as_promised(self, kind: str, cases: int) -> None:
        rng = np.random.default_rng(cases)
        rounds = 800
        alarms = losses = 0
        for _ in range(rounds):
            fortunes = capital(NULLS[kind](rng, cases).tolist())
            alarms += max(max(pair) for pair in fortunes) >= 40
            losses += max(down for _, down in fortunes) >= 20
        assert alarms / rounds < allowed(rounds)
        assert losses / rounds < allowed(rounds)

    def test_a_real_loss_is_found(self) -> None:
        rng = np.random.default_rng(2)
        found = [
            any(down >= 20 for _, down in capital(np.clip(rng.normal(-0.2, 0.25, 40), -1, 1).tolist()))
            for _ in range(200)
        ]
        assert np.mean(found) > 0.8

    def test_thirty_small_drops_show_nothing(self) -> None:
        assert max(down for _, down in capital([-0.1] * 30)) < 20
        # Nor could they: this happens by chance to differences of mean 0.
        assert (10 / 11) ** 30 > 0.05
        assert capital([-0.1] * 40)[-1][1] > 20
        # A narrower range, where it is known, tells more.
        assert max(down for _, down in capital([-0.1] * 15, lowest=-0.3, highest=0.3)) > 20

    @given(DIFFERENCES, st.floats(-0.99, 0.98), st.integers(1, 100))
    @settings(deadline=None, max_examples=60)
    def test_fortunes_are_never_negative_and_fall_as_the_null_rises(
        self, differences: list[float], null: float, planned: int
    ) -> None:
        here = capital(differences, null=null, planned=planned)
        above = capital(differences, null=null + 0.01, planned=planned)
        for (up, down), (higher_up, higher_down) in zip(here, above, strict=True):
            assert up >= 0.0
            assert down >= 0.0
            assert higher_up <= up * (1 + 1e-9)
            assert higher_down >= down * (1 - 1e-9)

    def test_turned_round_it_is_the_other_fortune(self) -> None:
        differences = [0.3, -0.1, 0.0, 0.7]
        turned = capital([-value for value in differences], null=-0.1)
        assert [pair[::-1] for pair in turned] == [pytest.approx(pair) for pair in capital(differences, null=0.1)]

    def test_a_fortune_without_bounds(self) -> None:
        assert capital([1.0] * 2000)[-1] == (math.inf, pytest.approx(0.0))

    @pytest.mark.parametrize(
        "arguments",
        [
            {"differences": [1.1]},
            {"differences": [math.nan]},
            {"differences": [0.1], "null": 1.0},
            {"differences": [0.1], "lowest": 1.0, "highest": -1.0},
            {"differences": [0.1], "level": 1.0},
            {"differences": [0.1], "planned": 0},
        ],
    )
    def test_arguments(self, arguments: dict[str, float]) -> None:
        with pytest.raises(ValueError):
            capital(**arguments)  # type: ignore[arg-type]


class TestBettingSequence:
    @given(DIFFERENCES)
    @settings(deadline=None, max_examples=25)
    def test_bounds_are_where_the_capital_is_won(self, differences: list[float]) -> None:
        bounds = betting_sequence(differences)
        assert len(bounds) == len(differences)
        for seen, (low, high) in enumerate(bounds, 1):
            assert -1.0 <= low <= high <= 1.0
            for end, place, step in ((low, 0, 1e-4), (high, 1, -1e-4)):
                if -0.999 < end < 0.999 and high - low > 1e-3:
                    won = [pair[place] for pair in capital(differences[:seen], null=end)]
                    assert max(won) >= 40 * (1 - 1e-6)
                    inside = [pair[place] for pair in capital(differences[:seen], null=end + step)]
                    assert max(inside) < 40

    @given(DIFFERENCES)
    @settings(deadline=None, max_examples=25)
    def test_bounds_never_widen(self, differences: list[float]) -> None:
        bounds = betting_sequence(differences)
        for (low, high), (later_low, later_high) in pairwise(bounds):
            assert low <= later_low + 1e-4
            assert later_high <= high + 1e-4

    def test_it_closes_in_on_the_mean(self) -> None:
        rng = np.random.default_rng(8)
        low, high = betting_sequence(np.clip(rng.normal(-0.2, 0.2, 100), -1, 1).tolist(), planned=100)[-1]
        assert -0.35 < low < -0.2 < high < -0.08

    def test_a_range_of_its_own(self) -> None:
        wide = betting_sequence([0.2, 0.4, 0.3] * 10)
        scaled = betting_sequence([2.0, 4.0, 3.0] * 10, lowest=-10.0, highest=10.0)
        assert [low * 10 for low, _ in wide] == pytest.approx([low for low, _ in scaled], abs=1e-3)

    def test_contradicting_bounds_are_still_an_interval(self) -> None:
        low, high = betting_sequence([1.0] * 60 + [-1.0] * 400)[-1]
        assert low == high

    def test_no_cases(self) -> None:
        assert betting_sequence([]) == []


class TestAsymptoticSequence:
    def test_by_hand(self) -> None:
        # Mean 0.1 and s = 0.2 at t = 3; r^2 by Lambert's W.
        bounds = asymptotic_sequence([-0.1, 0.1, 0.3], first_look=3)
        r2 = (-float(lambertw(-(0.05**2) / math.e, -1).real) - 1) / 30
        reach = 0.2 * math.sqrt(2 * (3 * r2 + 1) / (9 * r2) * math.log(math.sqrt(3 * r2 + 1) / 0.05))
        assert bounds[:2] == [None, None]
        assert bounds[2] == pytest.approx((0.1 - reach, 0.1 + reach))

    def test_it_is_narrowest_at_the_planned_case(self) -> None:
        values = [0.1, -0.1] * 60

        def width(planned: int) -> float:
            bounds = asymptotic_sequence(values, planned=planned)[59]
            assert bounds is not None
            return bounds[1] - bounds[0]

        assert width(60) < min(width(59), width(61), width(20), width(200))

    def test_it_is_wider_than_one_look(self) -> None:
        values = np.random.default_rng(1).normal(size=80).tolist()
        single = mean_interval(values)
        sequence = asymptotic_sequence(values, planned=80)[-1]
        assert single is not None
        assert sequence is not None
        assert 1.2 < (sequence[1] - sequence[0]) / (single.high - single.low) < 1.8

    @pytest.mark.parametrize(
        ("kind", "first_look"), [("normal", 20), ("normal", 30), ("flips", 30), ("mostly none", 30), ("coins", 30)]
    )
    def test_tame_differences_alarm_seldom(self, kind: str, first_look: int) -> None:
        assert self.alarms(NULLS[kind], first_look) < allowed(600)

    def test_where_it_must_not_be_used(self) -> None:
        """The reason for the first look at 30, and for betting where a run may stop."""
        assert self.alarms(NULLS["normal"], 2) > 0.15
        assert self.alarms(NULLS["few large losses"], 30) > 0.12

    def alarms(self, draw: Draw, first_look: int) -> float:
        rng = np.random.default_rng(first_look)
        found = 0
        for _ in range(600):
            bounds = asymptotic_sequence(draw(rng, 200).tolist(), first_look=first_look)
            found += any(pair is not None and not pair[0] <= 0.0 <= pair[1] for pair in bounds)
        return found / 600

    def test_arguments(self) -> None:
        assert asymptotic_sequence([]) == []
        for wrong in ({"level": 0.0}, {"planned": 0}, {"first_look": 1}):
            with pytest.raises(ValueError):
                asymptotic_sequence([0.1], **wrong)
        with pytest.raises(ValueError, match="finite"):
            asymptotic_sequence([math.inf])


def test_peeking_at_a_t_interval_is_what_this_is_for() -> None:
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(200):
        values = rng.normal(0, 0.25, 60).tolist()
        looks = [mean_interval(values[:seen]) for seen in range(2, 61)]
        alarms += any(look is not None and look.p_value < 0.05 for look in looks)
    assert alarms / 200 > 0.2
