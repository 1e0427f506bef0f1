"""Adding up what became of items."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from row3.metrics.tallies import MOST_LABELS, OTHERS, Tallies, split

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


def test_names_without_end_take_no_memory_without_end_and_none_is_lost() -> None:
    total = Tallies()
    for number in range(2 * MOST_LABELS):
        total.add({"unknownPredicates": {f"P{number}": 1}})
    total.add({"unknownPredicates": {"P0": 1}})
    held = total["unknownPredicates"]
    assert len(held) == MOST_LABELS + 1
    assert (held["P0"], held[OTHERS]) == (2, MOST_LABELS)
    assert sum(held.values()) == 2 * MOST_LABELS + 1


def test_a_pair_is_split_into_what_was_said_and_what_was_expected() -> None:
    assert split("CAUSES\tPRECEDES") == ("CAUSES", "PRECEDES")
    assert split("INFLUENCES") == ("INFLUENCES", "")
    assert split("\tPERSON") == ("", "PERSON")
