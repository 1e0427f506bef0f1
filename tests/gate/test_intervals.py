"""Intervals of means: against scipy, by hand, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.domain.intervals import Interval
from row3.gate.intervals import interval_of, mean_interval, paired_interval, spread_of_mean

FRACTION = st.floats(0, 1).map(lambda value: round(value, 6))
PAIRS = st.lists(st.tuples(FRACTION, FRACTION), min_size=2, max_size=30)


def found(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def test_by_hand() -> None:
    # Differences -0.1, 0, 0.1, 0.2: mean 0.05, s^2 = 0.05 / 3, SE = sqrt(s^2 / 4), t(0.975, 3) = 3.1824.
    interval = found(paired_interval([0.5, 0.5, 0.5, 0.5], [0.4, 0.5, 0.6, 0.7]))
    assert interval.estimate == pytest.approx(0.05)
    assert interval.standard_error == pytest.approx(math.sqrt(0.05 / 12))
    assert interval.high - interval.estimate == pytest.approx(3.182446 * math.sqrt(0.05 / 12), rel=1e-6)
    assert (interval.df, interval.units, interval.level) == (3.0, 4, 0.95)
    assert interval.p_value == pytest.approx(0.4950, abs=1e-4)


@given(PAIRS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=60)
def test_single_cases_give_the_paired_t_test(pairs: list[tuple[float, float]], level: float) -> None:
    before, after = [old for old, _ in pairs], [new for _, new in pairs]
    interval = found(paired_interval(before, after, level=level))
    differences = np.subtract(after, before)
    if np.ptp(differences) < 1e-9:
        assert interval.degenerate
        return
    theirs = stats.ttest_rel(after, before)
    ends = theirs.confidence_interval(level)
    assert interval.p_value == pytest.approx(float(theirs.pvalue), rel=1e-7, abs=1e-12)
    assert (interval.low, interval.high) == pytest.approx((float(ends.low), float(ends.high)), abs=1e-9)
    assert interval == found(paired_interval(before, after, level=level, clusters=[None] * len(pairs)))
    alone = found(paired_interval(before, after, level=level, clusters=list(range(len(pairs)))))
    assert alone.standard_error == pytest.approx(interval.standard_error)
    assert alone.df == interval.df


@given(PAIRS, st.data())
@settings(deadline=None, max_examples=60)
def test_never_nan_and_consistent(pairs: list[tuple[float, float]], data: st.DataObject) -> None:
    label = st.sampled_from([None, "a", "b", "c", "d"])
    clusters = data.draw(st.lists(label, min_size=len(pairs), max_size=len(pairs)))
    interval = paired_interval(*[list(side) for side in zip(*pairs, strict=True)], clusters=clusters)
    if interval is None:
        assert len(set(clusters)) == 1
        return
    numbers = (interval.estimate, interval.low, interval.high, interval.p_value, interval.standard_error, interval.df)
    assert all(map(math.isfinite, numbers))
    assert interval.low <= interval.estimate <= interval.high
    assert 1.0 - 1e-9 <= interval.df <= interval.units - 1 + 1e-9
    assert 0.0 <= interval.p_value <= 1.0
    if not interval.degenerate and abs(interval.p_value - 0.05) > 1e-9:
        assert (interval.p_value < 0.05) == (not interval.low <= 0.0 <= interval.high)


def test_equal_clusters_give_the_familiar_formula() -> None:
    values = [0.1, 0.3, -0.2, 0.4, 0.0, 0.05]
    interval = found(mean_interval(values, clusters=["a", "a", "b", "b", "c", "c"]))
    means = [0.2, 0.1, 0.025]
    assert interval.standard_error == pytest.approx(float(np.std(means, ddof=1)) / math.sqrt(3))
    assert (interval.df, interval.units) == (2.0, 3)


def test_unequal_clusters_against_the_matrices_of_bell_and_mccaffrey() -> None:
    sizes = [6, 3, 2, 1, 1, 1, 1]
    values = np.random.default_rng(5).normal(size=sum(sizes))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    n = len(values)
    hat = np.full((n, n), 1 / n)
    middle = 0.0
    columns = []
    for cluster in range(len(sizes)):
        inside = labels == cluster
        values_, vectors = np.linalg.eigh(np.eye(inside.sum()) - hat[np.ix_(inside, inside)])
        root = vectors @ np.diag(values_**-0.5) @ vectors.T
        weights = root @ np.ones(inside.sum()) / n
        middle += float(weights @ (values - values.mean())[inside]) ** 2
        columns.append((np.eye(n) - hat)[:, inside] @ weights)
    gram = np.array(columns) @ np.array(columns).T
    interval = found(mean_interval(values.tolist(), clusters=labels.tolist()))
    assert interval.standard_error == pytest.approx(math.sqrt(middle))
    assert interval.df == pytest.approx(np.trace(gram) ** 2 / np.sum(gram**2))
    assert interval.df == pytest.approx(3.47, abs=0.01)


def test_repeats_are_clustered_in_their_case() -> None:
    """The mean over a case's repeats gives what the repeats give as one cluster a case."""
    rng = np.random.default_rng(1)
    answers = rng.normal(0.7, 0.1, (8, 3)).round(3)
    by_case = found(mean_interval(answers.mean(1).tolist()))
    by_answer = found(mean_interval(answers.ravel().tolist(), clusters=np.repeat(np.arange(8), 3).tolist()))
    assert by_case.standard_error == pytest.approx(by_answer.standard_error)
    assert (by_case.df, by_case.units) == (by_answer.df, by_answer.units)


