"""The pure Python distributions against scipy, far into both tails."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from row3.gate.distributions import (
    beta_quantile,
    normal_cdf,
    normal_quantile,
    t_cdf,
    t_quantile,
)
from tests.rows import every_row

TAILS = (1e-12, 1e-9, 1e-6, 1e-4, 0.001, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49)
PROBABILITIES = (*TAILS, *[1.0 - p for p in reversed(TAILS)])
DEGREES = (1.0, 1.3, 1.88, 2.0, 3.0, 3.47, 4.0, 5.0, 7.0, 10.0, 14.0, 29.0, 30.0, 49.0, 99.0, 199.0, 1e3, 12345.6, 1e5)
SHAPES = (0.5, 1.0, 2.0, 3.0, 9.99, 10.0, 31.0, 100.0, 1e3, 1e4)


def close(ours: float, theirs: float, relative: float = 1e-9) -> bool:
    return math.isclose(ours, float(theirs), rel_tol=relative, abs_tol=1e-300)


@every_row("p", PROBABILITIES)
def test_normal(p: float) -> None:
    z = float(stats.norm.ppf(p))
    assert close(normal_quantile(p), z)
    assert close(normal_cdf(z), stats.norm.cdf(z))


def test_normal_far_tail_keeps_its_digits() -> None:
    assert close(normal_cdf(-37.0), stats.norm.cdf(-37.0))
    assert normal_cdf(40.0) == 1.0


@every_row("df", DEGREES)
def test_t_quantile_and_distribution(df: float) -> None:
    for p in PROBABILITIES:
        t = float(stats.t.ppf(p, df))
        assert close(t_quantile(p, df), t)
        assert close(t_cdf(t, df), stats.t.cdf(t, df))


def test_t_with_a_million_degrees() -> None:
    for p in (1e-12, 0.025, 0.8, 1.0 - 1e-12):
        assert close(t_quantile(p, 1e6), stats.t.ppf(p, 1e6))
    assert close(t_cdf(-1.96, 1e6), stats.t.cdf(-1.96, 1e6))


def test_t_equals_a_printed_table() -> None:
    assert [round(t_quantile(0.975, df), 3) for df in (1, 2, 4, 9, 29)] == [12.706, 4.303, 2.776, 2.262, 2.045]


def test_t_has_closed_forms() -> None:
    for p in (1e-12, 0.01, 0.1, 0.3, 0.4):
        assert close(t_quantile(p, 1.0), -1.0 / math.tan(math.pi * p))
    for t in (-30.0, -2.0, -0.001, 0.5, 3.0):
        assert close(t_cdf(t, 2.0), 0.5 + t / (2.0 * math.sqrt(2.0 + t * t)), 1e-12)


def test_t_near_the_middle_is_a_straight_line() -> None:
    # scipy 1.17 is 4e-4 off here for 4 degrees of freedom; the density at 0 is 3/8.
    assert t_quantile(0.5 + 1e-9, 4.0) == pytest.approx(1e-9 / 0.375, rel=1e-6)
    assert t_quantile(0.5, 4.0) == 0.0
    assert t_cdf(0.0, 4.0) == 0.5


def test_infinite_arguments() -> None:
    assert t_cdf(math.inf, 3.0) == 1.0
    assert t_cdf(-math.inf, 3.0) == 0.0
    assert t_cdf(1.2, math.inf) == normal_cdf(1.2)
    assert t_quantile(0.9, math.inf) == normal_quantile(0.9)
    assert 0.0 < t_cdf(-1e200, 1.0) < 1e-190
    assert t_quantile(1e-300, 0.5) < -1e300


@every_row("a", SHAPES)
def test_beta_quantile_inverts_scipys_distribution(a: float) -> None:
    # Compared with the distribution, because scipy's quantile is up to 1e-8 off for unequal large shapes.
    for b in SHAPES:
        for p in PROBABILITIES:
            x = beta_quantile(p, a, b)
            assert 0.0 < x <= 1.0
            if x < 1.0 - 1e-6:  # closer to 1, a double cannot represent x precisely
                tail, rest = special.betainc(a, b, x), special.betaincc(a, b, x)
                assert close(p, tail) if p < 0.5 else close(1.0 - p, rest, 1e-8), (a, b, p)


@given(st.floats(1e-12, 1 - 1e-12), st.floats(1.0, 500.0))
@settings(deadline=None, max_examples=50)
def test_quantile_and_distribution_undo_each_other(p: float, df: float) -> None:
    t = t_quantile(p, df)
    assert math.isclose(t_cdf(t, df), p, rel_tol=1e-10)
    assert math.isclose(t_quantile(1.0 - p, df), -t, rel_tol=1e-3 if p < 1e-9 else 1e-6, abs_tol=1e-9)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0.5, 1e4))
@settings(deadline=None, max_examples=50)
def test_t_rises_and_is_symmetric(one: float, other: float, df: float) -> None:
    low, high = min(one, other), max(one, other)
    assert t_cdf(low, df) <= t_cdf(high, df)
    assert t_cdf(one, df) + t_cdf(-one, df) == pytest.approx(1.0, abs=1e-14)


@every_row("p", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_a_value_outside_0_to_1_is_refused_as_probability(p: float) -> None:
    for wrong in (normal_quantile, lambda p: t_quantile(p, 3.0), lambda p: beta_quantile(p, 1.0, 1.0)):
        with pytest.raises(ValueError, match="p must be between 0 and 1"):
            wrong(p)


@every_row("bad", [0.0, -1.0, math.nan])
def test_parameters_are_positive(bad: float) -> None:
    for wrong in (
        lambda: t_cdf(1.0, bad),
        lambda: t_quantile(0.5, bad),
        lambda: beta_quantile(0.5, 1.0, bad),
    ):
        with pytest.raises(ValueError, match="above 0"):
            wrong()
