"""A name that another takes the place of is seen, though normalising makes one of the two."""

from __future__ import annotations

from typing import Any

import pytest

from row3.kinds.base import Kind
from row3.kinds.entities.score import KIND as ENTITIES
from row3.kinds.events.score import KIND as EVENTS
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.graph.score import KIND as GRAPH
from row3.kinds.retrieval.score import KIND as RETRIEVAL

TEXT = "It was -5 °C in the IT room, where nobody knew .NET or China from china."
TWO = [("-5 °C", "5 °C"), ("5 °C", "-5 °C"), ("IT", "it"), (".NET", "net"), ("China", "china"), ("10 mW", "10 MW")]
ONE = [("IT room", "it  Room"), ("CO2", "CO₂"), ("RNA", "rna"), ("3-5 days", "3–5 days")]


def concept(name: str) -> dict[str, Any]:
    return {"expectedConcepts": [{"label": name}]}


def optional(name: str) -> dict[str, Any]:
    return {"expectedConcepts": [{"label": name, "required": False}]}


def canary(name: str) -> dict[str, Any]:
    return {"expectedConcepts": [{"label": "cold"}], "forbiddenConcepts": [name]}


def source(name: str) -> dict[str, Any]:
    link = {"source": name, "target": "cold", "predicate": "CAUSES"}
    return {"expectedConcepts": [{"label": "cold"}], "forbiddenRelationships": [link]}


def target(name: str) -> dict[str, Any]:
    link = {"source": "cold", "target": name, "predicate": "CAUSES"}
    return {"expectedConcepts": [{"label": "cold"}], "expectedRelationships": [link]}


def entity(name: str) -> dict[str, Any]:
    return {"expected_entities": [{"name": name, "type": "PLACE", "mentions": ["room"]}]}


def mention(name: str) -> dict[str, Any]:
    return {"expected_entities": [{"name": "room", "type": "PLACE", "mentions": [name]}]}


def event(name: str) -> dict[str, Any]:
    return {"expected_events": [{"category": "Change", "description": name}]}


def actor(name: str) -> dict[str, Any]:
    return {"expected_events": [{"category": "Change", "description": "it froze", "actor": name}]}


def shared(name: str) -> dict[str, Any]:
    link = {"document_id": "warm", "connection_reason": "shared_entity", "entity": name}
    return {"expected_connections": [link]}


def happened(name: str) -> dict[str, Any]:
    link = {"document_id": "warm", "connection_reason": "shared_event", "event": name}
    return {"expected_connections": [link]}


HEADS: dict[Kind, dict[str, Any]] = {
    EXTRACTION: {"id": "cold", "sourceText": TEXT},
    GRAPH: {"id": "cold", "seed_document": "cold"},
}
PLACES = [
    *((EXTRACTION, make) for make in (concept, optional, canary, source, target)),
    *((ENTITIES, make) for make in (entity, mention)),
    *((EVENTS, make) for make in (event, actor)),
    *((GRAPH, make) for make in (shared, happened)),
]

SWAPS = [
    (kind, make, before, after)
    for kind, make in PLACES
    for before, after in TWO
    if kind is not GRAPH or before != "China"  # which only a text tells from `china`, and a seed has none
]


def case_of(kind: Kind, expected: dict[str, Any]) -> Any:
    head = HEADS.get(kind, {"document_id": "cold", "document": TEXT})
    return kind.case_model.of(head | expected)


@pytest.mark.parametrize(("kind", "make", "before", "after"), SWAPS, ids=lambda value: getattr(value, "__name__", None))
def test_a_name_that_only_normalises_alike_is_another(kind: Kind, make: Any, before: str, after: str) -> None:
    old, new = case_of(kind, make(before)), case_of(kind, make(after))
    assert kind.swaps_a_name(old, new)
    assert not kind.swaps_a_name(old, old)


@pytest.mark.parametrize(("kind", "make"), PLACES, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize(("before", "after"), ONE)
def test_another_spelling_of_a_name_is_none(kind: Kind, make: Any, before: str, after: str) -> None:
    assert not kind.swaps_a_name(case_of(kind, make(before)), case_of(kind, make(after)))


def test_of_two_names_that_normalise_alike_each_counts() -> None:
    both, one = ({"expectedConcepts": [{"label": name} for name in names]} for names in (("IT", "it"), ("it", "it")))
    assert EXTRACTION.swaps_a_name(case_of(EXTRACTION, both), case_of(EXTRACTION, one))
    turned = {"expectedConcepts": both["expectedConcepts"][::-1]}
    assert not EXTRACTION.swaps_a_name(case_of(EXTRACTION, both), case_of(EXTRACTION, turned))


def test_what_is_gone_is_no_swap() -> None:
    assert not EXTRACTION.swaps_a_name(case_of(EXTRACTION, concept("IT")), case_of(EXTRACTION, concept("cold")))


def test_a_kind_of_ids_swaps_no_name() -> None:
    assert not RETRIEVAL.swaps_a_name(None, None)
