"""One of a thing, and many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.counts import count, part


def test_one_and_many() -> None:
    assert (count(0, "case"), count(1, "case"), count(1204, "case")) == ("0 cases", "1 case", "1,204 cases")
    assert (count(1, "case is", "cases are"), count(2, "case is", "cases are")) == ("1 case is", "2 cases are")


def test_a_noun_goes_by_the_whole_and_its_verb_by_the_part() -> None:
    assert part(1, 15, "case", "has", "have") == "1 of 15 cases has"
    assert part(0, 1, "case", "has", "have") == "0 of 1 case have"
    assert part(3, 1204, "case") == "3 of 1,204 cases"


@given(st.integers(0, 10**6))
def test_only_one_is_singular(number: int) -> None:
    assert count(number, "case").endswith("s") == (number != 1)
