"""Why a JSON value does not fit a model: field, what is wrong, what was meant; no word shows a class of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

SHOWN_KEYS, LONGEST_KEY = 5, 40
NEAR = 0.6
OF_MODELS = ("model_type", "model_attributes_type", "dataclass_type", "is_instance_of")
"""Complaints in which pydantic names a class."""


def describe(value: Any) -> str:
    """A JSON value's type in the words of JSON."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def misfit(value: Any, error: ValidationError) -> str:
    """The first thing that is wrong with a value, as `the answer does not fit: …`."""
    first = error.errors(include_url=False)[0]
    if first["type"] != "missing":
        place, _ = _place(value, first["loc"])
        return f"the answer does not fit: field `{place}`: {message(first['type'], first['msg'], first['input'])}"
    *outer, key = first["loc"]
    place, holder = _place(value, outer)
    field = f"{place}.{key}" if place else key
    return f"the answer does not fit: field `{field}` is missing{_instead(str(key), holder)}"


def message(kind: str, text: str, value: Any) -> str:
    """Pydantic's message, in row3's words where it names a class.

    Args:
        kind: the type of pydantic's error.
        text: its message.
        value: what does not fit.
    """
    return f"Input should be an object, and is {describe(value)}" if kind in OF_MODELS else text


def _place(value: Any, loc: Sequence[str | int]) -> tuple[str, Any]:
    """Keys and positions as they stand in the value, joined by dots, and what is there.

    What pydantic adds to say which model of a union it tried leads nowhere in the value.
    """
    parts: list[str] = []
    current: Any = value
    for part in loc:
        inside: Any = (
            current.keys() if isinstance(current, dict) else range(len(current)) if isinstance(current, list) else ()
        )
        if part in inside:
            current = current[part]
            parts.append(str(part))
    return ".".join(parts), current


def _instead(key: str, holder: Any) -> str:
    """What stands there in the place of a missing key: one that is near it, or else whatever there is."""
    keys = [str(each) for each in holder] if isinstance(holder, dict) else []
    import difflib  # wanted for a message only

    near = difflib.get_close_matches(key, keys, n=1, cutoff=NEAR)
    if near:
        return f"; did `{_short(near[0])}` mean it?"
    listed = ", ".join(f"`{_short(each)}`" for each in keys[:SHOWN_KEYS])
    return f"; there is {listed}{' and more' if len(keys) > SHOWN_KEYS else ''}" if keys else "; the object is empty"


def _short(key: str) -> str:
    """A key on one line; a model may have written anything."""
    text = " ".join(key.split())
    return text if len(text) <= LONGEST_KEY else f"{text[:LONGEST_KEY]}…"


def why_no_json(error: Exception) -> str:
    """What a decoder complains of; Python's advice about numbers of thousands of digits is for programmers."""
    return "a number has too many digits" if "integer string conversion" in str(error) else str(error)
