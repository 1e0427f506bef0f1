"""The detection factor against the noncentral t distribution and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from row3.gate.power_factor import detection_factor, least_factor


@pytest.mark.parametrize("cases", [2, 3, 5, 10, 15, 30, 200])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_with_a_known_deviation_it_is_the_noncentral_t(cases: int, power: float) -> None:
    df = cases - 1
    factor = detection_factor(df, power=power)
    assert float(stats.nct.sf(stats.t.ppf(0.975, df), df, factor)) == pytest.approx(power, abs=1e-4)


@pytest.mark.parametrize("cases", [3, 5, 10, 15, 30, 50, 200])
def test_with_an_estimated_deviation_the_promise_is_kept_on_average(cases: int) -> None:
    rng = np.random.default_rng(cases)
    rounds, df = 40_000, cases - 1
    promised = np.sqrt(rng.chisquare(df, rounds) / df)
    observed = np.sqrt(rng.chisquare(df, rounds) / df)
    moved = detection_factor(df, known_df=df) * promised + rng.normal(size=rounds)
    detected = float(np.mean(moved > stats.t.ppf(0.975, df) * observed))
    assert detected == pytest.approx(0.8, abs=3 * math.sqrt(0.16 / rounds))


def test_figures_of_the_docstring() -> None:
    textbook = {cases: float(stats.t.ppf(0.975, cases - 1) + stats.t.ppf(0.8, cases - 1)) for cases in (5, 15, 200)}
    honest = {cases: detection_factor(cases - 1, known_df=cases - 1) for cases in textbook}
    assert {cases: round(factor, 2) for cases, factor in textbook.items()} == {5: 3.72, 15: 3.01, 200: 2.82}
    assert {cases: round(factor, 2) for cases, factor in honest.items()} == {5: 4.68, 15: 3.2, 200: 2.83}
    assert round(float(stats.nct.sf(stats.t.ppf(0.975, 4), 4, textbook[5])), 3) == 0.791


def test_it_ends_at_the_normal_quantiles() -> None:
    z = float(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    assert detection_factor(math.inf) == pytest.approx(z, abs=1e-3)
    assert detection_factor(1e5, known_df=1e5) == pytest.approx(z, abs=1e-3)


def test_more_power_more_level_or_less_knowledge_ask_for_more() -> None:
    assert detection_factor(14) < detection_factor(14, power=0.9) < detection_factor(14, power=0.9, level=0.99)
    assert detection_factor(14) < detection_factor(14, known_df=14) < detection_factor(14, known_df=4.5)


@pytest.mark.parametrize("power", [0.0, 0.49, 1.0, math.nan])
def test_power(power: float) -> None:
    with pytest.raises(ValueError, match="power"):
        detection_factor(14, power=power)


def test_level_and_df() -> None:
    with pytest.raises(ValueError, match="level"):
        detection_factor(14, level=1.0)
    with pytest.raises(ValueError, match="above 0"):
        detection_factor(0)


@pytest.mark.parametrize("df", [0.6, 1, 2, 3.5, 14, 200])
@pytest.mark.parametrize("known_df", [1.5, 14, math.inf])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_least_factor_is_below_the_factor(df: float, known_df: float, power: float) -> None:
    assert least_factor(df, known_df=known_df, power=power) < detection_factor(df, known_df=known_df, power=power)


def test_the_least_factor_of_two_cases_is_missed_by_the_noncentral_t_too() -> None:
    least = least_factor(1)
    assert least == pytest.approx(float(stats.t.ppf(0.975, 1) + stats.t.ppf(0.8, 1)), rel=1e-12)
    assert float(stats.nct.sf(stats.t.ppf(0.975, 1), 1, least)) < 0.8
    assert least_factor(14, known_df=14) > 3.0
