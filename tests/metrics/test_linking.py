from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.metrics.linking import b_cubed

ITEMS = [f"i{number}" for number in range(9)]
groups = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 4), max_size=9)
truths = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 4), min_size=1, max_size=9)


def slowly(given_groups: dict[str, int], truth: dict[str, int]) -> tuple[float, float]:
    """By the definition: item by item, over the sets of those that stand with it."""

    def ours(item: str) -> set[str]:
        if item not in given_groups:
            return {item}
        return {x for x in truth if given_groups.get(x, "none") == given_groups[item]}

    precision = recall = 0.0
    for item, group in truth.items():
        mine, theirs = ours(item), {x for x in truth if truth[x] == group}
        precision += len(mine & theirs) / len(mine)
        recall += len(mine & theirs) / len(theirs)
    return precision / len(truth), recall / len(truth)


@given(groups, truths)
@settings(deadline=None, max_examples=300)
def test_it_is_what_the_definition_says(guess: dict[str, int], truth: dict[str, int]) -> None:
    assert b_cubed(guess, truth) == pytest.approx(slowly(guess, truth))


def test_the_example_of_bagga_and_baldwin() -> None:
    truth = dict.fromkeys("12345", "A") | dict.fromkeys("67", "B") | dict.fromkeys("89ABC", "C")
    first = dict.fromkeys("12345", "A") | dict.fromkeys("6789ABC", "BC")
    second = dict.fromkeys("1234589ABC", "AC") | dict.fromkeys("67", "B")
    assert b_cubed(first, truth) == pytest.approx((0.76, 1.0), abs=0.005)
    assert b_cubed(second, truth) == pytest.approx((0.58, 1.0), abs=0.005)


@given(truths)
def test_the_truth_is_flawless_and_silence_is_not(truth: dict[str, int]) -> None:
    assert b_cubed(truth, truth) == (1.0, 1.0)
    assert b_cubed({}, truth) == pytest.approx((1.0, len(set(truth.values())) / len(truth)))
