"""The lists of any kind in words."""

from __future__ import annotations

import pytest

from row3.reports.diffs.diff_words import noun, verb


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missedConcepts", "concepts"),
        ("wrongConcepts", "unexpected concepts"),
        ("missedDueDates", "due dates"),
        ("wrongEvents", "wrong events"),
        ("forbidden", "forbidden"),
    ],
)
def test_a_list_of_another_kind_is_told_by_its_name(name: str, words: str) -> None:
    assert noun(name) == words


def test_what_is_gained_of_wrong_items_is_that_they_are_gone() -> None:
    assert [verb(sign, name) for sign in "+−" for name in ("missedEvents", "wrongEvents")] == [
        "found",
        "no longer",
        "lost",
        "new",
    ]
