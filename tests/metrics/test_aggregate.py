from __future__ import annotations

import math
import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.metrics.aggregate import (
    MOST_LABELS,
    OTHERS,
    Aggregate,
    Seen,
    Tallies,
    mean_and_spread,
    percentile,
    split_label,
)

FRACTIONS = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_mean_counts_cases_the_same_and_pooled_counts_items_the_same() -> None:
    total = Aggregate()
    total.add({"recall": 1 / 2, "precision": 1.0}, {"recall": (1, 2), "precision": (1, 1)})
    total.add({"recall": 9 / 18, "precision": 9 / 19}, {"recall": (9, 18), "precision": (9, 19)})
    assert total.means() == {"recall": 0.5, "precision": pytest.approx((1 + 9 / 19) / 2)}
    # Pooled: recall 10/20, precision 10/20, so F1 is 0.5 too.
    assert total.pooled() == {"recall": 0.5, "precision": 0.5, "f1": 0.5}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.integers(1, 1_000))
def test_the_mean_of_many_cases_is_exact(values: list[float], times: int) -> None:
    total = Aggregate()
    for value in values * times:
        total.add({"recall": value}, {})
    assert total.means() == {"recall": math.fsum(values * times) / len(values * times)}


def test_a_skipped_metric_is_left_out_of_the_mean_and_its_denominator() -> None:
    total = Aggregate()
    total.add({"recall": 1.0, "relationshipAccuracy": 0.4}, {})
    total.add({"recall": 0.0}, {})
    assert total.means() == {"recall": 0.5, "relationshipAccuracy": 0.4}
    assert total.denominators() == {"recall": 2, "relationshipAccuracy": 1}


def test_cases_of_one_source_are_one_unit() -> None:
    total = Aggregate()
    for value, source in ((1.0, None), (0.0, "a"), (1.0, "a"), (1.0, "b"), (1.0, None)):
        total.add({"wins": value}, {}, source)
    total.add({"ties": 1.0}, {}, "a")
    assert (total.units(), total.denominators()) == ({"wins": 4, "ties": 1}, {"wins": 5, "ties": 1})


def test_a_bad_answer_counts_as_zero() -> None:
    total = Aggregate()
    total.add({"recall": 0.8}, {"recall": (8, 10)})
    total.add({"recall": 0.0}, {"recall": (0, 10)})
    assert total.means() == {"recall": 0.4}
    assert total.pooled() == {"recall": 0.4}


def test_nothing_at_all() -> None:
    assert (Aggregate().means(), Aggregate().pooled(), Aggregate().denominators()) == ({}, {}, {})


def test_pooled_ratios_of_nothing_are_zero() -> None:
    total = Aggregate()
    total.add({}, {"precision": (0, 0), "recall": (0, 3)})
    assert total.pooled() == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


@given(st.lists(st.fixed_dictionaries({}, optional={"a": st.floats(0, 1), "b": st.floats(0, 1)}), max_size=20))
@settings(deadline=None)
def test_means_are_those_of_the_cases_that_have_the_metric(cases: list[dict[str, float]]) -> None:
    total = Aggregate()
    for case in cases:
        total.add(case, {})
    for key in ("a", "b"):
        values = [case[key] for case in cases if key in case]
        assert total.denominators().get(key, 0) == len(values)
        if values:
            assert total.means()[key] == pytest.approx(statistics.fmean(values), abs=1e-12)
            assert 0.0 <= total.means()[key] <= 1.0


@given(FRACTIONS)
@settings(deadline=None)
def test_the_mean_does_not_depend_on_the_order(values: list[float]) -> None:
    forward, backward = Aggregate(), Aggregate()
    for value in values:
        forward.add({"a": value}, {})
    for value in reversed(values):
        backward.add({"a": value}, {})
    assert forward.means() == backward.means()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.floats(0, 1))
@settings(deadline=None)
def test_percentile_agrees_with_numpy(values: list[float], share: float) -> None:
    assert percentile(values, share) == pytest.approx(float(np.percentile(values, share * 100)), rel=1e-9, abs=1e-6)


def test_percentile_at_the_ends_and_of_nothing() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.0) == 1.0
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([3.0, 1.0, 2.0], 1.0) == 3.0
    assert percentile([1.0, 2.0], 0.95) == pytest.approx(1.95)
    assert percentile([7.0], 0.95) == 7.0
    assert percentile([], 0.5) is None


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
@settings(deadline=None)
def test_spread_agrees_with_the_statistics_module(values: list[float]) -> None:
    mean, spread = mean_and_spread(values)
    assert mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert spread == pytest.approx(statistics.stdev(values), abs=1e-9)


def test_a_single_value_has_no_spread() -> None:
    assert mean_and_spread([0.7]) == (0.7, 0.0)
    assert math.isclose(mean_and_spread([0.1] * 10)[1], 0.0, abs_tol=1e-12)


def test_cases_of_one_source_are_seen_once() -> None:
    total = Aggregate()
    for part, source in ((1, "book"), (0, "book"), (2, "book"), (0, "page"), (0, None), (1, None)):
        total.add({}, {"hallucinationRate": (part, 10)}, source)
    assert total.seen_in() == {"hallucinationRate": Seen(3, 6, 2, 4)}


LABELS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9), max_size=6)
TALLIES = st.lists(st.dictionaries(st.sampled_from(("concepts", "relationships", "types")), LABELS, max_size=3))


def test_two_cases_are_added_group_by_group() -> None:
    total = Tallies()
    total.add({"concepts": {"exact": 3, "fuzzy": 1}, "wrongPredicates": {"CAUSES\tPRECEDES": 2}})
    total.add({"concepts": {"exact": 2, "canary": 1}})
    assert total == {
        "concepts": {"exact": 5, "fuzzy": 1, "canary": 1},
        "wrongPredicates": {"CAUSES\tPRECEDES": 2},
    }


@given(TALLIES)
def test_the_sum_is_that_of_counters_whatever_the_order(tallies: list[dict[str, dict[str, int]]]) -> None:
    one, other = Tallies(), Tallies()
    expected: dict[str, Counter[str]] = {}
    for tally in tallies:
        one.add(tally)
        for group, counts in tally.items():
            expected.setdefault(group, Counter()).update(counts)
    for tally in reversed(tallies):
        other.add(tally)
    assert one == other == {group: dict(counts) for group, counts in expected.items()}


def test_what_is_added_is_not_changed_by_what_comes_after() -> None:
    first = {"concepts": {"exact": 1}}
    total = Tallies()
    total.add(first)
    total.add(first)
    assert first == {"concepts": {"exact": 1}}
    assert total == {"concepts": {"exact": 2}}


def test_memory_is_bounded_for_endless_names_and_none_is_lost() -> None:
    total = Tallies()
    for number in range(2 * MOST_LABELS):
        total.add({"unknownPredicates": {f"P{number}": 1}})
    total.add({"unknownPredicates": {"P0": 1}})
    held = total["unknownPredicates"]
    assert len(held) == MOST_LABELS + 1
    assert (held["P0"], held[OTHERS]) == (2, MOST_LABELS)
    assert sum(held.values()) == 2 * MOST_LABELS + 1


def test_a_pair_is_split_into_actual_and_expected() -> None:
    assert split_label("CAUSES\tPRECEDES") == ("CAUSES", "PRECEDES")
    assert split_label("INFLUENCES") == ("INFLUENCES", "")
    assert split_label("\tPERSON") == ("", "PERSON")
