"""Kind `extraction`: the types of concepts, for suites that carry them (EXPERIMENTS, "Type accuracy calculation")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from row3.domain.matches import CORRECT, ConceptMatch, TypeMatch, TypeState
from row3.kinds.extraction_models import ExtractionOut, GoldenCase
from row3.matching.names import NameMatch
from row3.matching.spellings.forms import category_key

MOST_GIVEN = 80
"""Characters kept of a type that an answer gives."""


def carries_types(case: GoldenCase) -> bool:
    """Some expected concept has a type."""
    types = [concept.type for concept in case.expected_concepts]
    return types.count(None) < len(types)


def type_of(value: Any) -> str:
    """The type in any of the accepted forms, a text, an object with a name, a list of these; empty for none."""
    if isinstance(value, str):
        text = value if value.isascii() else value.encode("utf-8", "replace").decode()
        return " ".join(text.split())[:MOST_GIVEN]
    if isinstance(value, dict):
        value = [value.get(key) for key in ("name", "type", "label")]
    if isinstance(value, list):
        return next((text for one in value if isinstance(one, str) and (text := type_of(one))), "")
    return ""


@lru_cache(maxsize=4096)
def compare_types(given: str, expected: str) -> TypeMatch:
    """The type as it is written, or as one of the ways to write it; see `category_key`."""
    expected = " ".join(expected.split())
    state: TypeState = "wrong"
    if not given:
        state = "missing"
    elif given == expected:
        state = "exact"
    elif (key := category_key(given)) and key == category_key(expected):
        state = "normalised"
    return TypeMatch(given, expected, state)


def with_types(
    case: GoldenCase, output: ExtractionOut, matches: Sequence[NameMatch], concepts: list[ConceptMatch]
) -> list[ConceptMatch]:
    """The matches, each that found a concept with a type with what was said of its type."""
    wanted = [concept.type or "" for concept in case.expected_concepts]
    return [
        replace(concept, type=compare_types(type_of(item.type), wanted[match.position]))
        if match.state in CORRECT and wanted[match.position]
        else concept
        for item, match, concept in zip(output.concepts, matches, concepts, strict=True)
    ]
