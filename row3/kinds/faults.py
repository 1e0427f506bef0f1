"""What is wrong with an answer, item by item, each with its cause; the words for causes are `checklists.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from row3.domain.matches import Item, Items
from row3.matching.text.places import Place

UNUSABLE = "unusable"
"""Cause of an answer that cannot be read."""
LACKING = frozenset({"missing", "unverified"})
"""States of evidence that does not hold."""
RIGHT = (True, "exact", "normalised", "right")


class Fault(NamedTuple):
    """An item of the answer, or an expectation, that is not as it should be."""

    cause: str
    label: str
    other: str = ""
    """The item that it stands for, or comes nearest to."""
    note: str = ""
    place: Place | None = None
    pair: str = ""
    """What narrows the cause down: `CAUSES for IS_A`."""
    case_id: str = ""


class Faults(NamedTuple):
    """What is wrong with one answer."""

    items: tuple[Fault, ...]
    sizes: Mapping[str, int]
    """How many items there are of which faults are a part: by part of the checklist, or else all under no name."""


def item_faults(found: Items, also: frozenset[str] = frozenset()) -> Faults:
    """Return what is wrong with an answer that is a list of items; `also` are states that count and are faults too.

    An expectation beside which a wrong item stands is not missed too.
    """
    return Faults(tuple(_item_faults(found, also)), {"": len(found.items), "missed": len(found.expected)})


def _item_faults(found: Items, also: frozenset[str]) -> Iterator[Fault]:
    beside = {each.expected for each in found.items if each.state.startswith("wrong")}
    for each in found.expected:
        if each.found_by is None and each.label not in beside:
            yield Fault("missed", each.label, each.nearest or "", noted(each.notes))
    wanted: dict[str | None, Mapping[str, Any]] = {each.label: each.notes for each in found.expected}
    for item in found.items:
        pair = ", ".join(_confused(item, wanted.get(item.expected, {})))
        if item.state not in found.correct or item.state in also:
            wrong = item.state if item.state.startswith("wrong") and item.state not in also else ""
            yield Fault(item.state, item.label, item.expected or "", noted(item.notes), pair=pair if wrong else "")
        elif item.notes.get("typeState") in ("wrong", "missing"):
            yield Fault("type", item.label, item.expected or "", pair=pair)
        if item.notes.get("evidence") in LACKING:
            yield Fault(item.notes["evidence"], item.label)


def _confused(item: Item, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was said for what, of the facts that both have: `Decision for Commitment`."""
    for key, value in wanted.items():
        given = item.notes.get(key)
        right = given == value or item.notes.get(f"{key}State") in RIGHT or item.notes.get(f"{key}Right") in RIGHT
        if key in item.notes and not right:
            yield f"{given or 'none'} for {value or 'none'}"


def noted(notes: Mapping[str, Any]) -> str:
    """`category Decision, actor Alice`: what else is known in plain words, without verdicts and what is empty."""
    words = {key: value for key, value in notes.items() if not key.endswith(("State", "Right"))}
    return ", ".join(
        f"{''.join(f' {letter.lower()}' if letter.isupper() else letter for letter in key)} {value}"
        for key, value in words.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
    )
