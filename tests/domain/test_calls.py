from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.calls import UnknownPlaceholderError, filled, found_at
from tests.rows import every_row

VALUES = {"query": "who {moved} it?", "limit": 5, "tags": ["a", "b"], "deep": {"list": [{"id": "x"}]}}


@every_row(
    ("template", "value"),
    [
        ("{query}", "who {moved} it?"),
        ("{limit}", 5),
        ("{tags}", ["a", "b"]),
        ("{deep.list.0.id}", "x"),
        ("find {limit} of {tags}: {query}", 'find 5 of ["a", "b"]: who {moved} it?'),
        ("{{query}}", "{query}"),
        (
            {"a": ["{limit}", True, 1.5, None], "b": {"c": "{query}"}},
            {"a": [5, True, 1.5, None], "b": {"c": VALUES["query"]}},
        ),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_placeholders_are_filled(template: Any, value: Any) -> None:
    assert filled(template, VALUES) == value


@every_row("template", ["{querry}", "a {deep.list.1.id}", "{limit.x}", "{", "a } b", "{two words}", "{}"])
def test_a_placeholder_without_a_value_is_refused(template: str) -> None:
    with pytest.raises(UnknownPlaceholderError):
        filled(template, VALUES)


def test_the_error_lists_the_known_names() -> None:
    with pytest.raises(UnknownPlaceholderError, match=r"`\{q\}` has no value; known: \{query\}, \{limit\}"):
        filled("{q}", VALUES)


@given(st.text())
def test_placeholders_in_values_are_not_filled(text: str) -> None:
    assert filled("{a}", {"a": text, "b": "x"}) == text
    assert filled("<{a}>", {"a": text, "b": "x"}) == f"<{text}>"


@given(st.text())
def test_doubled_braces_are_literal(text: str) -> None:
    assert filled(text.replace("{", "{{").replace("}", "}}"), {}) == text


def test_a_path_only_enters_objects_and_lists() -> None:
    assert found_at({"a": [{"b": None}]}, "a.0.b") is None
    for path in ("a.1", "a.b", "c", "a.0.b.c", "a.-1"):
        with pytest.raises(KeyError):
            found_at({"a": [{"b": None}]}, path)
