from __future__ import annotations

import pytest

from row3.matching.lexicon.inflection import token_form
from row3.matching.variant.beginnings import SKIPPED, UNLIKE, beginning, last_beginning


@pytest.mark.parametrize(
    ("word", "begins"), [("cats", "ca"), ("studies", "stu"), ("haemoglobin", "hem"), ("a", "a"), ("\u0301", "")]
)
def test_a_word_begins_as_its_other_forms_do(word: str, begins: str) -> None:
    assert beginning(word) == begins == beginning(token_form(word))


def test_words_that_begin_otherwise_than_their_form_are_known() -> None:
    assert {"mice", "kiev", "two", "sceptics", "usa"} <= UNLIKE
    assert "studies" not in UNLIKE


@pytest.mark.parametrize("word", ["planet", "company", "the", ""])
def test_the_last_word_counts_unless_a_name_is_written_without_it(word: str) -> None:
    assert last_beginning(word) == ""
    assert last_beginning("curves") == beginning("curves", 5) == "cur"
    assert "curves" not in SKIPPED
