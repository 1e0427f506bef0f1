"""Numbers, values and names as messages write them: `1 case`, `15 cases`, `none`, `true`, `did you mean`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 case`, `1,204 cases`; with the verb where it has one: `count(n, "case is", "cases are")`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def part(number: int, whole: int, noun: str, verb: str = "", verbs: str = "") -> str:
    """`0 of 1 case`, `3 of 15 cases`; with a verb, which goes by the part: `1 of 15 cases has`, `0 of 1 case have`."""
    told = f" {verb if number == 1 else verbs}" if verb else ""
    return f"{number:,} of {count(whole, noun)}{told}"


def spoken(value: Any) -> str:
    """A setting in a sentence: `none`, `true`, `0.5`, `a, b`, `key value, key value`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {spoken(item)}" for key, item in value.items())
    return ", ".join(map(spoken, value)) if isinstance(value, list | tuple) else str(value)


def marked(value: Any) -> str:
    """Return a value in quotes, as JSON unless it is a text; `none` for None."""
    if value is None:
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)}`"


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the closest known name; empty for none."""
    import difflib  # wanted for a message only

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return `Did you mean …?`, or `otherwise` if no known name is close."""
    near = nearest(name, known)
    return f"Did you mean `{near}`?" if near else otherwise
