"""The diff of a prompt in lines and words."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from row3.reports.html.summary import MOST_WORDS, DiffLine, prompt_lines


def lines(before: str, after: str) -> list[DiffLine]:
    diff = "\n".join(difflib.unified_diff(before.split("\n"), after.split("\n"), "a", "b", lineterm=""))
    return prompt_lines(diff)


def test_the_words_that_changed_are_told_from_those_that_stayed() -> None:
    old, new = lines("List all the concepts.", "List all important concepts.")[1:]
    assert (old.part, new.part) == ("old", "new")
    assert [text for text, only in old.pieces if only] == ["the"]
    assert [text for text, only in new.pieces if only] == ["important"]


def test_lines_that_have_little_in_common_are_marked_whole() -> None:
    old, new = lines("abc def", "something else entirely here")[1:]
    assert list(old.pieces) == [("abc def", False)]
    assert list(new.pieces) == [("something else entirely here", False)]


def test_a_very_long_line_is_not_compared_word_by_word() -> None:
    old = lines("a " * MOST_WORDS + "end", "a " * MOST_WORDS + "stop")[1]
    assert len(old.pieces) == 1


def test_places_and_unchanged_lines_keep_their_part() -> None:
    assert [line.part for line in lines("a\nb\nc", "a\nx y\nc")] == ["place", "same", "old", "new", "same"]


@given(st.lists(st.text("ab <&\"'"), max_size=6), st.lists(st.text("ab <&\"'"), max_size=6))
def test_no_letter_is_lost(before: list[str], after: list[str]) -> None:
    found = lines("\n".join(before), "\n".join(after))
    texts = {
        part: ["".join(text for text, _ in line.pieces) for line in found if line.part == part]
        for part in ("old", "new")
    }
    matcher = difflib.SequenceMatcher(None, "\n".join(before).split("\n"), "\n".join(after).split("\n"))
    gone = [line for tag, a, b, _, _ in matcher.get_opcodes() if tag != "equal" for line in matcher.a[a:b]]
    come = [line for tag, _, _, c, d in matcher.get_opcodes() if tag != "equal" for line in matcher.b[c:d]]
    assert texts == {"old": gone, "new": come}
