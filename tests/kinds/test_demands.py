"""A key of `demands` disappears if and only if a demand does; other edits change a value."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds import all_kinds
from row3.kinds.demands import demands_of
from tests.rows import every_row
from tests.scoring import case_of

KINDS = all_kinds()

EXTRACTION: dict[str, Any] = {
    "id": "rye",
    "topic": "Bread",
    "sourceText": "Rye ferments at -5 °C, not at 5 °C.",
    "source": "bakery",
    "critical": True,
    "expectedConcepts": [
        {"label": "Rye", "aliases": ["secale"], "type": "crop"},
        {"label": "-5 °C", "required": False},
        {"label": "5 °C"},
    ],
    "expectedRelationships": [
        {"source": "Rye", "target": "-5 °C", "predicate": "REQUIRES"},
        {"source": "Rye", "target": "5 °C", "predicate": "REQUIRES", "required": False},
    ],
    "forbiddenConcepts": ["Yeast"],
    "forbiddenRelationships": [{"source": "5 °C", "target": "Rye", "predicate": "CAUSES"}],
}
EVENTS: dict[str, Any] = {
    "case_id": "launch",
    "documents": [
        {"document_id": "a", "document": "Ana moves the launch to May."},
        {"document_id": "b", "document": "The launch is moved."},
    ],
    "expected_events": [
        {
            "category": "Change", "description": "Launch moved", "actor": "Ana", "due_date": "2026-05-01",
            "evidence": "Ana moves the launch", "document_id": "a", "same_as": "move",
        },
        {"category": "Change", "description": "Told again", "document_id": "b", "same_as": "move"},
    ],
    "expected_entities": [{"name": "Ana Lopes", "type": "PERSON", "mentions": ["Ana"]}],
}  # fmt: skip
ENTITIES: dict[str, Any] = {
    "document_id": "a",
    "document": "Ana and Bo.",
    "expected_entities": [
        {"name": "Ana Lopes", "type": "PERSON", "mentions": ["Ana"]},
        {"name": "Bo", "type": "PERSON", "mentions": ["Bo"]},
    ],
}
RETRIEVAL: dict[str, Any] = {
    "id": "q",
    "query": "When is the launch?",
    "relevant_documents": [{"id": "a", "relevance": 3}, {"id": "b", "relevance": 0}],
}
GRAPH: dict[str, Any] = {
    "id": "g",
    "seed_document": "a",
    "expected_connections": [
        {"document_id": "b", "connection_reason": "shared_entity", "entity": "Ana", "aliases": ["A."], "hops": 1},
        {"document_id": "c", "connection_reason": "shared_event", "event": "Launch moved"},
    ],
    "expected_not_connected": ["d"],
}
OUTCOME: dict[str, Any] = {
    "id": "launch",
    "question": "When is the launch?",
    "required_facts": [{"fact_id": "day", "claim": "It is in June.", "must_cite": []}],
    "forbidden_claims": ["It is May."],
}
CASES = {
    "outcome": OUTCOME, "extraction": EXTRACTION, "events": EVENTS, "entities": ENTITIES, "retrieval": RETRIEVAL,
    "graph": GRAPH,
}  # fmt: skip


def demands(kind: str, value: dict[str, Any]) -> Mapping[str, str]:
    case = case_of(KINDS[kind].case_model, value)
    return demands_of(case, KINDS[kind].expected(case))


def edited(kind: str, edit: Callable[[dict[str, Any]], object]) -> tuple[set[str], set[str], set[str]]:
    """Return the keys that an edit removes, adds and changes."""
    before, value = demands(kind, CASES[kind]), copy.deepcopy(CASES[kind])
    edit(value)
    after = demands(kind, value)
    changed = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    return before.keys() - after.keys(), after.keys() - before.keys(), changed


REMOVED: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("extraction", lambda case: case.pop("critical"), "critical"),
    ("extraction", lambda case: case.pop("source"), "source"),
    ("extraction", lambda case: case["expectedConcepts"][0].update(required=False), "required:concept:rye"),
    ("extraction", lambda case: case["expectedConcepts"][0].pop("type"), "type:concept:rye"),
    ("extraction", lambda case: case["expectedConcepts"].pop(0), "concept:rye"),
    ("extraction", lambda case: case["expectedConcepts"].pop(1), "concept:-5 °c"),
    ("extraction", lambda case: case["expectedRelationships"].pop(1), "relationship:rye requires 5 °c"),
    ("extraction", lambda case: case["forbiddenConcepts"].clear(), "canary:yeast"),
    ("extraction", lambda case: case["forbiddenRelationships"].clear(), "forbidden:5 °c causes rye"),
    ("events", lambda case: case["expected_events"].pop(0), "event:launch moved"),
    ("events", lambda case: case["expected_events"][0].pop("due_date"), "due:event:launch moved"),
    ("events", lambda case: case["expected_events"][0].pop("same_as"), "group:event:launch moved"),
    ("entities", lambda case: case["expected_entities"].pop(), "entity:bo"),
    ("entities", lambda case: case["expected_entities"][1]["mentions"].clear(), "mention:bo for bo"),
    ("retrieval", lambda case: case["relevant_documents"].pop(), "judged:b"),
    ("graph", lambda case: case["expected_connections"].pop(0), "connection:b"),
    ("graph", lambda case: case["expected_connections"][0].pop("hops"), "hops:connection:b"),
    ("graph", lambda case: case["expected_not_connected"].clear(), "unrelated:d"),
]


@every_row(("kind", "edit", "key"), REMOVED)
def test_a_removed_demand_is_a_removed_key(kind: str, edit: Callable[[dict[str, Any]], object], key: str) -> None:
    removed, added, _ = edited(kind, edit)
    assert key in removed
    assert not added


GOLD = {"label": "Gold"}
HEATED = {"source": "5 °C", "target": "Rye", "predicate": "Causes"}
OWNED = {"source": "5 °C", "target": "Rye", "predicate": "owned_by"}
DISARMED: list[tuple[str, Callable[[dict[str, Any]], object], set[str]]] = [
    ("extraction", lambda case: case["expectedConcepts"].append({"label": "yeast"}), {"disarmed:canary:yeast"}),
    ("extraction", lambda case: case["expectedConcepts"][0]["aliases"].append("YEAST!"), {"disarmed:canary:yeast"}),
    ("extraction", lambda case: case["expectedConcepts"][0]["aliases"].append("yeast cell"), set()),
    ("extraction", lambda case: case["expectedConcepts"].append(GOLD), set()),
    (
        "extraction",
        lambda case: case["expectedRelationships"].append(HEATED),
        {"disarmed:forbidden:5 °c causes rye"},
    ),
    (
        "extraction",
        lambda case: (
            case["expectedRelationships"].append(OWNED),
            case["forbiddenRelationships"].append({"source": "Rye", "target": "5 °C", "predicate": "OWNS"}),
        ),
        {"disarmed:forbidden:rye owns 5 °c"},
    ),
    (
        "graph",
        lambda case: case["expected_connections"].append({**GRAPH["expected_connections"][0], "document_id": "d"}),
        {"disarmed:unrelated:d"},
    ),
    ("outcome", lambda case: case["required_facts"][0].update(claim="It is May"), {"disarmed:forbidden:it is may."}),
]


@every_row(("kind", "edit", "keys"), DISARMED)
def test_what_is_forbidden_and_expected_is_disarmed(
    kind: str, edit: Callable[[dict[str, Any]], object], keys: set[str]
) -> None:
    _, added, _ = edited(kind, edit)
    assert {key for key in added if key.startswith("disarmed:")} == keys


CHANGED: list[tuple[str, Callable[[dict[str, Any]], object], set[str]]] = [
    ("extraction", lambda case: case.update(sourceText="Rye."), {"input"}),
    ("extraction", lambda case: case["expectedConcepts"][0].update(label="RYE"), {"concept:rye"}),
    ("extraction", lambda case: case["expectedConcepts"][0].update(type="plant"), {"type:concept:rye"}),
    ("extraction", lambda case: case["expectedConcepts"][0]["aliases"].append("S."), {"alias:concept:rye"}),
    ("extraction", lambda case: case["expectedConcepts"][0]["aliases"].clear(), {"alias:concept:rye"}),
    ("events", lambda case: case["expected_events"][0].update(actor=None), {"actor:event:launch moved"}),
    ("events", lambda case: case["expected_events"][0].pop("evidence"), {"evidence:event:launch moved"}),
    ("events", lambda case: case["expected_events"][0].update(category="Decision"), {"category:event:launch moved"}),
    ("events", lambda case: case["expected_entities"][0]["mentions"].clear(), {"alias:actors:names"}),
    ("entities", lambda case: case["expected_entities"][0].update(type="ORG"), {"type:entity:ana lopes"}),
    ("retrieval", lambda case: case["relevant_documents"][0].update(relevance=1), {"relevance:judged:a"}),
    ("retrieval", lambda case: case.update(query="Launch?"), {"input"}),
    ("graph", lambda case: case["expected_connections"][0].update(also=["Bo"]), {"alias:connection:b"}),
    ("graph", lambda case: case["expected_connections"][0].update(entity="Bo"), {"over:connection:b"}),
]


@every_row(("kind", "edit", "keys"), CHANGED)
def test_an_edit_changes_a_value(kind: str, edit: Callable[[dict[str, Any]], object], keys: set[str]) -> None:
    assert edited(kind, edit) == (set(), set(), keys)


@every_row(
    ("kind", "edit"),
    [
        ("extraction", lambda case: case.update(version="2.0", origin="Elsewhere", domain="social")),
        ("extraction", lambda case: case["expectedConcepts"][0].update(note="A grain.")),
        ("extraction", lambda case: case["expectedConcepts"].append({"label": "5 °C"})),
        ("entities", lambda case: case["expected_entities"][0].update(role="CEO", note="Of the bakery.")),
        ("graph", lambda case: case["expected_connections"][0].update(relevance="low", via="c")),
    ],
)
def test_edits_that_move_no_score_change_nothing(kind: str, edit: Callable[[dict[str, Any]], object]) -> None:
    assert edited(kind, edit) == (set(), set(), set())


@given(data=st.data())
@pytest.mark.parametrize("kind", list(CASES))
def test_the_order_of_lists_does_not_matter(kind: str, data: st.DataObject) -> None:
    value = copy.deepcopy(CASES[kind])
    for key, part in value.items():
        if isinstance(part, list) and key != "documents":
            value[key] = data.draw(st.permutations(part))
    assert demands(kind, value) == demands(kind, CASES[kind])


LABELS = st.sampled_from(["Rye", "rye", "Salt", "5 °C", "-5 °C", "++", "C", "C++"])
CONCEPTS = st.lists(st.fixed_dictionaries({"label": LABELS, "required": st.booleans()}), max_size=5)


@given(before=CONCEPTS, after=CONCEPTS)
def test_a_key_disappears_only_with_a_name_or_a_mark(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """A name that differs only in case changes the value of its key."""

    def asked(concepts: list[dict[str, Any]]) -> set[tuple[str, bool]]:
        return {(one["label"].casefold(), mark) for one in concepts for mark in (False, one["required"])}

    old, new = (demands("extraction", EXTRACTION | {"expectedConcepts": each}) for each in (before, after))
    assert (asked(before) <= asked(after)) == (old.keys() <= new.keys())
