from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.gate.case_worth import FlakyCase, flakiness
from tests.rows import every_row

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def found(values: list[float], pass_mark: float | None = 0.5) -> FlakyCase:
    return flakiness("rye", values, pass_mark)


def test_repeats_by_hand() -> None:
    result = found([0.6, 0.4, 0.6, 0.6])
    assert (result.answers, result.lowest, result.highest) == (4, 0.4, 0.6)
    assert result.noise == pytest.approx(0.1)
    assert result.flip_rate == 0.5  # three of six pairs
    assert result.verdict == "flaky"


@every_row(
    ("values", "verdict"),
    [
        ([0.9], "unknown"),
        ([0.9, 0.1], "unknown"),
        ([0.9, 0.9, 0.9], "steady"),
        ([0.52, 0.52, 0.48], "flaky"),  # 1 of 3 fails
        ([0.9, 0.8, 0.9], "flaky"),  # noise 0.058
        ([0.9, 0.84, 0.9], "steady"),
        ([0.54] * 9 + [0.46] * 9, "flaky"),
    ],
)
def test_the_rule(values: list[float], verdict: str) -> None:
    assert found(values).verdict == verdict


def test_without_a_pass_mark_only_the_values_count() -> None:
    result = found([0.52, 0.48, 0.52], None)
    assert (result.flip_rate, result.verdict) == (None, "steady")


@given(VALUES)
@settings(deadline=None)
def test_the_order_of_repeats_does_not_matter(values: list[float]) -> None:
    assert found(values) == found(values[::-1])
    result = found(values)
    assert 0.0 <= (result.flip_rate or 0.0) <= 1.0
    assert result.noise <= max(values) - min(values) + 1e-12
    assert math.isfinite(result.noise)


def test_lower_may_be_better() -> None:
    result = flakiness("rye", [0.0, 0.1, 0.0], 0.05, higher_is_better=False)
    assert (result.lowest, result.highest, result.flip_rate) == (0.0, 0.1, pytest.approx(2 / 3))
    assert result == flakiness("rye", [0.1, 0.0, 0.0], 0.05, higher_is_better=False)
