"""What each field of a saved run's gate may hold; a later comparison reckons with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 1e9
"""No limit is larger, and what is can be too large to reckon with."""


def _text(value: Any) -> bool:
    return type(value) is str


def _number(value: Any) -> bool:
    return type(value) in (int, float) and -MOST <= value <= MOST


def _texts(value: Any) -> bool:
    return type(value) is list and all(map(_text, value))


def _by_name(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is dict and all(map(fits, value.values()))


def _by_meaning(value: Any) -> bool:
    return type(value) is dict and _text(value.get("model")) and _number(value.get("threshold"))


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("unit", "matchingScorer", "policy", "inconclusive"), (_text, "text")),
    **dict.fromkeys(("block", "investigate", "declines", "matchingThreshold"), (_number, "number")),
    **dict.fromkeys(("metrics", "symmetric", "warning"), (_texts, "list of texts")),
    "quarantined": (_texts, "list of case ids"),
    "inverse": (_by_name(_text), "object of texts"),
    "limits": (_by_name(_number), "object of numbers"),
    "semantic": (_by_meaning, "object with `model` and `threshold`"),
    "informational": (lambda value: type(value) is bool, "`true` or `false`"),
}


def misfit(gate: Mapping[str, Any]) -> str:
    """The first field that is not what it has to be, as a message says it; empty for none."""
    for key, (fits, wanted) in _FIELDS.items():
        if key in gate and not fits(gate[key]):
            return f"field `gate.{key}` is no {wanted}"
    return ""
