"""Numbers and values in messages."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.words import count, marked, nearest, part, spoken
from tests.rows import every_row


def test_one_and_many() -> None:
    assert (count(0, "case"), count(1, "case"), count(1204, "case")) == ("0 cases", "1 case", "1,204 cases")
    assert (count(1, "case is", "cases are"), count(2, "case is", "cases are")) == ("1 case is", "2 cases are")


def test_the_noun_agrees_with_the_whole_and_the_verb_with_the_part() -> None:
    assert part(1, 15, "case", "has", "have") == "1 of 15 cases has"
    assert part(0, 1, "case", "has", "have") == "0 of 1 case have"
    assert part(3, 1204, "case") == "3 of 1,204 cases"


@given(st.integers(0, 10**6))
def test_only_one_is_singular(number: int) -> None:
    assert count(number, "case").endswith("s") == (number != 1)


@every_row(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (0.5, "0.5"),
        ("paired", "paired"),
        (["a", None], "a, none"),
        ({"on": False, "k": 1}, "on false, k 1"),
    ],
)
def test_a_setting_in_a_sentence(value: Any, text: str) -> None:
    assert spoken(value) == text


@every_row(
    ("value", "text"),
    [(None, "none"), ("it's", "`it's`"), (True, "`true`"), (400, "`400`"), ({"a": None}, '`{"a": null}`')],
)
def test_a_quoted_value(value: Any, text: str) -> None:
    assert marked(value) == text


@every_row(
    ("name", "known", "found"),
    [
        ("effort", ["seed", "reasoning_effort"], "reasoning_effort"),
        ("tokens", ["max_tokens"], "max_tokens"),
        ("gate", ["suites.*.gate"], "suites.*.gate"),
        ("efort", ["effort_of_all", "effort"], "effort"),
        ("form", ["platform_of"], ""),
        ("", ["max_tokens"], ""),
    ],
)
def test_a_near_name_is_spelt_alike_or_holds_the_word(name: str, known: list[str], found: str) -> None:
    assert nearest(name, known) == found
