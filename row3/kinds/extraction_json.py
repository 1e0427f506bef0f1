"""An explanation of kind `extraction` as plain values, for results in JSON."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict, astuple

from row3.domain.matches import Explanation


def matches_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation as plain values: every match of every item, for JSON."""
    value: dict[str, Any] = {
        "concepts": [
            {
                "label": m.label,
                "state": m.state,
                "expected": m.expected,
                "score": m.score,
                "quote": m.quote,
                "grounded": m.grounded,
            }
            for m in explanation.concepts
        ],
        "expectedConcepts": [
            {"label": e.label, "required": e.required, "foundBy": e.found_by}
            if e.found_by is not None
            else {
                "label": e.label,
                "required": e.required,
                "foundBy": None,
                "nearest": e.nearest,
                "score": e.score,
            }
            for e in explanation.expected_concepts
        ],
        "relationships": [
            {"triple": astuple(m.triple), "state": m.state, "expected": m.expected and astuple(m.expected)}
            for m in explanation.relationships
        ],
        "expectedRelationships": [
            {"triple": astuple(e.triple), "required": e.required, "foundBy": e.found_by and astuple(e.found_by)}
            for e in explanation.expected_relationships
        ],
    }
    for concept, match in zip(value["concepts"], explanation.concepts, strict=True):
        if match.how:
            concept["how"] = match.how
        if match.why_not:
            concept["whyNot"] = match.why_not
        if match.type is not None:
            concept["type"] = asdict(match.type)
    return value
