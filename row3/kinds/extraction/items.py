"""Extraction cases as a text with schemas and expected entities and relationships, the form of dataset items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LISTS = {"entities": ("expectedConcepts", "label"), "relationships": ("expectedRelationships", "")}
"""By key of the expectations: the case's key, and its key for a name."""
TEXTS = ("text", "sourceText", "source_text", "document", "documentText", "document_text", "content")
"""Possible keys of the text in inputs that row3 did not write."""


def split_case(case: dict[str, Any], schemas: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take input and expectations out of a case."""
    given = {"text": case.pop("sourceText"), **({"topic": case.pop("topic")} if "topic" in case else {})}
    expected = {
        key: [_renamed(each, name, "name") for each in case.pop(field)]
        for key, (field, name) in LISTS.items()
        if field in case
    }
    return {**given, "schemas": schemas}, expected


def join_case(given: Any, expected: Any) -> dict[str, Any]:
    """Return a case's fields; raises `ValueError` for an input without a text."""
    given = given if isinstance(given, dict) else {TEXTS[0]: given}
    text = next((given[key] for key in TEXTS if isinstance(given.get(key), str)), None)
    if text is None:
        raise ValueError(f"the input has no text under any of {', '.join(TEXTS)}")
    value: dict[str, Any] = {"sourceText": text, "expectedConcepts": []}
    value |= {key: given[key] for key in ("topic",) if key in given}
    expected = expected if isinstance(expected, dict) else {}
    expected = {"entities": expected.get("concepts")} | expected
    for key, (field, name) in LISTS.items():
        if isinstance(expected.get(key), list):
            value[field] = [_entry(each, name) for each in expected[key]]
    return value


def _entry(each: Any, name: str) -> Any:
    """Return an expected entity or relationship with row3's keys: label, predicate."""
    if isinstance(each, str) and name:
        return {name: each}
    if isinstance(each, dict) and not name and "predicate" not in each:
        return _renamed(each, "type", "predicate")
    return _renamed(each, "name", name) if name else each


def _renamed(each: Any, old: str, new: str) -> Any:
    if not (isinstance(each, dict) and old):
        return each
    return {new if key == old else key: part for key, part in each.items()}
