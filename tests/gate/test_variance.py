"""Cases and repeats told apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.gate.intervals import paired_interval
from row3.gate.variance import DifferenceVariance, difference_variance

ANSWERS = st.lists(st.floats(0, 1).map(lambda value: round(value, 3)), min_size=1, max_size=4)
CASES = st.lists(st.tuples(ANSWERS, ANSWERS), min_size=2, max_size=12)


def found(variance: DifferenceVariance | None) -> DifferenceVariance:
    assert variance is not None
    return variance


def test_by_hand() -> None:
    # Differences of the means 0 and 0.4: total 0.08. Each answer's variance 0.02 (0.2 apart): noise 2 * 0.02 / 2.
    variance = found(difference_variance([[0.4, 0.6], [0.4, 0.6]], [[0.4, 0.6], [0.8, 1.0]]))
    assert variance.total == pytest.approx(0.08)
    assert variance.repeat_variance == pytest.approx(0.02)
    assert variance.case_variance == pytest.approx(0.06)
    assert (variance.df, variance.cases, variance.repeats, variance.repeat_df) == (1.0, 2, 2.0, 4.0)


def test_parts_of_known_size() -> None:
    rng = np.random.default_rng(6)
    cases, repeats, case_variance, noise = 4000, 3, 0.02, 0.03
    before = rng.normal(0, math.sqrt(noise), (cases, repeats))
    after = rng.normal(0, math.sqrt(case_variance), (cases, 1)) + rng.normal(0, math.sqrt(noise), (cases, repeats))
    variance = found(difference_variance(before.tolist(), after.tolist()))
    assert variance.case_variance == pytest.approx(case_variance, rel=0.1)
    assert variance.repeat_variance == pytest.approx(noise, rel=0.03)
    at_six = variance.at(6)
    assert at_six is not None
    assert at_six[0] == pytest.approx(case_variance + 2 * noise / 6, rel=0.07)


@given(CASES)
@settings(deadline=None, max_examples=60)
def test_the_total_is_that_of_the_paired_interval(cases: list[tuple[list[float], list[float]]]) -> None:
    before, after = [old for old, _ in cases], [new for _, new in cases]
    variance = found(difference_variance(before, after))
    interval = paired_interval([sum(old) / len(old) for old in before], [sum(new) / len(new) for new in after])
    assert interval is not None
    assert math.sqrt(variance.total / variance.cases) == pytest.approx(interval.standard_error, abs=1e-9)
    if variance.repeat_variance is None:
        assert all(len(side) == 1 for case in cases for side in case)
        assert variance.at(variance.repeats) == (variance.total, variance.df)
        assert variance.at(variance.repeats + 1) is None
        return
    assert variance.case_variance is not None
    assert variance.case_variance >= 0.0
    known = [variance.at(repeats) for repeats in (1, 2, 5, 100)]
    sizes = [pair[0] for pair in known if pair is not None]
    assert sizes == sorted(sizes, reverse=True)
    assert all(1.0 <= pair[1] <= variance.df for pair in known if pair is not None)


def test_few_cases_know_little_of_many_repeats() -> None:
    variance = DifferenceVariance(0.04, 14.0, 15, 3.0, case_variance=0.02, repeat_variance=0.03, repeat_df=60.0)
    assert variance.at(3) == (pytest.approx(0.04), 14.0)
    fewer = variance.at(1)
    more = variance.at(30)
    assert fewer is not None
    assert more is not None
    assert fewer[1] == 14.0  # never better known than what was observed
    # total^2 / df = 0.0016 / 14, moved^2 / df = (0.06 * (1/30 - 1/3))^2 / 60, variance 0.022.
    assert more[1] == pytest.approx(0.022**2 / (0.0016 / 14 + 0.018**2 / 60))


def test_clusters_are_in_the_total() -> None:
    before, after = [[0.5]] * 4, [[0.4], [0.4], [0.7], [0.7]]
    alone, together = difference_variance(before, after), difference_variance(before, after, ["a", "a", "b", "b"])
    assert found(together).total > found(alone).total
    assert found(together).df == 1.0


def test_a_side_asked_once_is_taken_to_be_as_noisy() -> None:
    variance = found(difference_variance([[0.5], [0.5]], [[0.4, 0.6], [0.4, 0.6]]))
    assert variance.repeat_variance == pytest.approx(0.02)
    assert variance.repeats == pytest.approx(2 / 1.5)


def test_unknown() -> None:
    assert difference_variance([], []) is None
    assert difference_variance([[0.1]], [[0.2]]) is None
    assert difference_variance([[0.1], [0.2]], [[0.2], [0.4]], ["a", "a"]) is None


@pytest.mark.parametrize(("before", "after"), [([[0.1], []], [[0.1], [0.2]]), ([[0.1]], [[0.1], [0.2]])])
def test_what_does_not_go_together(before: list[list[float]], after: list[list[float]]) -> None:
    with pytest.raises(ValueError):
        difference_variance(before, after)
