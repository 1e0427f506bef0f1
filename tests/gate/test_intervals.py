"""Intervals and tests of means and differences: against scipy, by hand, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.domain.judgements import Interval
from row3.gate.exact import sign_flip_p
from row3.gate.intervals import FEW, Differences, mean_interval, spread_of_mean
from row3.gate.leaderboard import rank_all
from tests.rows import every_row

FRACTION = st.floats(0, 1).map(lambda value: round(value, 6))
PAIRS = st.lists(st.tuples(FRACTION, FRACTION), min_size=2, max_size=30)


def paired_interval(
    before: Sequence[float], after: Sequence[float], clusters: Sequence[str | None] | None = None
) -> Interval | None:
    return mean_interval([new - old for old, new in zip(before, after, strict=True)], clusters=clusters)


def found(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def test_by_hand() -> None:
    # Differences -0.1, 0, 0.1, 0.2: mean 0.05, s^2 = 0.05 / 3, SE = sqrt(s^2 / 4), t(0.975, 3) = 3.1824.
    interval = found(mean_interval([-0.1, 0.0, 0.1, 0.2]))
    assert interval.estimate == pytest.approx(0.05)
    assert interval.standard_error == pytest.approx(math.sqrt(0.05 / 12))
    assert interval.high - interval.estimate == pytest.approx(3.182446 * math.sqrt(0.05 / 12), rel=1e-6)
    assert (interval.df, interval.units, interval.level) == (3.0, 4, 0.95)
    assert interval.p_value == pytest.approx(0.4950, abs=1e-4)


@given(st.lists(FRACTION, min_size=2, max_size=30), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=60)
def test_single_cases_give_the_t_test(values: list[float], level: float) -> None:
    interval = found(mean_interval(values, level=level))
    if np.ptp(values) < 1e-9:
        assert interval.degenerate
        return
    theirs = stats.ttest_1samp(values, 0.0)
    ends = theirs.confidence_interval(level)
    assert interval.p_value == pytest.approx(float(theirs.pvalue), rel=1e-7, abs=1e-12)
    assert (interval.low, interval.high) == pytest.approx((float(ends.low), float(ends.high)), abs=1e-9)
    assert interval == found(mean_interval(values, level=level, clusters=[None] * len(values)))
    alone = found(mean_interval(values, level=level, clusters=list(range(len(values)))))
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
    if not interval.degenerate and abs(interval.p_value - 0.05) > 1e-4:
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
    """A case's mean gives the same result as its repeats in one cluster."""
    rng = np.random.default_rng(1)
    answers = rng.normal(0.7, 0.1, (8, 3)).round(3)
    by_case = found(mean_interval(answers.mean(1).tolist()))
    by_answer = found(mean_interval(answers.ravel().tolist(), clusters=np.repeat(np.arange(8), 3).tolist()))
    assert by_case.standard_error == pytest.approx(by_answer.standard_error)
    assert (by_case.df, by_case.units) == (by_answer.df, by_answer.units)


@every_row(("sizes", "correlation"), [([1] * 5, 0.0), ([6, 3, 2, 1, 1, 1, 1], 0.5), ([10, 1, 1, 1, 1, 1], 0.5)])
def test_false_alarms_keep_the_error_rate(sizes: list[int], correlation: float) -> None:
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

    def test_equal_moves_up_to_rounding(self) -> None:
        # 0.8 - 0.6 and 0.7 - 0.5 differ in the last bit, which is not a spread.
        interval = found(paired_interval([0.8, 0.7, 0.9] * 2, [0.6, 0.5, 0.7] * 2))
        assert interval.degenerate
        assert interval.low == interval.high == pytest.approx(-0.2)
        assert interval.p_value == pytest.approx(2 / 64)

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


def test_a_case_without_a_label_is_its_own_unit() -> None:
    assert found(mean_interval([0.1, 0.2, 0.4], clusters=[None, None, "x"])).units == 3
    # No label equals the key of a case without a label.
    assert found(mean_interval([0.1, 0.2, 0.4], clusters=[None, 0, ("alone", 0)])).units == 3


