"""Families of metrics: adjusted p-values by hand and against scipy, error rates by simulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.domain.intervals import Interval
from row3.gate.distributions import t_cdf
from row3.gate.intervals import mean_interval
from row3.gate.multiplicity import (
    benjamini_hochberg,
    block_p,
    holm,
    judge_family,
    pass_p,
    simultaneous_upper_limits,
)

P_VALUES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8)
METRICS = [f"metric {number}" for number in range(6)]


def interval(estimate: float, error: float, df: float = 29.0) -> Interval:
    """Only what the functions read is meant."""
    return Interval(estimate, estimate - 2 * error, estimate + 2 * error, 0.95, 0.5, error, df, 30)


def test_holm_by_hand() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )
    assert holm({}) == {}


@given(P_VALUES)
@settings(deadline=None)
def test_holm_lies_between_the_raw_value_and_bonferroni(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    assert list(adjusted) == list(p_values)
    for key, p in p_values.items():
        assert p <= adjusted[key] <= min(1.0, len(p_values) * p)
    if p_values:
        least = min(p_values.values())
        assert min(adjusted.values()) == min(1.0, len(p_values) * least)


@given(P_VALUES)
@settings(deadline=None)
def test_benjamini_hochberg_is_scipys(p_values: dict[str, float]) -> None:
    adjusted = benjamini_hochberg(p_values)
    assert list(adjusted) == list(p_values)
    if p_values:
        theirs = stats.false_discovery_control(list(p_values.values()))
        assert list(adjusted.values()) == pytest.approx(theirs.tolist())
        assert all(adjusted[key] <= holm(p_values)[key] + 1e-15 for key in p_values)


def test_the_two_questions() -> None:
    lost = interval(-0.12, 0.02)
    assert block_p(lost, 0.05) == pytest.approx(t_cdf(-3.5, 29.0))
    assert pass_p(lost, 0.05) == pytest.approx(1.0 - t_cdf(-3.5, 29.0))
    assert pass_p(interval(0.0, 0.02), 0.05) == pytest.approx(t_cdf(-2.5, 29.0))
    assert block_p(None, 0.05) == pass_p(None, 0.05) == 1.0


@pytest.mark.parametrize(
    ("estimate", "blocks", "passes"),
    [(-0.06, 0.25**30, 1.0), (-0.05, 1.0, 1.0), (-0.05 - 1e-12, 1.0, 1.0), (0.0, 1.0, 0.0)],
)
def test_without_spread_the_estimate_decides(estimate: float, blocks: float, passes: float) -> None:
    assert block_p(interval(estimate, 0.0), 0.05) == blocks
    assert pass_p(interval(estimate, 0.0), 0.05) == passes


@pytest.mark.parametrize(("units", "blocked"), [(2, False), (3, True)])
def test_two_cases_that_fall_alike_may_be_chance(units: int, blocked: bool) -> None:
    """Yes before and no after, in both of two cases that are coins: one time in 16."""
    alike = replace(interval(-1.0, 0.0), units=units)
    assert block_p(alike, 0.05) == 0.25**units
    verdict = judge_family({"overall": alike}, {"overall": 0.05}, alpha=0.025, primary="overall")
    assert bool(verdict.blocked) is blocked


def test_two_equal_answers_differ_by_a_given_amount_at_most_one_time_in_four() -> None:
    """sum_k p_k p_{k+1} <= 1/4 for any distribution on a grid, reached by a coin."""
    rng = np.random.default_rng(4)
    for size in range(2, 9):
        p = rng.dirichlet(np.full(size, 0.3), 2000)
        assert (p[:, 1:] * p[:, :-1]).sum(axis=1).max() <= 0.25
    assert 0.5 * 0.5 == 0.25


def test_a_primary_metric_has_its_own_error_rate() -> None:
    family = {"overall": interval(-0.11, 0.028), "a": interval(-0.11, 0.028), "b": interval(0.0, 0.02)}
    limits = dict.fromkeys(family, 0.05)
    single = block_p(family["overall"], 0.05)
    assert 0.0125 < single < 0.025
    verdict = judge_family(family, limits, alpha=0.025, primary="overall")
    assert verdict.blocked == ("overall",)
    assert (verdict.block_p["overall"], verdict.block_p["a"]) == (single, pytest.approx(2 * single))
    assert judge_family(family, limits, alpha=0.025).blocked == ()
    assert judge_family(family, limits, alpha=0.025, primary="absent").blocked == ()


def test_a_family() -> None:
    family = {"a": interval(-0.15, 0.02), "b": interval(0.0, 0.01), "c": interval(-0.03, 0.03), "d": None}
    verdict = judge_family(family, dict.fromkeys(family, 0.05))
    assert verdict.blocked == ("a",)
    assert verdict.unclear == ("c", "d")
    assert not verdict.passes
    assert verdict.block_p["a"] == pytest.approx(4 * block_p(family["a"], 0.05))
    assert judge_family({"b": family["b"]}, {"b": 0.05}).passes
    with pytest.raises(KeyError):
        judge_family(family, {"a": 0.05})


def test_nothing_blocks_and_passes_at_once() -> None:
    for estimate in (-0.2, -0.1, -0.05, -0.04, 0.0, 0.1):
        for error in (0.0, 0.001, 0.05):
            verdict = judge_family({"a": interval(estimate, error)}, {"a": 0.05})
            assert not (verdict.blocked and verdict.pass_p["a"] <= 0.05)


def families(true: list[float], rounds: int, seed: int) -> list[dict[str, Interval]]:
    """Correlated metrics over 15 cases, the given true changes, spread 0.1."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(rounds):
        shared = rng.normal(size=(15, 1))
        values = np.array(true) + 0.1 * (math.sqrt(0.3) * shared + math.sqrt(0.7) * rng.normal(size=(15, len(true))))
        family = {}
        for key, column in zip(METRICS, values.T.tolist(), strict=False):
            found = mean_interval(column)
            assert found is not None
            family[key] = found
        made.append(family)
    return made


