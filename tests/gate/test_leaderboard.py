"""Ranks by shown differences, and the Pareto front with unknown figures."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from row3.gate.leaderboard import pareto, rank_all

LOW, HIGH = [0.50, 0.52, 0.54, 0.55, 0.49, 0.51], [0.90, 0.93, 0.91, 0.95, 0.90, 0.89]


def test_two_settings_are_compared_by_the_paired_t_test() -> None:
    ranking = rank_all([LOW, HIGH])
    test = stats.ttest_rel(HIGH, LOW)
    contest = ranking.contests[0, 1]
    assert contest.p_adjusted == pytest.approx(test.pvalue)
    assert contest.interval is not None
    assert (contest.interval.low, contest.interval.high) == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert (ranking.ranks, ranking.order) == ([2, 1], [1, 0])
    back = ranking.contests[1, 0]
    assert (back.delta, back.interval) == (-contest.delta, contest.interval.negated())
    assert ranking.means == pytest.approx([sum(LOW) / 6, sum(HIGH) / 6])


def test_lower_may_be_better() -> None:
    assert rank_all([LOW, HIGH], higher_is_better=False).order == [0, 1]
    assert rank_all([LOW, HIGH], higher_is_better=False).ranks == [1, 2]


def test_settings_within_noise_share_a_rank() -> None:
    noisy = [value + shift for value, shift in zip(LOW, (0.1, -0.1, 0.08, -0.09, 0.02, 0.01), strict=True)]
    ranking = rank_all([LOW, noisy, HIGH])
    assert (ranking.ranks, ranking.order[0]) == ([2, 2, 1], 2)
    assert not ranking.contests[0, 1].shown
    interval = ranking.contests[0, 1].interval
    assert interval is not None
    assert interval.low < 0 < interval.high


def test_p_values_are_adjusted_by_holm_over_all_pairs() -> None:
    settings = [LOW, [value + 0.01 * i for i, value in enumerate(LOW)], HIGH]
    ranking = rank_all(settings)
    raw = {
        pair: stats.ttest_rel(settings[pair[1]], settings[pair[0]]).pvalue
        for pair in itertools.combinations(range(3), 2)
    }
    worst = 0.0
    for left, pair in zip((3, 2, 1), sorted(raw, key=lambda pair: raw[pair]), strict=True):
        worst = max(worst, min(1.0, left * raw[pair]))
        assert ranking.contests[pair].p_adjusted == pytest.approx(worst)


def test_cases_of_one_source_are_one_unit() -> None:
    contest = rank_all([LOW, HIGH], clusters=["a", "a", "a", "b", "b", "b"]).contests[0, 1]
    assert contest.interval is not None
    assert contest.interval.units == 2


def test_one_case_or_few_cases_without_spread_show_no_difference() -> None:
    assert rank_all([[0.1], [0.9]]).ranks == [1, 1]
    assert rank_all([[0.1], [0.9]]).contests[0, 1].interval is None
    assert rank_all([[0.1] * 2, [0.9] * 2]).ranks == [1, 1]
    assert rank_all([[0.1] * 6, [0.9] * 6]).ranks == [2, 1]
    assert rank_all([[0.5] * 4, [0.5] * 4]).contests[0, 1].p_adjusted == 1.0


def test_equal_settings_keep_the_error_rate() -> None:
    chance = random.Random(7)
    wrong = sum(
        max(rank_all([[chance.gauss(0.5, 0.1) for _ in range(12)] for _ in range(4)]).ranks) > 1 for _ in range(400)
    )
    # 5 % of 400 is 20; more than 34 occur about once in a thousand times.
    assert wrong <= 34


FIGURES = st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 3))] * 3), min_size=1, max_size=6)


@given(FIGURES)
def test_the_front_has_the_points_that_no_known_point_beats(points: list[tuple[int | None, ...]]) -> None:
    places = [place for place in range(3) if any(point[place] is not None for point in points)]
    known = [[value for place in places if (value := point[place]) is not None] for point in points]
    for mine, found in zip(known, pareto(points), strict=True):
        if len(mine) < len(places):
            assert found is None
            continue
        rivals = [other for other in known if len(other) == len(places)]
        beaten = any(all(x >= y for x, y in zip(each, mine, strict=True)) and each != mine for each in rivals)
        assert found is not beaten


def test_an_unknown_cost_is_not_zero() -> None:
    # Score and negative cost: the second would win if an unknown cost counted as zero.
    assert pareto([(0.9, -1.0), (0.9, None), (0.8, -2.0)]) == [True, None, False]
    assert pareto([(0.9, -1.0), (0.95, None)]) == [True, None]
    assert pareto([(0.9, None), (0.8, None)]) == [True, False]
    assert pareto([(0.9, -1.0), (0.9, -1.0)]) == [True, True]
    assert pareto([]) == []
