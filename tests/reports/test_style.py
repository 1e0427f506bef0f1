"""Tables: columns stand under each other as a terminal shows them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.reports.style import RED, Style, cells, table, visible

words = st.text(st.sampled_from("ab1 .−é中ｘ"), max_size=6)


def test_a_table_has_quiet_headers_a_rule_and_its_rows() -> None:
    lines = table(("name", "n"), [("a", "10"), ("longer", "9")], "lr", Style())
    assert lines == ["name     n", "──────────", "a       10", "longer   9"]


def test_colours_take_no_room_and_wide_characters_take_two_columns() -> None:
    style = Style(colour=True)
    lines = table(("a", "b"), [(style.paint("中文", RED), "x"), ("abc", "y")], "lr", style, gap=1)
    assert [visible(line) for line in lines] == ["a    b", "──────", "中文 x", "abc  y"]


def test_a_table_without_rows_is_its_headers() -> None:
    assert table(("a", "b"), [], "rl", Style()) == ["a  b", "────"]


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=5), st.text("lr", min_size=3, max_size=3))
def test_every_cell_stands_in_its_column(rows: list[tuple[str, str, str]], align: str) -> None:
    head, *body = rows
    widths = [max(cells(row[column]) for row in rows) for column in range(3)]
    lines = table(head, body, align, Style())
    for row, line in zip(rows, [lines[0], *lines[2:]], strict=True):
        at, rest = 0, line
        for text, side, width in zip(row, align, widths, strict=True):
            before = width - cells(text) if side == "r" else 0
            assert rest[: before + len(text)].rstrip() == (" " * before + text).rstrip()
            taken = before + len(text) + (width - cells(text) if side == "l" else 0)
            rest, at = rest[taken + 2 :], at + width + 2
        assert cells(line) <= at - 2
