"""What a golden case demands of an answer, by key: the keys by which the change of a case is judged."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from row3.domain.requests import digest_json, digest_text, input_digest
from row3.matching.normalise import normalise

SHOWN = 60
"""Maximum characters of a demand's text; a digest replaces a longer one."""
DIGITS = 16
"""Hexadecimal digits kept of a digest: 64 bits suffice for a project."""
SOURCE = "source"
"""Key of a case's source."""
DISARMED = "disarmed:"
"""Prefix of the key of a forbidden item that cannot be found, because the case also expects it."""


class Expected(NamedTuple):
    """An item that a case expects or forbids."""

    what: str
    """`concept`, `canary`, `relationship` …"""
    name: str
    facts: Mapping[str, Any] = {}
    """Further demands on it by name: `required`, `alias`, `type`."""
    names: Sequence[str] = ()
    """What an answer calls it, if not `name`; a forbidden item with a name of an expected one is never found."""
    forbidden: bool = False


def demands_of(case: Any, items: Iterable[Expected]) -> Mapping[str, str]:
    """Return the demands of a case that expects these items, by key; a key that disappears is a removed demand.

    Duplicates count once; the order of lists does not matter. The key of a forbidden item that is also expected
    appears a second time, with the prefix `disarmed:`.
    """
    found = {"input": {input_digest(case.variables())}}
    if case.critical:
        found["critical"] = {"yes"}
    if source := (case.source or "").strip():
        found[SOURCE] = {source}
    items = list(items)
    wanted = {normalise(name) for one in items if not one.forbidden for name in one.names or (one.name,)} - {""}
    for one in items:
        name = " ".join(unicodedata.normalize("NFKC", one.name).casefold().split())
        key = f"{one.what}:{name}"
        found.setdefault(key, set()).add(one.name)
        for fact, value in one.facts.items():
            if value is not None:
                found.setdefault(f"{fact}:{key}", set()).add(fact_text(value))
        if one.forbidden and any(normalise(name) in wanted for name in one.names or (one.name,)):
            found[f"{DISARMED}{key}"] = {"yes"}
    return {key: demand_text(contents) for key, contents in found.items()}


def fact_text(value: Any) -> str:
    """Return an expected value as text, in which the order of lists does not matter."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return digest_json(sorted(value)) if isinstance(value, list) else str(value)


def demand_text(contents: set[str]) -> str:
    """Return what a case demands under one key, in a line or as a digest."""
    text = "; ".join(sorted(contents))
    return text if len(text) <= SHOWN and text.isprintable() else digest_text(text)[:DIGITS]


def expected_in(demands: Mapping[str, str]) -> list[str]:
    """Return the keys of demands that an answer can meet: all but the case's input, marks and aliases."""
    return [key for key in demands if ":" in key and not key.startswith(("alias:", DISARMED))]
