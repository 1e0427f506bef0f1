"""Line numbers of JSON fields."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.project.positions import constant_field, duplicate_key, line_of, lines_of
from tests.rows import every_row

TEXT = """{
  "id": "a",
  "text": "braces } ] , and \\"quotes\\" \\\\",
  "rows": [
    {"label": "x", "aliases": ["one",
      "two"]},
    {
      "label": "y"
    }
  ],
  "k\\u0065y": 1, "empty": [],
  "nested": [[1, 2], [
    3]]
}
"""


@every_row(
    ("path", "line"),
    [
        ((), 1),
        (("id",), 2),
        (("text",), 3),
        (("rows",), 4),
        (("rows", 0), 5),
        (("rows", 0, "aliases"), 5),
        (("rows", 0, "aliases", 0), 5),
        (("rows", 0, "aliases", 1), 6),
        (("rows", 1), 7),
        (("rows", 1, "label"), 8),
        (("key",), 11),
        (("nested", 0, 1), 12),
        (("nested", 1, 0), 13),
    ],
)
def test_the_line_of_a_field(path: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, path) == line


@every_row(
    ("path", "line"),
    [
        (("absent",), 1),
        (("rows", 7), 4),
        (("rows", 1, "aliases", 0), 7),
        (("empty", 0), 11),
        (("id", "deeper", 3), 2),
        (("rows", "label"), 4),
    ],
)
def test_a_missing_field_has_the_line_of_its_nearest_ancestor(path: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, path) == line


def test_leading_white_space_and_a_bare_value() -> None:
    assert line_of('\n\n  "x"', ()) == 3
    assert line_of("\n[\n1]", (0,)) == 3
    assert line_of("", ("a",)) == 1


def test_many_paths_in_one_pass() -> None:
    assert lines_of(TEXT, [("id",), ("rows", 1, "label"), ("no",)]) == {("id",): 2, ("rows", 1, "label"): 8, ("no",): 1}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in inner for found in _paths(part, (*path, key)))]


@given(VALUES, st.booleans())
def test_with_one_field_per_line_lines_ascend(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=ascii_only)
    lines = text.split("\n")
    places = lines_of(text, _paths(value))
    ordered = [places[path] for path in _paths(value)]
    assert ordered == sorted(ordered)
    for path, line in places.items():
        if path and isinstance(path[-1], str):
            assert lines[line - 1].strip().startswith(json.dumps(path[-1], ensure_ascii=ascii_only))
        assert line == line_of(text, path)


ROWS = json.dumps({"rows": [{"label": f"name {i}", "aliases": ["a", "b"]} for i in range(20_000)]}, indent=2)


@every_row(
    ("text", "path", "line"),
    [
        (ROWS, ("rows", 19_999, "aliases", 1, "missing"), 7 * 19_999 + 7),
        ("[" + "1,\n" * 499_999 + "1]", (499_999,), 500_000),
        ('{"a": "' + "x\\\\" * 300_000 + '",\n"b": 1}', ("b",), 2),
        ("[" * 500_000 + "\n1" + "]" * 500_000, (0,) * 20, 1),
    ],
)
def test_a_megabyte_in_one_pass(text: str, path: tuple[str | int, ...], line: int) -> None:
    """Another pass for each field, or looking back at each escape, would not finish."""
    assert len(text) > 900_000
    assert line_of(text, path) == line


def test_duplicate_key() -> None:
    assert duplicate_key('{"a": {"b": 1},\n "c": {"b": 2,\n "b": 3}}') == (("c", "b"), 3)
    assert duplicate_key('[{"a": 1}, {"a": 2}, [1, 1]]') is None
    assert duplicate_key('{"a": 1,\n"\\u0061": 2}') == (("a",), 2)


def test_nan_and_infinity() -> None:
    assert constant_field('{"a": "NaN",\n "b": [1,\n -Infinity]}') == (("b", 1), 3)
    assert constant_field("NaN") == ((), 1)
    assert constant_field('{"a":\nNaN, "b": 1}') == (("a",), 2)
