from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from row3.reports.markdown import code, fenced, grid, inline
from row3.reports.markdowns.markdown_screen import on_screen
from row3.reports.style import Style, cells, plain, visible

COLOUR = Style(colour=True)
words = st.text(min_size=1, max_size=60).filter(plain)


def test_headings_are_bold_and_without_marks() -> None:
    assert on_screen("## A \\# heading\n", COLOUR) == "\x1b[1mA # heading\x1b[0m\n"
    assert on_screen("## A heading\n", Style()) == "A heading\n"


def test_names_are_painted_or_keep_their_marks() -> None:
    line = "- **Date**: `soil` and \\*more\\*\n"
    assert on_screen(line, COLOUR) == "- \x1b[1mDate\x1b[0m: \x1b[36msoil\x1b[0m and *more*\n"
    assert on_screen(line, Style()) == "- Date: `soil` and *more*\n"


def test_a_table_is_aligned_and_leaves_empty_columns_out() -> None:
    lines = grid(
        ("Metric", "Value", "Zone", "Short"), "lrlr", [["Recall", "7.5%", "fail", ""], ["F1", "100.0%", "", ""]]
    )
    assert on_screen("\n".join(lines), Style()).splitlines() == [
        "Metric   Value  Zone",
        "────────────────────",
        "Recall    7.5%  fail",
        "F1      100.0%",
    ]


def test_a_table_that_is_too_wide_moves_closer() -> None:
    lines = "\n".join(grid(("a" * 20, "b" * 20, "c" * 20), "lrr", [["x", "y", "z"]]))
    assert max(map(len, on_screen(lines, Style(width=63)).splitlines())) == 62


def test_a_block_of_code_stays_as_it_is() -> None:
    shown = on_screen("\n".join([*fenced("{**no** `mark`}\n\n  indented", "text"), "after"]), Style())
    assert shown == "    {**no** `mark`}\n\n      indented\nafter\n"


def test_a_box_keeps_its_cross_and_a_long_item_its_indent() -> None:
    first, second = on_screen(f"- [x] {'word ' * 20}", Style()).splitlines()
    assert first.startswith("- [x] word")
    assert second.startswith("      word")


@given(words, words, st.integers(20, 90))
def test_what_a_model_wrote_is_seen_as_it_wrote_it(text: str, label: str, width: int) -> None:
    style = Style(colour=True, width=width)
    shown = on_screen(f"- {inline(text)}: {code(label)}\n", style)
    seen = re.sub(r"\x1b\[[\d;]*m", "", shown)
    squeezed = "".join(f"- {plain(text)}: {plain(label)}".split())
    assert "".join(seen.split()) == squeezed
    assert all(cells(visible(line)) <= max(width, 20) for line in shown.splitlines())
