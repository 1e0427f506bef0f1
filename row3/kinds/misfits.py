"""Why a JSON value does not fit a model: field, what is wrong, what was meant; no word shows a class of ours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

SHOWN_KEYS, LONGEST_KEY = 5, 40
NEAR = 0.6
OF_SCALARS = ("bool_type", "int_type", "float_type", "string_type", "literal_error", "string_pattern_mismatch")
"""Complaints that say what is wanted and not what is there."""
CASE_ID = "^[A-Za-z0-9][A-Za-z0-9._-]"
"""How the pattern of an id begins."""
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
    """Pydantic's message with the value that it is about, in row3's words where it names a class or a pattern.

    Args:
        kind: the type of pydantic's error.
        text: its message.
        value: what does not fit.
    """
    if kind == "value_error":
        return text.removeprefix("Value error, ")
    if kind in OF_MODELS:
        return f"Input should be an object, and is {describe(value)}"
    if kind == "string_pattern_mismatch" and isinstance(value, str) and not value.strip():
        return "the text is empty"
    if kind == "string_pattern_mismatch" and CASE_ID in text:
        text = "letters, digits and . _ - only, the first a letter or a digit, at most 128"
    elif kind not in OF_SCALARS:
        return text
    return f"{text}, and is {shown(value)}"


def shown(value: Any) -> str:
    """A JSON value as a message quotes it, or its type where it is long."""
    if value is None or isinstance(value, dict | list) or len(str(value)) > LONGEST_KEY:
        return describe(value)
    return f"`{json.dumps(value, ensure_ascii=False)}`"


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
