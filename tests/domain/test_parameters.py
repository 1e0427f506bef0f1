"""Parameters of requests that are set or not."""

from __future__ import annotations

from typing import Any

import pytest

from row3.domain.parameters import changed_keys


@pytest.mark.parametrize(
    ("values", "changed"),
    [
        ([{"a": 1}], []),
        ([{"a": 1}, {"a": 1}], []),
        ([{"a": 1}, {"a": 2}], ["a"]),
        ([{"a": 1, "b": 2}, {"b": 2}], ["a"]),
        ([{"b": 2}, {"b": 2, "c": 3}], ["c"]),
        ([{"a": None}, {}], []),
        ([{"a": 1}, {"a": 1, "b": 2}, {"a": 3}], ["a", "b"]),
    ],
)
def test_what_differs_from_any_other(values: list[dict[str, Any]], changed: list[str]) -> None:
    assert changed_keys(*values) == changed
