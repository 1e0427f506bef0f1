"""The errors of an answer, item by item, each with its cause; `checklists.toml` describes the causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from row3.domain.matches import Item, Items
from row3.domain.words import words_of
from row3.matching.text.places import Place

UNUSABLE = "unusable"
"""Cause of an answer that cannot be read."""
UNJUDGED = "not-judged"
"""Cause of an item that may be right, because nobody has judged it."""
LACKING = frozenset({"missing", "unverified"})
"""States of evidence that are mistakes."""
RIGHT = (True, "exact", "normalised", "right")
"""Values of the notes that say a fact is correct."""


class Mistake(NamedTuple):
    """A wrong item of an answer, or an expectation it does not meet."""

    cause: str
    label: str
    other: str = ""
    """The matched or nearest item on the other side."""
    note: str = ""
    place: Place | None = None
    pair: str = ""
    """The values that were confused: `CAUSES for IS_A`."""
    case_id: str = ""


class Mistakes(NamedTuple):
    """The mistakes of one answer."""

    items: tuple[Mistake, ...]
    sizes: Mapping[str, int]
    """Number of items examined, by part of the checklist; `""` for all other parts."""


def item_mistakes(found: Items) -> Iterator[Mistake]:
    """Yield the mistakes of an answer that is a list of items; what a wrong item matches is not missed as well."""
    mismatched = {each.expected for each in found.items if each.state.startswith("wrong")}
    for each in found.expected:
        if each.found_by is None and each.label not in mismatched:
            yield Mistake("missed", each.label, each.nearest or "", noted(each.notes))
    wanted: dict[str | None, Mapping[str, Any]] = {each.label: each.notes for each in found.expected}
    for item in found.items:
        pair = ", ".join(_confused(item, wanted.get(item.expected, {})))
        if item.state not in found.correct or item.state in found.flawed:
            wrong = item.state if item.state.startswith("wrong") and item.state not in found.flawed else ""
            yield Mistake(item.state, item.label, item.expected or "", noted(item.notes), pair=pair if wrong else "")
        elif item.notes.get("typeState") in ("wrong", "missing"):
            yield Mistake("type", item.label, item.expected or "", pair=pair)
        if item.notes.get("evidence") in LACKING:
            yield Mistake(item.notes["evidence"], item.label)


def _confused(item: Item, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts that differ from the expected ones: `Decision for Commitment`."""
    for key, value in wanted.items():
        given = item.notes.get(key)
        right = given == value or item.notes.get(f"{key}State") in RIGHT or item.notes.get(f"{key}Right") in RIGHT
        if key in item.notes and not right:
            yield f"{given or 'none'} for {value or 'none'}"


def noted(notes: Mapping[str, Any]) -> str:
    """Return notes in plain words, without verdicts and empty values: `category Decision, actor Alice`."""
    return ", ".join(
        f"{words_of(key)} {value}"
        for key, value in notes.items()
        if not key.endswith(("State", "Right"))
        and isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and value != ""
    )
