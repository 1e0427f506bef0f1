"""Types and categories of an answer beside the expected ones (EXPERIMENTS, "Type accuracy calculation")."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from row3.domain.matches import TypeMatch, TypeState
from row3.matching.spellings.forms import category_key

MOST_GIVEN = 80
"""Characters kept of a type that an answer gives."""


def type_of(value: Any) -> str:
    """Return the type in any of the accepted forms: a text, an object with a name, a list of these; empty for none."""
    if isinstance(value, str):
        text = value if value.isascii() else value.encode("utf-8", "replace").decode()
        return " ".join(text.split())[:MOST_GIVEN]
    if isinstance(value, dict):
        value = [value.get(key) for key in ("name", "type", "label")]
    if isinstance(value, list):
        return next((text for one in value if isinstance(one, str) and (text := type_of(one))), "")
    return ""


@lru_cache(maxsize=4096)
def compare_types(given: str, expected: str) -> TypeMatch:
    """Return how a given type compares: as it is written, or as one of the ways to write it; see `category_key`."""
    expected = " ".join(expected.split())
    state: TypeState = "wrong"
    if not given:
        state = "missing"
    elif given == expected:
        state = "exact"
    elif (key := category_key(given)) and key == category_key(expected):
        state = "normalised"
    return TypeMatch(given, expected, state)