class TestFewMoved:
    """Fewer than six moved units cannot be significant, whatever their signs."""

    @every_row("moved", range(1, FEW))
    def test_nothing_is_shown(self, moved: int) -> None:
        interval = found(Differences([-0.85] * moved + [0.0] * (30 - moved)).interval())
        assert interval.low < interval.estimate < 0.0 <= interval.high
        assert interval.p_value == pytest.approx(2 * 0.5**moved, rel=0.03)

    def test_six_moved_units_are_enough(self) -> None:
        assert found(Differences([-0.85] * 6 + [0.0] * 24).interval()).high < 0.0

    def test_a_cases_range_bounds_the_interval(self) -> None:
        values = [-0.85] * 2 + [0.0] * 28
        free, bound = Differences(values), Differences(values, lowest=-0.85, highest=0.15)
        assert found(bound.interval()).low == pytest.approx(found(free.interval()).low)
        assert found(bound.interval()).high < found(free.interval()).high

    def test_it_covers_rare_failures(self) -> None:
        """One case in fifteen collapses."""
        rng = np.random.default_rng(7)
        ours = told = 0
        for _ in range(800):
            values = np.where(rng.random(15) < 1 / 15, -0.85, 0.0).tolist()
            if not any(values):
                continue
            told += 1
            interval = found(Differences(values).interval())
            ours += interval.low <= -0.85 / 15 <= interval.high
        assert ours / told > 0.97


