"""Paired runs: means, intervals and variance as from the raw answers."""

from __future__ import annotations

import math
import statistics
from array import array
from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.judgements import Interval
from row3.domain.scores import CaseScore, Metric
from row3.gate import pairs as gate_pairs
from row3.gate.comparison import compare_case
from row3.gate.intervals import Differences
from row3.gate.pairs import Column, Pairs, align_metrics
from row3.kinds import all_kinds
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from tests.memory import ITEMS, SEED, document
from tests.scoring import case_of, score_by

OVERALL, RECALL = Metric("overall", "Overall"), Metric("recall", "Recall")
RATE = Metric("overall", "Rate", higher_is_better=False)
FRACTION = st.floats(0, 1).map(lambda value: round(value, 3))
SIDES = st.lists(st.tuples(FRACTION, FRACTION), min_size=2, max_size=25)
ANSWERS = st.lists(FRACTION, min_size=1, max_size=4)


def of(before: Sequence[float], after: Sequence[float], sources: Sequence[str | None] | None = None) -> Pairs:
    pairs = Pairs()
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        pairs.add({"overall": old}, {"overall": new}, source=sources[place] if sources else None)
    return pairs


def repeated(cases: Sequence[tuple[Sequence[float], Sequence[float]]], source: str | None = None) -> Pairs:
    """Return pairs as a run adds them: the mean of each case's answers, and their spread if there are several."""
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
    assert found(pairs.differences(OVERALL).interval()).estimate == pytest.approx(0.15)
    assert pairs.differences(RECALL).interval() is None  # one case has no spread
    assert pairs.variance("recall") is None
    for key in ("precision", "absent"):
        assert pairs.variance(key) is None


def test_no_cases() -> None:
    pairs = Pairs()
    assert (pairs.counts(), pairs.means()) == ({}, ({}, {}))


@given(SIDES)
@settings(deadline=None, max_examples=60)
def test_the_interval_equals_that_of_the_differences(sides: list[tuple[float, float]]) -> None:
    before, after = [old for old, _ in sides], [new for _, new in sides]
    moves = Differences([new - old for old, new in sides], lowest=-max(before), highest=1.0 - min(before))
    assert of(before, after).differences(OVERALL).interval() == moves.interval()


def test_differences_point_down_for_worse_values() -> None:
    before, after = [0.5, 0.4, 0.6], [0.6, 0.6, 0.6]
    assert of(before, after).differences(OVERALL).fall_p() == of(before, after).differences(RATE).rise_p()


def test_cases_of_one_source_are_one_unit() -> None:
    before, after = [0.5] * 6, [0.6, 0.6, 0.4, 0.4, 0.7, 0.7]
    apart = found(of(before, after).differences(OVERALL).interval())
    together = found(of(before, after, ["a", "a", "b", "b", "c", "c"]).differences(OVERALL).interval())
    assert (apart.units, together.units, together.df) == (6, 3, 2.0)
    assert together.standard_error == pytest.approx(statistics.stdev([0.1, -0.1, 0.2]) / math.sqrt(3))
    assert together.standard_error > apart.standard_error
    some = found(of(before, after, ["a", "a", None, None, None, None]).differences(OVERALL).interval())
    assert some.units == 5
    variance = of(before, after, ["a", "a", "b", "b", "c", "c"]).variance("overall")
    assert variance is not None
    assert variance.total == pytest.approx(6 * together.standard_error**2)
    assert (variance.cases, variance.df) == (6, 2.0)


