"""A project with a suite of each kind that a memory system has: documents that two suites share, queries, a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.projects import Box

KINDS = ("events", "entities", "retrieval", "graph")
PRIMARY = {"events": "f1", "entities": "entity_f1", "retrieval": "mrr", "graph": "connection_precision"}
PROMPTS = {"events": "find-events", "entities": "find-entities", "retrieval": "search", "graph": "expand"}
ITEMS = {"events": "events", "entities": "entities", "retrieval": "results", "graph": "connections"}
SHOWS = {
    "events": "{{ date }} {{ documents[0].document }}",
    "entities": "{{ title }} {{ document }}",
    "retrieval": "{{ query }} {{ limit }} {{ date }}",
    "graph": "{{ seed_document }} {{ seed_text }} {{ depth }} {{ limit }}",
}
TEXTS = {
    "m1": "Alice Chen decided that we ship in May. Bob Smith tests the pump by 4 April. AC was brief.",
    "m2": "Since Alice Chen decided that we ship in May, Cleo Park rings the port. Bob Smith finished the pump test.",
}
EVENTS: dict[str, list[dict[str, Any]]] = {
    "m1": [
        {
            "category": "Decision", "description": "Ship in May", "actor": "Alice Chen",
            "evidence": "Alice Chen decided that we ship in May", "same_as": "SHIP",
        },
        {
            "category": "Commitment",
            "description": "Test the pump",
            "actor": "Bob Smith",
            "due_date": "2025-04-04",
            "evidence": "Bob Smith tests the pump by 4 April",
        },
    ],
    "m2": [
        {
            "category": "Decision",
            "description": "Ship in May",
            "actor": "Alice Chen",
            "evidence": "Alice Chen decided that we ship in May",
            "same_as": "SHIP",
        },
        {
            "category": "Execution",
            "description": "Finish the pump test",
            "actor": "Bob Smith",
            "evidence": "Bob Smith finished the pump test",
        },
    ],
}  # fmt: skip
PEOPLE: dict[str, list[dict[str, Any]]] = {
    "m1": [
        {"name": "Alice Chen", "type": "PERSON", "mentions": ["Alice Chen", "AC"]},
        {"name": "Bob Smith", "type": "PERSON", "mentions": ["Bob Smith"]},
    ],
    "m2": [
        {"name": "Alice Chen", "type": "PERSON", "mentions": ["Alice Chen"]},
        {"name": "Bob Smith", "type": "PERSON", "mentions": ["Bob Smith"]},
        {"name": "Cleo Park", "type": "PERSON", "mentions": ["Cleo Park"]},
    ],
}


def document(name: str) -> dict[str, Any]:
    """The golden case of one document."""
    return {
        "document_id": name,
        "title": f"Notes {name}",
        "date": "2025-03-28",
        "domain": "meeting",
        "document": TEXTS[name],
        "expected_events": deepcopy(EVENTS[name]),
        "expected_entities": deepcopy(PEOPLE[name]),
    }


def linking() -> dict[str, Any]:
    """Both documents read together."""
    people = {one["name"]: one for name in reversed(TEXTS) for one in deepcopy(PEOPLE[name])}
    return {
        "case_id": "both",
        "documents": [{"document_id": name, "document": text} for name, text in TEXTS.items()],
        "expected_events": [event | {"document_id": name} for name in TEXTS for event in EVENTS[name]],
        "expected_entities": list(people.values()),
    }


QUERIES: list[dict[str, Any]] = [
    {
        "id": "q1",
        "query": "When do we ship?",
        "relevant_documents": [{"id": "m1", "relevance": 3}, {"id": "m2", "relevance": 1}],
    },
    {
        "id": "q2",
        "query": "Who finished the test?",
        "relevant_documents": [{"id": "m2", "relevance": 3}, {"id": "m1", "relevance": 0}],
    },
]
SEED: dict[str, Any] = {
    "id": "g1",
    "seed_document": "m1",
    "expected_connections": [
        {"document_id": "m2", "connection_reason": "shared_entity", "entity": "Alice Chen", "hops": 1}
    ],
}


def answers(kind: str) -> dict[str, dict[str, Any]]:
    """A perfect answer to every case, by case id."""
    if kind == "retrieval":
        return {case["id"]: {"results": [{"id": one["id"]} for one in case["relevant_documents"]]} for case in QUERIES}
    if kind == "graph":
        return {"g1": {"connections": deepcopy(SEED["expected_connections"])}}
    cases = {name: document(name) for name in TEXTS} | {"both": linking()}
    if kind == "entities":
        return {name: {"entities": case["expected_entities"]} for name, case in cases.items()}
    return {
        name: {
            "events": [
                {key: value for key, value in event.items() if key != "same_as"} | {"group": event.get("same_as", "")}
                for event in case["expected_events"]
            ]
        }
        for name, case in cases.items()
    }


def emptied(kind: str) -> dict[str, dict[str, Any]]:
    """An answer to every case that has nothing in it."""
    return {name: {ITEMS[kind]: []} for name in answers(kind)}


def memory(root: Path) -> Box:
    """The project: cases, a prompt for each suite, no recordings, no git."""
    box = Box(root)
    config = ['suite = "events"', 'mode = "replay"', "[provider]", 'model = "reader-1"']
    folders = {"events": "memory/documents", "entities": "memory/documents"}
    folders |= {"retrieval": "memory/queries", "graph": "memory/graph"}
    for kind in KINDS:
        config += [f"[suites.{kind}]", f'kind = "{kind}"', f'golden = "{folders[kind]}"']
        prompt(box, kind, "1.0")
    box.write("row3.toml", "\n".join(config) + "\n")
    for name in TEXTS:
        write(box, f"golden/memory/documents/{name}.gold.json", document(name))
    write(box, "golden/memory/documents/linking/both.gold.json", linking())
    for case in QUERIES:
        write(box, f"golden/memory/queries/{case['id']}.gold.json", case)
    write(box, "golden/memory/graph/g1.gold.json", SEED)
    return box


def write(box: Box, name: str, value: Any) -> None:
    """Write a JSON file."""
    box.write(name, json.dumps(value, indent=1) + "\n")


def prompt(box: Box, kind: str, version: str) -> None:
    """Write a version of a suite's prompt."""
    name = PROMPTS[kind]
    front = f'---\nname: {name}\nversion: "{version}"\noutput: {ITEMS[kind]}\n---\n'
    box.write(f"prompts/{name}-v{version}.md", f"{front}{{% block user %}}{version} {SHOWS[kind]}{{% endblock %}}\n")


def record(box: Box, kind: str, version: str, given: Mapping[str, Any]) -> None:
    """Make recordings of a suite's prompt by the command line."""
    lines = [
        {"caseId": name, "prompt": f"{PROMPTS[kind]}-v{version}", "response": json.dumps(answer)}
        for name, answer in given.items()
    ]
    file = box.write(f"responses-{kind}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    named = f"{PROMPTS[kind]}-v{version}"
    box.row3("recordings", "import", str(file), "--suite", kind, "--prompt", named, code=0)
    file.unlink()