class TestUnseenLosses:
    """Where fewer than six units moved, the printed low end is the bound of the test for rare losses."""

    @pytest.mark.parametrize("moved", range(FEW))
    @pytest.mark.parametrize("level", [0.9, 0.95])
    def test_the_low_end_is_the_bound_of_the_test(self, moved: int, level: float) -> None:
        moves = Differences([-0.3] * moved + [0.0] * (15 - moved), lowest=-0.85, highest=0.4)
        shown, seen = found(moves.interval(level)), found(moves.interval(level, unseen=False))
        assert moves.rare_loss_p(-shown.low) == pytest.approx(0.5 - 0.5 * level, rel=1e-3)
        assert (shown.high, shown.p_value) == (seen.high, seen.p_value)
        assert shown.low < seen.low

    def test_by_hand(self) -> None:
        # Fifteen cases without a loss: at 95%, one in 1 - 0.025^(1/15) = 21.8% may be ruined, each losing 0.85.
        low = found(Differences([0.0] * 15, lowest=-0.85).interval()).low
        assert low == pytest.approx(-0.85 * (1.0 - 0.025 ** (1 / 15)), rel=0.02)

    def test_six_moved_units_show_a_spread(self) -> None:
        moves = Differences([-0.1, -0.2, 0.1, -0.05, 0.02, 0.03], lowest=-0.85)
        assert moves.interval() == moves.interval(unseen=False)

    def test_a_shown_rise_stays_shown(self) -> None:
        moves = Differences([0.2] * 5, lowest=-0.8, highest=0.4)
        assert moves.rise_p() <= 0.05
        assert found(moves.interval(0.9)).low > 0.0

    @pytest.mark.parametrize(("cases", "size"), [(15, 1), (15, 5), (25, 5)])
    def test_it_covers_collapses_of_cases_and_sources(self, cases: int, size: int) -> None:
        rng = np.random.default_rng(7)
        labels = [place // size for place in range(cases)]
        held = 0
        for _ in range(400):
            collapsed = rng.random(cases // size) < 0.06
            values = np.where(collapsed[labels], -0.85, 0.0).tolist()
            interval = found(Differences(values, labels, lowest=-0.85, highest=0.15).interval())
            held += interval.low <= -0.85 * 0.06 <= interval.high
        assert held / 400 >= 0.95


class TestAgainstSigns:
    """Up to fifty moved units, both t and the exact test must reject."""

    @given(st.lists(st.floats(-1, 1).map(lambda value: round(value, 2)), min_size=FEW, max_size=20))
    @settings(deadline=None, max_examples=60)
    def test_the_p_value_is_the_larger_one(self, values: list[float]) -> None:
        moves = Differences(values)
        if moves.moved < FEW or np.ptp(values) < 1e-9:
            return
        by_t = float(stats.ttest_1samp(values, 0.0, alternative="less").pvalue)
        assert moves.fall_p() == pytest.approx(max(by_t, sign_flip_p(values)), abs=1e-9)
        assert moves.rise_p() == pytest.approx(Differences([-value for value in values]).fall_p())

    def test_pass_or_fail_is_judged_by_mcnemar(self) -> None:
        # t says 0.024, the exact test 0.031: five flips one way.
        values = [-1.0] * 7 + [1.0] + [0.0] * 22
        by_t = float(stats.ttest_1samp(values, 0.0, alternative="less").pvalue)
        exact = float(stats.binomtest(7, 8, alternative="greater").pvalue)
        assert by_t < 0.025 < exact
        assert Differences(values).fall_p() == pytest.approx(exact)
        assert found(Differences(values).interval()).high == 0.0

    @every_row("cases", [8, 15, 60])
    def test_equal_runs_keep_the_error_rate(self, cases: int) -> None:
        rng = np.random.default_rng(11)
        alarms = 0
        for _ in range(1500):
            spread = rng.choice([0.0, 0.02, 0.9], cases, p=[0.5, 0.4, 0.1])
            alarms += Differences((spread * rng.normal(size=cases)).tolist()).fall_p() <= 0.05
        assert alarms / 1500 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1500)


class TestLosses:
    def test_beyond_a_limit_is_the_one_sided_t_test(self) -> None:
        values = [-0.1, -0.12, -0.05, -0.2, -0.11, -0.08, -0.15, -0.09]
        exact = 2.0**-8
        by_t = float(stats.ttest_1samp([value + 0.05 for value in values], 0.0, alternative="less").pvalue)
        assert Differences(values).loss_p(0.05) == pytest.approx(max(by_t, exact))

    def test_nothing_moved(self) -> None:
        moves = Differences([0.0] * 80, lowest=-0.85)
        assert (moves.loss_p(0.05), moves.fall_p()) == (1.0, 1.0)
        assert moves.rare_loss_p(0.05) < 0.05 < Differences([0.0] * 40, lowest=-0.85).rare_loss_p(0.05)

    def test_rare_losses_count_sources(self) -> None:
        labels = [f"source {place // 5}" for place in range(80)]
        alone, shared = (Differences([0.0] * 80, each, lowest=-0.85) for each in (None, labels))
        sixteen = Differences([0.0] * 16, lowest=-0.85)
        assert shared.rare_loss_p(0.05) == pytest.approx(sixteen.rare_loss_p(0.05))
        assert alone.rare_loss_p(0.05) < 0.05 < shared.rare_loss_p(0.05)
        assert (alone.units_needed(0.05, 0.05), shared.units_needed(0.05, 0.05)) == (50, 50)


def test_negated() -> None:
    interval = found(mean_interval([0.1, 0.2, 0.4]))
    other = interval.negated()
    assert (other.estimate, other.low, other.high) == (-interval.estimate, -interval.high, -interval.low)
    assert other.negated() == interval
    assert str(found(mean_interval([0.0, 0.0])).negated().estimate) == "0.0"


@every_row("level", [0.0, 1.0, -1.0, math.nan])
def test_level(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        mean_interval([0.1, 0.2], level=level)


@every_row("bad", [math.nan, math.inf])
def test_values_are_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval([0.1, bad])


def test_lengths_agree() -> None:
    with pytest.raises(ValueError):
        rank_all([[0.1, 0.2], [0.1]])
    with pytest.raises(ValueError):
        mean_interval([0.1, 0.2], clusters=["a"])