@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=2, max_size=12))
@settings(deadline=None, max_examples=60)
def test_the_variance_equals_that_of_the_raw_answers(cases: list[tuple[list[float], list[float]]]) -> None:
    variance = repeated(cases).variance("overall")
    assert variance is not None
    total = float(np.var([np.mean(new) - np.mean(old) for old, new in cases], ddof=1))
    shrink = float(np.mean([1 / len(old) + 1 / len(new) for old, new in cases]))
    assert (variance.total, variance.df) == (pytest.approx(total, abs=1e-12), len(cases) - 1)
    assert variance.repeats == pytest.approx(2 / shrink)
    sides = [side for case in cases for side in case]
    df = sum(len(side) - 1 for side in sides)
    if not df:
        assert (variance.case_variance, variance.repeat_variance) == (None, None)
        return
    noise = sum(float(np.var(side)) * len(side) for side in sides) / df
    assert variance.repeat_variance == pytest.approx(noise, abs=1e-9)
    assert variance.case_variance == pytest.approx(max(0.0, total - noise * shrink), abs=1e-9)


def test_repeats_by_hand() -> None:
    pairs = repeated([([0.4, 0.6], [0.4, 0.6]), ([0.4, 0.6], [0.8, 1.0])])
    variance = pairs.variance("overall")
    assert variance is not None
    assert (variance.repeats, variance.repeat_df) == (2.0, 4.0)
    assert variance.total == pytest.approx(0.08)
    assert variance.repeat_variance == pytest.approx(0.02)
    assert variance.case_variance == pytest.approx(0.06)


def test_repeats_do_not_count_as_cases() -> None:
    once = repeated([([0.5], [0.6]), ([0.5], [0.4]), ([0.5], [0.7])])
    often = repeated([([0.5] * 4, [0.6] * 4), ([0.5] * 4, [0.4] * 4), ([0.5] * 4, [0.7] * 4)])
    one, other = found(once.differences(OVERALL).interval()), found(often.differences(OVERALL).interval())
    assert (one.low, one.high, one.units) == pytest.approx((other.low, other.high, other.units))


class TestRareLoss:
    def test_a_value_cannot_fall_below_0(self) -> None:
        moves = of([0.9, 0.8, 0.7], [0.9, 0.7, 0.9]).differences(OVERALL)
        same = Differences([0.0, -0.1, 0.2], lowest=-0.9)
        assert moves.rare_loss_p(0.05) == pytest.approx(same.rare_loss_p(0.05))
        assert moves.units_needed(0.05, 0.05) == same.units_needed(0.05, 0.05)

    def test_a_value_cannot_rise_above_1_if_lower_is_better(self) -> None:
        moves = of([0.1] * 80, [0.1] * 79 + [0.2]).differences(RATE)
        same = Differences([0.0] * 79 + [-0.1], lowest=-0.9)
        assert moves.rare_loss_p(0.05) == pytest.approx(same.rare_loss_p(0.05))

    @pytest.mark.parametrize(("same", "low"), [(True, 0.0), (False, -0.1747)])
    def test_the_same_answers_cannot_hide_one(self, same: bool, low: float) -> None:
        pairs = Pairs()
        for _ in range(15):
            pairs.add({"overall": 0.8}, {"overall": 0.8}, same=same)
        interval = found(pairs.differences(OVERALL).interval())
        assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-3), 0.0)

    def test_answers_to_the_same_case_count_once(self) -> None:
        often = repeated([([0.85], [0.85] * 5)] * 15).differences(OVERALL)
        once = of([0.85] * 15, [0.85] * 15).differences(OVERALL)
        assert often.rare_loss_p(0.05) == pytest.approx(once.rare_loss_p(0.05))
        assert once.rare_loss_p(0.05) > 0.05


KINDS = all_kinds()

CASES: dict[str, dict[str, Any]] = {
    "events": document("m1"),
    "entities": document("m1"),
    "graph": SEED | {"expected_not_connected": ["m3"]},
}
NOTHING = {"expected_events": [], "expected_entities": [], "expected_connections": []}
INVENTED: dict[str, list[dict[str, Any]]] = {
    "events": [{"category": "Decision", "description": "The board left", "actor": "Nobody Known"}] * 2,
    "entities": [{"name": "Ghost Corp", "type": "ORG", "mentions": []}],
    "graph": [{"document_id": "m7"}],
}


