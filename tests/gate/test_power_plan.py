"""A plan for one metric, against scipy and against its own promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.power import Needed
from row3.gate.power_plan import CASES, REPEATS, MetricPlan, drops, plan_metric
from row3.gate.variance import DifferenceVariance

SPLIT = DifferenceVariance(0.0025, 14.0, 15, 3.0, case_variance=0.001, repeat_variance=0.00225, repeat_df=60.0)
UNSPLIT = DifferenceVariance(0.0025, 14.0, 15, 1.0)


def moved(*differences: float, repeats: int = 1, spread: float = 0.0) -> Pairs:
    pairs = Pairs()
    for i, difference in enumerate(differences):
        before = {"overall": 0.7 + 0.01 * i}
        after = {"overall": before["overall"] + difference}
        spreads = {"overall": spread} if spread else {}
        pairs.add(before, after, repeats=(repeats, repeats), spreads=(spreads, spreads))
    return pairs


WAVERING = [0.05 * math.sin(7 * i) for i in range(15)]


def made(policy: GatePolicy, detect: float | None = None) -> MetricPlan:
    plan = plan_metric(moved(*WAVERING, repeats=2, spread=0.02), "overall", policy, detect=detect)
    assert plan is not None
    return plan


def power_by_scipy(k: float, df: float, known_df: float) -> float:
    """P(Z + k S1 > t S2) for deviations of their own, S = chi / sqrt(df), by numerical integration."""
    critical = stats.t.ppf(0.975, df)

    nodes, weights = np.polynomial.legendre.leggauss(300)  # from -1 to 1; the density is smooth and ends before 3
    points, weights = 1.5 * (nodes + 1.0), 1.5 * weights
    s1, s2 = points[:, None], points[None, :]
    density = stats.chi.pdf(s1 * math.sqrt(known_df), known_df) * math.sqrt(known_df)
    density = density * stats.chi.pdf(s2 * math.sqrt(df), df) * math.sqrt(df)
    assert weights @ density @ weights == pytest.approx(1.0, abs=1e-9)
    return float(weights @ (stats.norm.sf(critical * s2 - k * s1) * density) @ weights)


@pytest.mark.parametrize("cases", [15, 30, 100])
def test_a_cell_of_the_table_has_80_per_cent_power_by_scipy(cases: int) -> None:
    cell = dict(drops(UNSPLIT))[cases][0]
    assert cell is not None
    k = cell / math.sqrt(0.0025 / cases)
    assert power_by_scipy(k, cases - 1.0, 14.0) == pytest.approx(0.8, abs=2e-3)


def test_with_very_many_cases_it_is_the_textbook() -> None:
    known = DifferenceVariance(0.0025, 1e9, 15, 1.0)
    cell = dict(drops(known, cases=(10_000,)))[10_000][0]
    assert cell == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * 0.05 / 100, rel=1e-3)


def test_the_table_has_the_present_number_too_and_falls_both_ways() -> None:
    table = drops(DifferenceVariance(0.0025, 22.0, 23, 3.0, 0.001, 0.00225, 90.0))
    assert [cases for cases, _ in table] == sorted({*CASES, 23})
    columns = list(zip(*(cells for _, cells in table), strict=True))
    assert len(columns) == len(REPEATS)
    for column in columns:
        assert list(column) == sorted(column, reverse=True)
    for _, cells in table:
        assert list(cells) == sorted(cells, reverse=True)


def test_doubt_about_many_repeats_never_promises_less_than_few_do() -> None:
    """Two answers a case say little of the noise, so that five repeats alone would promise less than three."""
    rough = DifferenceVariance(0.0025, 14.0, 15, 1.5, case_variance=0.0001, repeat_variance=0.0018, repeat_df=4.0)
    for _, cells in drops(rough):
        assert list(cells) == sorted(cells, reverse=True)


def test_other_repeats_than_observed_are_unknown_where_the_parts_are() -> None:
    for _, cells in drops(UNSPLIT):
        assert cells[0] is not None
        assert cells[1:] == (None, None)


def test_equal_repeats_are_found_in_spite_of_rounding() -> None:
    plan = plan_metric(moved(*WAVERING, repeats=3), "overall", GatePolicy())
    assert plan is not None
    cells = dict(plan.table)[15]
    assert (cells[0], cells[2]) == (None, None)
    assert cells[1] == plan.seen.sees


def test_the_limit_is_the_default_and_detect_takes_its_place() -> None:
    assert made(GatePolicy()).seen.wanted == pytest.approx(0.05)
    assert made(GatePolicy(limits={"overall": 3.0})).seen.wanted == pytest.approx(0.03)
    assert made(GatePolicy(), 0.02).seen.wanted == 0.02
    few, many = made(GatePolicy(), 0.05).seen.needs_cases.count, made(GatePolicy(), 0.02).seen.needs_cases.count
    assert few is not None
    assert many is not None
    assert few < many


def test_blocked_is_the_limit_more_than_seen() -> None:
    seen, blocked = made(GatePolicy(), 0.1), made(GatePolicy(policy="paired"), 0.1)
    assert seen.seen.sees is not None
    assert blocked.seen.sees == pytest.approx(seen.seen.sees + 0.05)
    assert (seen.margin, blocked.margin) == (0.0, 0.05)
    assert not blocked.within_limit


def test_the_limit_itself_is_never_blocked() -> None:
    plan = made(GatePolicy(policy="paired"))
    assert plan.within_limit
    assert plan.seen.needs_cases == Needed(None, "never")


def test_a_relative_limit_is_taken_of_the_baseline() -> None:
    plan = made(GatePolicy(unit="relative"))
    assert plan.seen.wanted == pytest.approx(0.05 * plan.before)
    assert plan.before == pytest.approx(0.77)


def test_no_spread_and_too_few() -> None:
    still = plan_metric(moved(*[0.0] * 15), "overall", GatePolicy())
    assert still is not None
    assert still.seen.sees is None
    assert all(cells == (None, None, None) for _, cells in still.table)
    assert plan_metric(moved(0.1), "overall", GatePolicy()) is None
    assert plan_metric(moved(0.1, 0.2), "recall", GatePolicy()) is None
