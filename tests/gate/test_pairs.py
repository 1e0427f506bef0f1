"""Two runs side by side: means, intervals and variance as from the raw answers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.domain.intervals import Interval
from row3.gate.intervals import paired_interval
from row3.gate.pairs import Pairs
from row3.gate.rare import rare_loss_p
from row3.gate.variance import difference_variance

FRACTION = st.floats(0, 1).map(lambda value: round(value, 3))
SIDES = st.lists(st.tuples(FRACTION, FRACTION), min_size=2, max_size=25)
ANSWERS = st.lists(FRACTION, min_size=1, max_size=4)


def of(before: Sequence[float], after: Sequence[float], sources: Sequence[str | None] | None = None) -> Pairs:
    pairs = Pairs()
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        pairs.add({"overall": old}, {"overall": new}, source=sources[place] if sources else None)
    return pairs


def repeated(cases: Sequence[tuple[Sequence[float], Sequence[float]]], source: str | None = None) -> Pairs:
    """As a run hands its cases over: the mean of the answers, and their spread where there are several."""
    pairs = Pairs()
    for old, new in cases:
        spreads = [{"overall": statistics.stdev(side)} if len(side) > 1 else {} for side in (old, new)]
        pairs.add(
            {"overall": statistics.fmean(old)},
            {"overall": statistics.fmean(new)},
            source=source,
            repeats=(len(old), len(new)),
            spreads=(spreads[0], spreads[1]),
        )
    return pairs


def found(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def test_only_metrics_of_both_sides_count() -> None:
    pairs = Pairs()
    pairs.add({"overall": 0.5, "recall": 0.5}, {"overall": 0.7, "precision": 1.0})
    pairs.add({"overall": 0.5, "recall": 0.5}, {"overall": 0.6, "recall": 0.9})
    assert pairs.counts() == {"overall": 2, "recall": 1}
    before, after = pairs.means()
    assert before == {"overall": 0.5, "recall": 0.5}
    assert after == {"overall": pytest.approx(0.65), "recall": 0.9}
    assert found(pairs.interval("overall")).estimate == pytest.approx(0.15)
    assert pairs.interval("recall") is None  # one case has no spread
    assert pairs.variance("recall") is None
    for key in ("precision", "absent"):
        assert pairs.interval(key) is pairs.variance(key) is pairs.rare_loss(key, 0.05) is None


def test_nothing_at_all() -> None:
    pairs = Pairs()
    assert (pairs.counts(), pairs.means(), pairs.still) == ({}, ({}, {}), True)


@given(SIDES)
@settings(deadline=None, max_examples=60)
def test_the_interval_is_scipys_paired_t(sides: list[tuple[float, float]]) -> None:
    before, after = [old for old, _ in sides], [new for _, new in sides]
    interval = found(of(before, after).interval("overall"))
    assert interval.estimate == pytest.approx(statistics.fmean(after) - statistics.fmean(before))
    if np.ptp(np.subtract(after, before)) < 1e-9:
        assert interval.degenerate
        return
    ends = stats.ttest_rel(after, before).confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((float(ends.low), float(ends.high)), abs=1e-9)


@given(SIDES, st.sampled_from([0.05, -0.05, 0.2]))
@settings(deadline=None, max_examples=40)
def test_a_relative_interval_has_the_noise_of_the_baseline(sides: list[tuple[float, float]], relative: float) -> None:
    before, after = [old for old, _ in sides], [new for _, new in sides]
    theirs = found(paired_interval([old * (1 - relative) for old in before], after))
    ours = found(of(before, after).interval("overall", relative=relative))
    assert (ours.estimate, ours.low, ours.high, ours.df) == pytest.approx(
        (theirs.estimate, theirs.low, theirs.high, theirs.df), abs=1e-12
    )


def test_a_relative_interval_by_hand() -> None:
    # 0.8 and 0.4 may fall to 0.76 and 0.38: 0.02 and 0.06 above that, mean 0.04, SE 0.02.
    interval = found(of([0.8, 0.4], [0.78, 0.44]).interval("overall", relative=0.05))
    assert interval.estimate == pytest.approx(0.04)
    assert interval.standard_error == pytest.approx(0.02)


def test_cases_of_one_source_are_one_unit() -> None:
    before, after = [0.5] * 6, [0.6, 0.6, 0.4, 0.4, 0.7, 0.7]
    apart = found(of(before, after).interval("overall"))
    together = found(of(before, after, ["a", "a", "b", "b", "c", "c"]).interval("overall"))
    assert (apart.units, together.units, together.df) == (6, 3, 2.0)
    assert together.standard_error == pytest.approx(statistics.stdev([0.1, -0.1, 0.2]) / math.sqrt(3))
    assert together.standard_error > apart.standard_error
    some = found(of(before, after, ["a", "a", None, None, None, None]).interval("overall"))
    assert some.units == 5
    variance = of(before, after, ["a", "a", "b", "b", "c", "c"]).variance("overall")
    assert variance is not None
    assert variance.total == pytest.approx(6 * together.standard_error**2)
    assert (variance.cases, variance.df) == (6, 2.0)


@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=2, max_size=12))
@settings(deadline=None, max_examples=60)
def test_the_variance_is_that_of_the_raw_answers(cases: list[tuple[list[float], list[float]]]) -> None:
    ours = repeated(cases).variance("overall")
    theirs = difference_variance([old for old, _ in cases], [new for _, new in cases])
    assert ours is not None
    assert theirs is not None
    for name in ("total", "df", "cases", "repeats", "case_variance", "repeat_variance", "repeat_df"):
        expected = getattr(theirs, name)
        assert getattr(ours, name) == (None if expected is None else pytest.approx(expected, abs=1e-9)), name


def test_repeats_by_hand() -> None:
    pairs = repeated([([0.4, 0.6], [0.4, 0.6]), ([0.4, 0.6], [0.8, 1.0])])
    variance = pairs.variance("overall")
    assert variance is not None
    assert (variance.repeats, variance.repeat_df) == (2.0, 4.0)
    assert variance.total == pytest.approx(0.08)
    assert variance.repeat_variance == pytest.approx(0.02)
    assert variance.case_variance == pytest.approx(0.06)


def test_repeats_of_a_case_are_no_cases() -> None:
    once = repeated([([0.5], [0.6]), ([0.5], [0.4]), ([0.5], [0.7])])
    often = repeated([([0.5] * 4, [0.6] * 4), ([0.5] * 4, [0.4] * 4), ([0.5] * 4, [0.7] * 4)])
    one, other = found(once.interval("overall")), found(often.interval("overall"))
    assert (one.low, one.high, one.units) == pytest.approx((other.low, other.high, other.units))


def test_a_relative_variance_is_that_of_its_interval() -> None:
    pairs = repeated([([0.4, 0.6], [0.4, 0.6]), ([0.8, 0.6], [0.8, 1.0]), ([0.9, 0.9], [0.5, 0.6])])
    variance, interval = pairs.variance("overall", relative=0.05), found(pairs.interval("overall", relative=0.05))
    assert variance is not None
    assert variance.total == pytest.approx(3 * interval.standard_error**2)


def test_still_is_where_no_metric_of_any_case_moved() -> None:
    pairs = of([0.5, 0.7], [0.5, 0.7 + 1e-15])
    assert pairs.still
    pairs.add({"overall": 0.5, "recall": 0.1}, {"overall": 0.5, "recall": 0.2})
    assert not pairs.still


class TestRareLoss:
    def test_higher_is_better(self) -> None:
        before, after = [0.9, 0.8, 0.7], [0.9, 0.7, 0.9]
        told = of(before, after).rare_loss("overall", 0.05)
        assert told is not None
        mean = 0.1 / 3
        assert (told.answers, told.room, told.depth) == (3, pytest.approx(mean + 0.05), pytest.approx(mean + 0.9))
        assert told.p_value == rare_loss_p([new - old for old, new in zip(before, after, strict=True)], 0.05, 0.9)

    def test_lower_is_better(self) -> None:
        told = of([0.1] * 80, [0.1] * 79 + [0.2]).rare_loss("overall", 0.05, higher_is_better=False)
        assert told is not None
        mean = -0.1 / 80
        assert (told.room, told.depth) == (pytest.approx(mean + 0.05), pytest.approx(mean + 0.9))
        assert told.p_value == pytest.approx(rare_loss_p([0.0] * 79 + [-0.1], 0.05, 0.9))

    def test_relative(self) -> None:
        told = of([0.8] * 80, [0.8] * 80).rare_loss("overall", 0.0, relative=0.05)
        assert told is not None
        assert (told.room, told.depth) == (pytest.approx(0.04), pytest.approx(0.04 + 0.76))
        assert told.p_value == pytest.approx(rare_loss_p([0.04] * 80, 0.0, 0.76))
        risen = of([0.1] * 80, [0.1] * 80).rare_loss("overall", 0.0, relative=-0.05, higher_is_better=False)
        assert risen is not None
        assert (risen.room, risen.depth) == (pytest.approx(0.005), pytest.approx(0.005 + 1 - 0.105))
        assert risen.p_value == pytest.approx(rare_loss_p([0.005] * 80, 0.0, 0.895))

    def test_answers_and_not_cases_count(self) -> None:
        cases = [([0.85], [0.85] * 5)] * 15
        told, once = repeated(cases).rare_loss("overall", 0.05), of([0.85] * 15, [0.85] * 15).rare_loss("overall", 0.05)
        assert told is not None
        assert once is not None
        assert (told.answers, once.answers) == (75, 15)
        assert told.p_value < 0.025 < once.p_value

    def test_answers_of_unequally_repeated_cases(self) -> None:
        told = repeated([([0.85], [0.85]), ([0.85], [0.85] * 3)]).rare_loss("overall", 0.05)
        assert told is not None
        assert told.answers == 3  # two cases at a harmonic mean of 1.5

    def test_a_source_is_one_unit(self) -> None:
        before, after = [0.8] * 80, [0.85, 0.75] * 40
        apart = of(before, after).rare_loss("overall", 0.05)
        mixed = of(before, after, [f"s{place % 2}{place // 4}" for place in range(80)]).rare_loss("overall", 0.05)
        assert apart is not None
        assert mixed is not None
        assert mixed.p_value > apart.p_value