LIMITS = dict.fromkeys(METRICS, 0.05)
ROUNDS = 600
SLACK = 3 * math.sqrt(0.05 * 0.95 / ROUNDS)


def test_a_family_at_its_limits_is_seldom_blocked() -> None:
    made = families([-0.05] * 6, ROUNDS, 1)
    blocked = sum(bool(judge_family(family, LIMITS).blocked) for family in made)
    assert blocked / ROUNDS < 0.05 + SLACK
    unadjusted = sum(min(block_p(found, 0.05) for found in family.values()) < 0.05 for family in made)
    assert unadjusted / ROUNDS > 0.12  # which is why


def test_a_family_with_one_metric_at_its_limit_seldom_passes() -> None:
    passed = sum(judge_family(family, LIMITS).passes for family in families([-0.05] + [0.2] * 5, ROUNDS, 2))
    assert 0.02 < passed / ROUNDS < 0.05 + SLACK  # unadjusted, and no more than 5 %


@pytest.mark.parametrize("true", [[0.0] * 6, [-0.2, -0.2, -0.06, -0.05, 0.0, 0.0], [-0.2] * 6])
def test_simultaneous_limits_hold_at_once_and_agree_with_holm(true: list[float]) -> None:
    held = 0
    for family in families(true, ROUNDS, 3):
        upper = simultaneous_upper_limits(family, LIMITS)
        held += all(change <= upper[key] + 1e-12 for key, change in zip(METRICS, true, strict=True))
        blocked = judge_family(family, LIMITS).blocked
        assert all((upper[key] <= -0.05 + 1e-12) == (key in blocked) for key in METRICS)
    assert held / ROUNDS > 0.95 - SLACK


def test_simultaneous_limits_by_hand() -> None:
    family = {"a": interval(-0.2, 0.02), "b": interval(0.0, 0.01), "c": interval(-0.03, 0.03)}
    upper = simultaneous_upper_limits(family, LIMITS | dict.fromkeys(family, 0.05))
    wide = float(stats.t.ppf(1 - 0.05 / 2, 29))  # one of three is blocked
    assert upper == pytest.approx({"a": -0.05, "b": 0.01 * wide, "c": -0.03 + 0.03 * wide})
    alone = simultaneous_upper_limits({"a": interval(-0.2, 0.02)}, {"a": 0.05})
    assert alone == {"a": pytest.approx(-0.2 + 0.02 * float(stats.t.ppf(0.95, 29)))}


def test_limits_of_no_metric() -> None:
    assert simultaneous_upper_limits({}, {}) == {}
