"""Values in messages are spelt as files spell them."""

from __future__ import annotations

from typing import Any

import pytest

from row3.domain.spoken import marked, spoken


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (0.5, "0.5"),
        ("paired", "paired"),
        (["a", None], "a, none"),
        ({"on": False, "k": 1}, "on false, k 1"),
    ],
)
def test_a_setting_in_a_sentence(value: Any, text: str) -> None:
    assert spoken(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "none"), ("it's", "`it's`"), (True, "`true`"), (400, "`400`"), ({"a": None}, '`{"a": null}`')],
)
def test_a_value_that_is_quoted(value: Any, text: str) -> None:
    assert marked(value) == text
