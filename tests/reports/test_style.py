"""Sentences on a person's screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.reports.style import prose
from tests.rows import every_row


@every_row(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("one two three four five", ["one two three four", "  five"]),
        ("say `row3 hook install` at once", ["say", "  `row3 hook install`", "  at once"]),
        ("here you can say (`row3 lint`).", ["here you can say", "  (`row3 lint`)."]),
        ("put it back: git checkout -- prompts/a.md", ["put it back:", "  git checkout -- prompts/a.md"]),
        ("first: row3 lint; then go on", ["first: row3 lint;", "  then go on"]),
        ("in recordings/bread/extract-v1.0.jsonl:3", ["in", "  recordings/bread/extract-v1.0.jsonl:3"]),
        ("  created   a.md", ["  created   a.md"]),
        ("one\ntwo", ["one", "two"]),
        ("", [""]),
        ("a stray ` in a text", ["a stray ` in a text"]),
        ("日本語 日本語 日本語 日本", ["日本語 日本語 日本語", "  日本"]),
    ],
)
def test_lines_break_between_words_and_never_in_a_command(text: str, lines: list[str]) -> None:
    assert prose(text, 20) == lines


@given(st.text(st.sampled_from("ab `:;.\n日"), max_size=60), st.integers(10, 30))
def test_nothing_is_lost(text: str, width: int) -> None:
    assert "".join("".join(prose(text, width)).split()) == "".join(text.split())
