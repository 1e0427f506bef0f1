from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.gate.flakiness import Flakiness, flakiness

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def found(values: list[float], pass_mark: float | None = 0.5, *, ordered: bool = False) -> Flakiness:
    result = flakiness(values, pass_mark=pass_mark, ordered=ordered)
    assert result is not None
    return result


def test_repeats_by_hand() -> None:
    result = found([0.6, 0.4, 0.6, 0.6])
    assert (result.answers, result.lowest, result.highest) == (4, 0.4, 0.6)
    assert result.spread == pytest.approx(0.2)
    assert result.noise == pytest.approx(0.1)
    assert result.flip_rate == 0.5  # three of six pairs
    assert result.verdict == "flaky"
    assert result.hidden == pytest.approx(0.7514, abs=1e-4)  # 1 of 4


def test_history_by_hand() -> None:
    result = found([0.6, 0.4, 0.6, 0.6], ordered=True)
    assert result.flip_rate == pytest.approx(2 / 3)
    assert result.noise == pytest.approx(math.sqrt(0.08 / 6))
    assert result.verdict == "flaky"


@pytest.mark.parametrize(
    ("values", "ordered", "verdict"),
    [
        ([0.9], False, "unknown"),
        ([0.9, 0.1], False, "unknown"),
        ([0.9, 0.9, 0.9], False, "steady"),
        ([0.52, 0.52, 0.48], False, "flaky"),  # 1 of 3 fails
        ([0.52, 0.52, 0.48], True, "steady"),  # changed once: something moved it
        ([0.52, 0.48, 0.52], True, "flaky"),
        ([0.9, 0.8, 0.9], False, "flaky"),  # noise 0.058
        ([0.9, 0.84, 0.9], False, "steady"),
        ([0.54] * 9 + [0.46] * 9, False, "flaky"),
        ([0.54] * 9 + [0.46] * 9, True, "steady"),
        ([0.54] * 20 + [0.46] + [0.54] * 19, True, "steady"),  # 2 of 39: too seldom
    ],
)
def test_the_rule(values: list[float], ordered: bool, verdict: str) -> None:
    assert found(values, ordered=ordered).verdict == verdict


def test_without_a_pass_mark_only_the_values_count() -> None:
    result = found([0.52, 0.48, 0.52], None)
    assert (result.flip_rate, result.hidden, result.verdict) == (None, None, "steady")


def test_steady_is_not_proved() -> None:
    assert found([0.9] * 3).hidden == pytest.approx(1 - 0.05 ** (1 / 3))
    assert round(found([0.9] * 3).hidden or 0.0, 2) == 0.63


@given(VALUES)
@settings(deadline=None)
def test_order_means_nothing_to_repeats(values: list[float]) -> None:
    assert found(values) == found(values[::-1])
    result = found(values)
    assert 0.0 <= (result.flip_rate or 0.0) <= 1.0
    assert result.noise <= max(values) - min(values) + 1e-12
    assert math.isfinite(result.noise)


@given(VALUES)
@settings(deadline=None)
def test_a_history_reads_the_same_backwards(values: list[float]) -> None:
    here, back = found(values, ordered=True), found(values[::-1], ordered=True)
    assert (here.flip_rate, here.verdict) == (back.flip_rate, back.verdict)
    assert here.noise == pytest.approx(back.noise)


def test_both_readings_estimate_the_same_where_nothing_drifts() -> None:
    values = np.random.default_rng(3).normal(0.5, 0.2, 4000).tolist()
    repeats, history = found(values), found(values, ordered=True)
    assert repeats.noise == pytest.approx(0.2, rel=0.03)
    assert history.noise == pytest.approx(0.2, rel=0.05)
    assert repeats.flip_rate == pytest.approx(0.5, abs=0.01)
    assert history.flip_rate == pytest.approx(0.5, abs=0.03)


def test_one_step_in_a_long_history_is_no_noise() -> None:
    assert found([0.9] * 20 + [0.7] * 20, ordered=True).noise == pytest.approx(0.2 / math.sqrt(78))
    assert found([0.9] * 20 + [0.7] * 20).noise > 0.1


def test_nothing_and_nonsense() -> None:
    assert flakiness([]) is None
    with pytest.raises(ValueError, match="finite"):
        flakiness([0.1, math.nan])
