"""Numbers, values and names formatted for messages: `1 case`, `15 cases`, `none`, `true`, `did you mean`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 case` or `1,204 cases`; a verb is part of the noun: `count(n, "case is", "cases are")`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def part(number: int, whole: int, noun: str, verb: str = "", verbs: str = "") -> str:
    """Return `3 of 15 cases`; a verb agrees with the part: `1 of 15 cases has`, `0 of 1 case have`."""
    ending = f" {verb if number == 1 else verbs}" if verb else ""
    return f"{number:,} of {count(whole, noun)}{ending}"


def spoken(value: Any) -> str:
    """Return a setting as words in a sentence: `none`, `true`, `0.5`, `a, b`, `key value, key value`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {spoken(item)}" for key, item in value.items())
    return ", ".join(map(spoken, value)) if isinstance(value, list | tuple) else str(value)


def marked(value: Any) -> str:
    """Return a value in backticks, as JSON unless it is a string; `none` for None."""
    if value is None:
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)}`"


def words_of(name: str) -> str:
    """Return the name of a field, a list or a state as words: `missed concepts`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub("[_-]+", " ", name)).lower()


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the closest known name, else one of which it is a word; empty for none."""
    import difflib  # only for messages

    close = difflib.get_close_matches(name, names := list(known), n=1, cutoff=cutoff)
    return next(iter([*close, *(each for each in names if name in re.split(r"[\W_]+", each))]), "")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return `Did you mean …?`, or `otherwise` if no known name is close."""
    near = nearest(name, known)
    return f"Did you mean `{near}`?" if near else otherwise
