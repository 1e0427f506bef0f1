"""What a golden case demands, as a keyed map: a key that is gone is a demand that is gone.

A key is readable and stable: `concept:carbon dioxide`, `required:concept:carbon dioxide`, `canary:x`, `critical`.
It ignores case and white space in names and nothing else, so that `5 °C` never stands for `-5 °C`. The value is the
content itself where it is short, else a digest of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from row3.domain.requests import digest_json, digest_text

SHOWN = 60
"""Characters of a content that stands in the map as it is."""
DIGITS = 16
"""Hexadecimal digits of a digest: 64 bits tell the demands of a project apart."""


class Expected(NamedTuple):
    """One thing that a case expects or forbids."""

    what: str
    """`concept`, `canary`, `relationship` …"""
    name: str
    facts: Mapping[str, Any] = {}
    """What is asked about it, by name: `required`, `alias`, `type`. None asks nothing."""


def demand_map(case: Any, variables: Mapping[str, Any], expected: Iterable[Expected]) -> dict[str, str]:
    """Return the demands of a case by key. What it lists twice it demands once; the order of lists does not matter.

    Args:
        case: of any kind; its `critical` and `source` are demands too.
        variables: what a prompt is shown of the case.
        expected: all that it expects or forbids.
    """
    found = {"input": {digest_json(variables)}}
    if case.critical:
        found["critical"] = {"yes"}
    if source := (case.source or "").strip():
        found["source"] = {source}
    for one in expected:
        key = f"{one.what}:{_folded(one.name)}"
        found.setdefault(key, set()).add(one.name)
        for fact, value in one.facts.items():
            if value is not None:
                found.setdefault(f"{fact}:{key}", set()).add(_content(value))
    return {key: _brief(contents) for key, contents in found.items()}


def expected_in(demands: Mapping[str, str]) -> list[str]:
    """Return the demands that an answer can meet: without input and marks of the case, and other names."""
    return [key for key in demands if ":" in key and not key.startswith("alias:")]


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _content(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return digest_json(sorted(value)) if isinstance(value, list) else str(value)


def _brief(contents: set[str]) -> str:
    text = "; ".join(sorted(contents))
    return text if len(text) <= SHOWN and text.isprintable() else digest_text(text)[:DIGITS]