@pytest.mark.parametrize(
    ("sizes", "correlation"), [([1] * 5, 0.0), ([6, 3, 2, 1, 1, 1, 1], 0.5), ([10, 1, 1, 1, 1, 1], 0.5)]
)
def test_false_alarms_are_as_rare_as_promised(sizes: list[int], correlation: float) -> None:
    rng = np.random.default_rng(3)
    rounds, labels = 1500, np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(size=(rounds, len(sizes)))[:, labels]
    values = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * rng.normal(size=shared.shape)
    alarms = sum(found(mean_interval(row, clusters=labels.tolist())).p_value < 0.05 for row in values.tolist())
    assert alarms / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)


class TestNoSpread:
    def test_nothing_moved(self) -> None:
        interval = found(paired_interval([0.2, 0.5, 0.9], [0.2, 0.5, 0.9]))
        assert (interval.estimate, interval.low, interval.high, interval.p_value) == (0.0, 0.0, 0.0, 1.0)
        assert interval.degenerate

    def test_all_moved_alike_up_to_rounding(self) -> None:
        # 0.8 - 0.6 and 0.7 - 0.5 differ in the last bit, which is no spread.
        interval = found(paired_interval([0.8, 0.7, 0.9], [0.6, 0.5, 0.7]))
        assert interval.degenerate
        assert interval.low == interval.high == pytest.approx(-0.2)
        assert interval.p_value == 0.0

    def test_clusters_whose_cases_cancel(self) -> None:
        interval = found(mean_interval([0.1, -0.1, 0.1, -0.1], clusters=["a", "a", "b", "b"]))
        assert interval.degenerate
        assert interval.p_value == 1.0


def test_unknown_with_fewer_than_two_units() -> None:
    assert mean_interval([]) is None
    assert paired_interval([], []) is None
    assert mean_interval([0.5]) is None
    assert mean_interval([0.5, 0.6, 0.7], clusters=["a", "a", "a"]) is None
    assert spread_of_mean([]) is None


def test_no_label_is_a_case_of_its_own() -> None:
    assert found(mean_interval([0.1, 0.2, 0.4], clusters=[None, None, "x"])).units == 3
    # A label cannot be taken for the place of a case without one.
    assert found(mean_interval([0.1, 0.2, 0.4], clusters=[None, 0, ("alone", 0)])).units == 3


def test_one_sample_against_a_null_value() -> None:
    values = [0.7, 0.8, 0.75, 0.9]
    interval = found(mean_interval(values, null=0.8))
    assert interval.p_value == pytest.approx(float(stats.ttest_1samp(values, 0.8).pvalue))
    assert found(mean_interval([0.8, 0.8], null=0.8)).p_value == 1.0


def test_relative_to_an_estimated_baseline() -> None:
    before, after = [0.8, 0.6, 0.9, 0.7], [0.7, 0.6, 0.8, 0.65]
    interval = found(paired_interval([0.95 * value for value in before], after))
    assert interval.estimate == pytest.approx(np.mean(after) - 0.95 * np.mean(before))


def test_negated() -> None:
    interval = found(mean_interval([0.1, 0.2, 0.4]))
    other = interval.negated()
    assert (other.estimate, other.low, other.high) == (-interval.estimate, -interval.high, -interval.low)
    assert other.negated() == interval
    assert str(found(mean_interval([0.0, 0.0])).negated().estimate) == "0.0"


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, math.nan])
def test_level(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        mean_interval([0.1, 0.2], level=level)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_are_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        interval_of(0.0, [0.1, bad])


def test_lengths_agree() -> None:
    with pytest.raises(ValueError):
        paired_interval([0.1, 0.2], [0.1])
    with pytest.raises(ValueError):
        mean_interval([0.1, 0.2], clusters=["a"])
