"""Exact bounds and tests of counts, against scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.gate.proportions import clopper_pearson, sign_test, upper_bound, wilson

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVEL = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@given(COUNTS, LEVEL)
@settings(deadline=None, max_examples=80)
def test_intervals_are_scipys(counts: tuple[int, int], level: float) -> None:
    seen, trials = counts
    theirs = stats.binomtest(seen, trials)
    exact = theirs.proportion_ci(level, method="exact")
    score = theirs.proportion_ci(level, method="wilson")
    assert clopper_pearson(seen, trials, level) == pytest.approx((float(exact.low), float(exact.high)), abs=1e-10)
    assert wilson(seen, trials, level) == pytest.approx((float(score.low), float(score.high)), abs=1e-10)
    one_sided = stats.binomtest(seen, trials, alternative="less").proportion_ci(level, method="exact")
    assert upper_bound(seen, trials, level) == pytest.approx(float(one_sided.high), abs=1e-10)


def test_none_seen() -> None:
    assert upper_bound(0, 30) == pytest.approx(1 - 0.05 ** (1 / 30))
    assert round(upper_bound(0, 30), 3) == 0.095
    assert clopper_pearson(0, 30)[0] == wilson(0, 30)[0] == 0.0
    assert clopper_pearson(30, 30)[1] == wilson(30, 30)[1] == upper_bound(30, 30) == 1.0


def test_no_trials_say_nothing() -> None:
    assert clopper_pearson(0, 0) == wilson(0, 0) == (0.0, 1.0)
    assert upper_bound(0, 0) == 1.0


def test_exact_coverage_is_never_below_its_level() -> None:
    for trials in (5, 12):
        ends = [clopper_pearson(seen, trials) for seen in range(trials + 1)]
        for share in (0.01, 0.1, 0.3, 0.5, 0.77, 0.95):
            covered = math.fsum(
                math.comb(trials, seen) * share**seen * (1 - share) ** (trials - seen)
                for seen, (low, high) in enumerate(ends)
                if low <= share <= high
            )
            assert covered >= 0.95 - 1e-12


@given(st.integers(0, 200), st.integers(0, 200))
@settings(deadline=None, max_examples=80)
def test_sign_test_is_scipys_binomial(worse: int, better: int) -> None:
    if worse + better == 0:
        assert sign_test(0, 0) == sign_test(0, 0, two_sided=False) == 1.0
        return
    theirs = stats.binomtest(worse, worse + better)
    assert sign_test(worse, better) == pytest.approx(float(theirs.pvalue), rel=1e-9)
    assert sign_test(worse, better) == sign_test(better, worse)
    leading = stats.binomtest(worse, worse + better, alternative="greater")
    assert sign_test(worse, better, two_sided=False) == pytest.approx(float(leading.pvalue), rel=1e-9)


def test_how_many_clean_flips_it_takes() -> None:
    assert sign_test(5, 0, two_sided=False) == pytest.approx(1 / 32)
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(6, 0) == pytest.approx(2 / 64)
    assert sign_test(0, 3, two_sided=False) == 1.0


@pytest.mark.parametrize(("seen", "trials"), [(-1, 3), (4, 3), (1, 0)])
def test_impossible_counts(seen: int, trials: int) -> None:
    for function in (clopper_pearson, upper_bound, wilson):
        with pytest.raises(ValueError, match="events"):
            function(seen, trials)


def test_impossible_arguments() -> None:
    with pytest.raises(ValueError, match="level"):
        wilson(1, 3, 1.0)
    with pytest.raises(ValueError, match="negative"):
        sign_test(-1, 3)
