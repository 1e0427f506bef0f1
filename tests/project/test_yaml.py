"""YAML of other people: 1.2's core rules, bounded, and never the end of the process."""

from __future__ import annotations

import itertools
import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import InvalidFile
from row3.project.documents import parse_yaml
from tests.rows import every_row

TEXTS = [
    *("Yes", "NO", "on", "off", "y", "tRUE", "nULL", "12:30", "190:20:30", "1_000", "0b11", "0x", "0o8", "-0o14"),
    *("2026-01-29", "2026-01-29T10:00:00Z", "=", ".inf", "-.Inf", ".nan", "1e"),
]
VALUES = [
    *((text, text) for text in TEXTS),
    *(("0123", 123), ("0o14", 12), ("0x1F", 31), ("-7", -7), ("+1", 1), ("00", 0), ("!!int '7'", 7)),
    *(("1.", 1.0), ("-.5", -0.5), ("1e3", 1000.0), ("12e03", 12000.0)),
    *(("true", True), ("FALSE", False), ("~", None), ("Null", None), ("", None), ("'null'", "null"), ("!!str 1", "1")),
]


@every_row(("text", "value"), VALUES)
def test_a_scalar_has_its_value_by_the_core_schema(text: str, value: Any) -> None:
    found = parse_yaml(f"- {text}", where="f")
    assert found == [value] and type(found[0]) is type(value)


@every_row(
    ("text", "value"),
    [
        ("{a: 1, <<: {a: 2, b: 3}}", {"a": 1, "b": 3}),
        ("{<<: [{a: 1}, {a: 2, c: 3}], b: 1}", {"a": 1, "c": 3, "b": 1}),
        ("{true: 1, null: 2, 1.50: 3, 0x10: 4, on: 5}", {"true": 1, "null": 2, "1.5": 3, "16": 4, "on": 5}),
        ("a: &a [1]\nb: *a\n", {"a": [1], "b": [1]}),
    ],
)
def test_merged_keys_and_keys_that_are_no_texts(text: str, value: Any) -> None:
    assert parse_yaml(text, where="f") == value


JSON_TEXT = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]) | st.sampled_from("äß语\n\t"))
JSON_NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | JSON_NUMBER | JSON_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(JSON_TEXT, inner, max_size=4),
)


@given(JSON)
def test_json_is_yaml(value: Any) -> None:
    assert parse_yaml(json.dumps(value), where="f") == value


@given(st.text("[]{}:,-&*!<>|?#'\"\\ \n\tab019.~%@") | st.text(string.printable), st.booleans())
def test_any_text_has_a_json_value_or_a_message(text: str, core: bool) -> None:
    try:
        value = parse_yaml(text, where="f", core=core)
    except InvalidFile:
        return
    assert not core or json.loads(json.dumps(value)) == value


def bomb(level: str) -> str:
    """Aliases that repeat each level nine times: some hundred bytes that stand for 9 ** 12 nodes."""
    names = "abcdefghijkl"
    first = f"a: &a {level.replace('*', '')}\n"
    return first + "".join(
        f"{name}: &{name} {level.replace('*', ', '.join([f'*{before}'] * 9))}\n"
        for before, name in itertools.pairwise(names)
    )


@every_row("core", [True, False])
@every_row(
    ("text", "where", "message"),
    [
        (bomb("[*]"), "f:1", "aliases repeat more than 8,000,000 characters"),
        (bomb("{<<: [*]}"), "f:1", "aliases repeat more than"),
        ("a: &a " + "x" * 100_000 + "\nb: [" + "*a, " * 100 + "]\n", "f:1", "aliases repeat more than"),
        ("x: &a [*a]", "f:1", "contains itself"),
        ("&a {b: *a}", "f:1", "contains itself"),
        ("a: &x {<<: *x}", "f:1", "contains itself"),
        ("[" * 100_000, "f:1", "nested too deeply"),
        ("- " * 100_000, "f:1", "nested too deeply"),
        ("{a: " * 100_000, "f:1", "nested too deeply"),
        ("a: 1\nb: !!bool maybe\n", "f:", "bool|maybe"),
        ("a: 1\nb: !!timestamp x\n", "f:", "timestamp|NoneType"),
        ("a: !mine x", "f:1", "!mine"),
        ("a: 1\n1: x\n'1': y\n", "f:3", "key `1` occurs twice"),
    ],
)
def test_what_is_no_value_is_named(text: str, where: str, message: str, core: bool) -> None:
    with pytest.raises(InvalidFile, match=message) as caught:
        parse_yaml(text, where="f", core=core)
    assert caught.value.where.startswith(where)


def test_a_number_too_large_is_named_with_its_line() -> None:
    for number in ("1e400", "9" * 5000):
        with pytest.raises(InvalidFile, match="is not a value of") as caught:
            parse_yaml(f"a: 1\nb: {number}\n", where="f")
        assert caught.value.where == "f:2"


def test_a_long_text_without_aliases_and_a_text_shared_by_many_are_read() -> None:
    many = "a: &a " + "x" * 1000 + "\nb:\n" + "- *a\n" * 1000
    assert len(parse_yaml(many, where="f")["b"]) == 1000
    assert len(parse_yaml("a: " + "x" * 9_000_000, where="f")["a"]) == 9_000_000
