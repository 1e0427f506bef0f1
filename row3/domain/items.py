"""How each item of an answer fared, for kinds whose answers are lists: events, entities, results, connections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ItemMatch(NamedTuple):
    """One item of the answer, in its order."""

    label: str
    """What it says, in a line."""
    state: str
    """The kind's own word: `match`, `wrong-category`, `duplicate`, `unmatched` …"""
    expected: str | None
    """The expected item that it is, or comes nearest to."""
    score: float
    """How well the two fit, in [0, 1]."""
    notes: Mapping[str, Any]
    """What else can be said: category, actor, evidence, rank …"""


class ItemExpectation(NamedTuple):
    """One expected item and what found it."""

    label: str
    found_by: str | None
    nearest: str | None
    score: float
    notes: Mapping[str, Any]


class Items(NamedTuple):
    """Why a case scored as it did."""

    items: tuple[ItemMatch, ...]
    expected: tuple[ItemExpectation, ...]
    correct: frozenset[str]
    """States that count as found."""


def items_json(found: Items) -> dict[str, Any]:
    """As plain values, for JSON."""
    return {
        "items": [
            {"label": m.label, "state": m.state, "expected": m.expected, "score": round(m.score, 4), **m.notes}
            for m in found.items
        ],
        "expected": [
            {"label": e.label, "foundBy": e.found_by, "nearest": e.nearest, "score": round(e.score, 4), **e.notes}
            for e in found.expected
        ],
    }