def scored(kind: Kind, items: list[dict[str, Any]] | None, *, quiet: bool = True) -> Mapping[str, float]:
    """Return the metrics of an answer (None if unusable) to a case without expected items."""
    case = CASES[kind.name]
    if quiet:
        case = case | {key: value for key, value in NOTHING.items() if key in case}
    model, rules = case_of(kind.case_model, case), Rules()
    if items is None:
        return kind.bad_answer(model, "no JSON", "", rules).metrics
    read = kind.read_output({ITEMS[kind.name]: items})
    assert isinstance(read, Parsed)
    return score_by(kind, model, read.value, rules).metrics


@pytest.mark.parametrize("name", list(INVENTED))
class TestOneIsSilent:
    def test_an_invention_is_a_fall_from_a_perfect_score(self, name: str) -> None:
        kind = KINDS[name]
        silent, other = scored(kind, []), scored(kind, INVENTED[name])
        assert kind.primary not in silent
        before, after = align_metrics(kind, (silent, other))
        assert (before[kind.primary], after) == (1.0, other)
        assert before.keys() == other.keys()
        assert all(before[key] == silent[key] for key in silent)
        assert align_metrics(kind, (other, silent)) == [other, before]

    def test_a_bad_answer_is_a_fall_too(self, name: str) -> None:
        kind = KINDS[name]
        before, after = align_metrics(kind, (scored(kind, []), scored(kind, None)))
        assert (before[kind.primary], after[kind.primary]) == (1.0, 0.0)

    def test_two_empty_answers_have_nothing_to_compare(self, name: str) -> None:
        kind = KINDS[name]
        silent = scored(kind, [])
        assert align_metrics(kind, (silent, silent)) == (silent, silent)

    def test_an_empty_answer_is_not_perfect_if_items_are_expected(self, name: str) -> None:
        kind = KINDS[name]
        empty, other = scored(kind, [], quiet=False), scored(kind, INVENTED[name], quiet=False)
        assert align_metrics(kind, (empty, other)) == (empty, other)

    def test_an_empty_answer_is_not_perfect_if_the_other_case_expects_items(self, name: str) -> None:
        kind = KINDS[name]
        silent, other = scored(kind, []), scored(kind, INVENTED[name], quiet=False)
        assert align_metrics(kind, (silent, other)) == [silent, other]

    def test_the_case_is_regressed_and_its_pair_counts(self, name: str) -> None:
        kind = KINDS[name]
        silent, other = scored(kind, []), scored(kind, INVENTED[name])
        change = compare_case(CaseScore("c", "scored", silent), CaseScore("c", "scored", other), kind)
        assert (change.move, change.delta, change.deltas[kind.primary]) == ("regressed", -1.0, -1.0)
        back = compare_case(CaseScore("c", "scored", other), CaseScore("c", "scored", silent), kind)
        assert (back.move, back.delta) == ("improved", 1.0)
        pairs = Pairs(kind)
        pairs.add(silent, other)
        pairs.add(silent, silent)
        assert pairs.counts()[kind.primary] == 1
        assert [side[kind.primary] for side in pairs.means()] == [1.0, 0.0]


def test_a_kind_without_invented_items_is_unchanged() -> None:
    before, after = {"recall": 1.0}, {"recall": 1.0, "mrr": 0.5}
    assert align_metrics(KINDS["retrieval"], (before, after)) == (before, after)


@given(st.lists(st.sampled_from((0.0, 0.5, -0.25)), max_size=20))
def test_a_column_holds_numbers_in_order(numbers: list[float]) -> None:
    with patch.multiple(gate_pairs, BLOCK=3, ZEROS=array("d", [0.0] * 3)):
        column = Column()
        for number in numbers:
            column.append(number)
        assert (list(column), len(column), 0.5 in column) == (numbers, len(numbers), 0.5 in numbers)
