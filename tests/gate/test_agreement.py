"""Agreement checked against scikit-learn, intervals by simulation, corrections against published figures."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from sklearn.metrics import cohen_kappa_score

from row3.domain.judges import Coefficient, Rate
from row3.gate.agreement import agreement, kappa, prediction_powered, rate, rogan_gladen, wilson

grades = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


@given(grades)
def test_kappas_equal_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    person, judge = [one for one, _ in pairs], [other for _, other in pairs]
    if len({*person, *judge}) > 1:
        assert kappa(person, judge).value == pytest.approx(cohen_kappa_score(person, judge))
        labels = sorted({*person, *judge})
        if labels == list(range(labels[0], labels[-1] + 1)):  # scikit-learn weighs by position, row3 by grade
            theirs = cohen_kappa_score(person, judge, weights="quadratic")
            assert kappa(person, judge, "quadratic").value == pytest.approx(theirs)


def test_kappa_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o = .7, p_e = .5·.6 + .5·.4 = .5 (the example of Cohen's article)
    person = [1] * 25 + [0] * 25
    judge = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    found = kappa(person, judge)
    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == (pytest.approx(0.1511, abs=1e-3), pytest.approx(0.6489, abs=1e-3))


def test_a_single_grade_has_a_kappa_of_0() -> None:
    assert kappa([1, 1, 1], [1, 1, 1]).value == 0.0


def test_a_constant_grader_has_a_kappa_of_0() -> None:
    assert kappa([2] * 28, [2] * 27 + [1]) == Coefficient(0.0, -1.0, 1.0)


def test_few_agreeing_labels_give_a_wide_interval() -> None:
    assert kappa([0, 1] * 3, [0, 1] * 3).low < 0.6 < kappa([0, 1] * 30, [0, 1] * 30).low


def test_the_interval_of_kappa_covers_the_truth() -> None:
    """With sixty labels of a judge that is right in 85 %, kappa is .7; 95 % intervals miss it one time in twenty."""
    rng, covered = random.Random(7), 0
    for _ in range(400):
        person = [rng.randint(0, 1) for _ in range(60)]
        judge = [each if rng.random() < 0.85 else 1 - each for each in person]
        found = kappa(person, judge)
        covered += found.low <= 0.7 <= found.high
    assert 0.91 <= covered / 400 <= 0.99


@given(st.integers(1, 60), st.data())
def test_wilson_equals_scipys(n: int, data: st.DataObject) -> None:
    seen = data.draw(st.integers(0, n))
    theirs = binomtest(seen, n).proportion_ci(method="wilson")
    assert wilson(seen, n) == (pytest.approx(theirs.low, abs=1e-9), pytest.approx(theirs.high, abs=1e-9))


def test_sensitivity_and_specificity() -> None:
    right, wrong, missed = (True, True), (False, True), (True, False)
    found = agreement([2, 2, 2, 0, 0], [2, 2, 0, 0, 2], passes=[right, right, missed, (False, False), wrong])
    assert found.accuracy.value == pytest.approx(3 / 5)
    assert found.sensitivity is not None and found.sensitivity.value == pytest.approx(2 / 3)
    assert found.specificity is not None and found.specificity.value == pytest.approx(1 / 2)
    assert agreement([1, 1], [1, 0], passes=[right, missed]).specificity is None


def test_rogan_gladen_reproduces_the_published_example() -> None:
    found = rogan_gladen(Rate(0.78, 0, 1, 100), Rate(0.90, 0, 1, 50), Rate(0.85, 0, 1, 50))
    assert found is not None and found.value == pytest.approx(0.84)


def test_a_judge_no_better_than_chance_gives_no_corrected_rate() -> None:
    assert rogan_gladen(Rate(0.5, 0, 1, 100), Rate(0.5, 0, 1, 50), Rate(0.5, 0, 1, 50)) is None


@given(st.integers(0, 40), st.integers(21, 40), st.integers(21, 40))
def test_a_corrected_rate_stays_a_rate(seen: int, right: int, wrong: int) -> None:
    judged, sensitivity, specificity = rate(seen, 40), rate(right, 40), rate(wrong, 40)
    assert judged and sensitivity and specificity
    found = rogan_gladen(judged, sensitivity, specificity)
    assert found is not None and 0 <= found.low <= found.value <= found.high <= 1


def test_corrected_rates_cover_the_truth() -> None:
    """A judge with sensitivity .9 and specificity .8 on 80 + 80 labels, 200 answers of which 60% are good."""
    rng, raw, corrected = random.Random(3), 0, 0

    def judged(good: bool) -> bool:
        return rng.random() < (0.9 if good else 0.2)

    for _ in range(300):
        seen = rate(sum(judged(rng.random() < 0.6) for _ in range(200)), 200)
        found = rogan_gladen(
            seen, rate(sum(judged(True) for _ in range(80)), 80), rate(sum(not judged(False) for _ in range(80)), 80)
        )
        assert found is not None and seen is not None
        raw += seen.low <= 0.6 <= seen.high
        corrected += found.low <= 0.6 <= found.high
    assert corrected / 300 >= 0.92 > raw / 300


@given(
    st.integers(2, 60), st.integers(0, 60), st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
)
def test_prediction_powered_equals_numpys(n: int, seen: int, labels: list[tuple[bool, bool]]) -> None:
    """The variances are those of the data with made-up answers added, so that no interval is a point."""
    judged = rate(min(seen, n), n)
    assert judged is not None
    found = prediction_powered(judged, labels)
    answers = np.repeat([1.0, 0.0], [min(seen, n) + 2, n - min(seen, n) + 2])  # Agresti and Coull
    person, judge = np.array([*labels * 2, (0, 0), (0, 1), (1, 0), (1, 1)], dtype=float).T  # Agresti and Min
    error = np.sqrt(np.var(answers) / n + np.var(person - judge) / (len(labels) + 2))
    value = np.clip(judged.value + np.mean(np.array(labels) @ [1, -1]), 0, 1)
    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(max(0, value - norm.ppf(0.975) * error))
    assert found.high == pytest.approx(min(1, value + norm.ppf(0.975) * error))
    assert 0 <= found.low <= found.value <= found.high <= 1 and found.low < found.high
