"""A document on a terminal: safe, aligned as a terminal shows it, and no wider than it is."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.printable import cells, plain, visible
from row3.reports.document import (
    Document,
    Facts,
    Fold,
    Items,
    Lines,
    Note,
    Span,
    Table,
    Task,
    Title,
    code,
    strong,
)
from row3.reports.terminal import RED, Style, prose, table, terminal_text
from tests.rows import every_row

COLOUR = Style(colour=True)
words = st.text(st.sampled_from("ab1 .−é"), max_size=6)
sentences = st.text(min_size=1, max_size=60).filter(plain)


def shown(*blocks: object, style: Style | None = None) -> list[str]:
    return terminal_text(Document(blocks), style or Style()).split("\n")[:-1]  # type: ignore[arg-type]


def test_blocks_are_apart_and_a_title_is_close_to_what_it_heads() -> None:
    lines = shown(Title("Head"), Note(["One.", "Two."]), Items([]), Facts([("Then", "x"), ("Now", code("y"))]))
    assert lines == ["Head", "One.", "Two.", "", "Then  x", "Now   `y`"]


def test_lists_have_bullets_boxes_or_numbers_and_hang() -> None:
    items = Items([Task("a", done=True), Task("b", done=False), "word " * 20])
    assert shown(items, Items(["c"], numbered=True)) == [
        "- [x] a",
        "- [ ] b",
        f"- {' '.join(['word'] * 15)}",
        f"  {' '.join(['word'] * 5)}",
        "",
        "1. c",
    ]


def test_lines_stay_as_they_are_and_a_fold_is_open() -> None:
    assert shown(Lines(["{**no**", "", "  x\x1b[31m"])) == ["    {**no**", "", "      x"]
    assert shown(Fold("More", [Note(["inside"])])) == ["More", "inside"]


def test_tones_are_painted_and_code_has_its_marks_where_there_is_no_colour() -> None:
    note = Note([("a ", code("b c"), " ", strong("d"))])
    assert shown(note, style=COLOUR) == ["a \x1b[36mb c\x1b[0m \x1b[1md\x1b[0m"]
    assert shown(note) == ["a `b c` d"]


def test_a_table_leaves_empty_columns_out_and_says_what_it_leaves_out() -> None:
    rows = [["Recall", Span("7.5%", "bad"), "fail", ""], ["F1", "100.0%", "", ""]]
    assert shown(Table(("Metric", "Value", "Zone", "Short"), rows, "lrlr", more="and 2 more")) == [
        "Metric   Value  Zone", "────────────────────", "Recall    7.5%  fail", "F1      100.0%", "  and 2 more",
    ]  # fmt: skip


def test_a_name_that_is_too_long_has_its_own_line_and_a_remark_stands_below_its_row() -> None:
    rows = [["n" * 30, "1", "2"], ["short", "3", "4"]]
    lines = shown(Table(("name", "b", "c"), rows, "lrr", under=[["why"], []]), style=Style(width=24))
    assert lines == ["name   b  c", "───────────", "n" * 30, "       1  2", "    why", "short  3  4"]


def test_a_table_has_quiet_headers_a_rule_and_its_rows() -> None:
    lines = table(("name", "n"), [("a", "10"), ("longer", "9")], "lr", Style())
    assert lines == ["name     n", "──────────", "a       10", "longer   9"]
    assert table(("a", "b"), [], "rl", Style()) == ["a  b", "────"]


def test_colours_take_no_room_and_wide_characters_take_two_columns() -> None:
    lines = table(("a", "b"), [(COLOUR.paint("中文", RED), "x"), ("abc", "y")], "lr", COLOUR, gap=1)
    assert [visible(line) for line in lines] == ["a    b", "──────", "中文 x", "abc  y"]


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=5), st.text("lr", min_size=3, max_size=3))
def test_every_cell_stands_in_its_column(rows: list[tuple[str, str, str]], align: str) -> None:
    head, *body = rows
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = table(head, body, align, Style())
    for row, line in zip(rows, [lines[0], *lines[2:]], strict=True):
        sides = zip(row, align, widths, strict=True)
        padded = [text.ljust(width) if side == "l" else text.rjust(width) for text, side, width in sides]
        assert line == "  ".join(padded).rstrip()


@given(sentences, sentences, st.integers(20, 90))
def test_what_a_model_wrote_is_seen_as_it_wrote_it(text: str, label: str, width: int) -> None:
    lines = shown(Items([(text, ": ", code(label))]), style=Style(colour=True, width=width))
    seen = re.sub(r"\x1b\[[\d;]*m", "", "".join(lines))
    assert "".join(seen.split()) == "".join(f"- {visible(text)}: {visible(label)}".split())
    assert all(cells(visible(line)) <= max(width, 20) for line in lines)


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
