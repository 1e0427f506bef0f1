"""Fields of an answer mapped in row3.toml: answers of `@modelcontextprotocol/server-memory` 2026.8.31 as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.projects import Box
from tests.rows import every_row

DATA = Path(__file__).parents[1] / "data/server_memory"
TEXT = (
    "Mira Vantongeren leads the Halden pilot, which is located in Tromsø. Nordfrisk Foods pays for the Halden pilot, "
    "and Ola Brandt audits it."
)
NAMES = {
    "Mira Vantongeren": "PERSON", "Halden pilot": "PROJECT", "Nordfrisk Foods": "ORG", "Tromsø": "PLACE",
    "Ola Brandt": "PERSON",
}  # fmt: skip
LINKS = [("Mira Vantongeren", "leads", "Halden pilot"), ("Halden pilot", "located in", "Tromsø")]
FIELDS = """concepts = { list = "entities", label = "name", type = "entityType" }
relationships = { list = "relations", source = "from", predicate = "relationType", target = "to" }
"""
CASES: dict[str, dict[str, Any]] = {
    "entities": {
        "document_id": "a",
        "document": TEXT,
        "expected_entities": [{"name": name, "type": type_, "mentions": [name]} for name, type_ in NAMES.items()],
    },
    "extraction": {
        "id": "a",
        "sourceText": TEXT,
        "expectedConcepts": [{"label": name, "type": type_} for name, type_ in NAMES.items()],
        "expectedRelationships": [dict(zip(("source", "predicate", "target"), link, strict=True)) for link in LINKS],
    },
    "retrieval": {"id": "a", "query": "Who pays?", "relevant_documents": [{"id": "Nordfrisk Foods", "relevance": 10}]},
}
SYSTEM = """from pathlib import Path


def read_graph(**case):
    return Path("answer.json").read_text("utf-8")
"""
SETTINGS = {
    "entities": "",
    "extraction": f"predicates.allowed = []\n[suites.s.fields]\n{FIELDS}",
    "retrieval": '[suites.s.fields]\nresults = { list = "entities", id = "name" }\n',
}


def project(root: Path, kind: str, settings: str) -> Box:
    """A suite of one case that a Python function answers with what is in answer.json, and that file as an output."""
    box = Box(root)
    config = f'mode = "replay"\n[suites.s]\nkind = "{kind}"\n{settings}'
    system = '[suites.s.provider]\ntype = "python"\nversion = "1.0"\ncallable = "system:read_graph"\n'
    box.write("row3.toml", config + system)
    box.write("system.py", SYSTEM)
    box.write("golden/s/a.gold.json", json.dumps(CASES[kind]))
    return box


def metrics(box: Box, answer: str) -> dict[str, float]:
    """The scores of an answer as the suite's own provider gives it, recorded; scored as an output it has the same."""
    box.write("answer.json", answer)
    box.write("outputs.jsonl", json.dumps({"caseId": "a", "output": json.loads(answer)}) + "\n")
    live = box.row3("--mode", "record", "--format", "json", code=0).json["metrics"]
    assert live == box.row3("--format", "json", code=0).json["metrics"]
    assert live == box.row3("score", "s", "--outputs", "outputs.jsonl", "--format", "json", code=0).json["metrics"]
    found: dict[str, float] = live
    return found


@every_row(
    ("kind", "tool", "wanted"),
    [
        ("entities", "read_graph", {"entity_precision": 1.0, "entity_recall": 0.8, "type_accuracy": 1.0}),
        ("entities", "search_nodes", {"entity_precision": 1.0, "entity_recall": 0.6, "type_accuracy": 1.0}),
        ("entities", "search_nodes_without_result", {"entity_precision": 0.0, "entity_recall": 0.0}),
        ("extraction", "read_graph", {"recall": 0.8, "precision": 1.0, "typeAccuracy": 1.0, "relationshipRecall": 1.0}),
        ("extraction", "search_nodes", {"recall": 0.6, "precision": 1.0, "relationshipAccuracy": 2 / 3}),
        ("extraction", "search_nodes_without_result", {"recall": 0.0, "precision": 0.0}),
        ("retrieval", "search_nodes", {"mrr": 1 / 3}),
    ],
)
def test_what_the_memory_server_says_scores_as_it_is(
    tmp_path: Path, kind: str, tool: str, wanted: dict[str, float]
) -> None:
    found = metrics(project(tmp_path / "p", kind, SETTINGS[kind]), (DATA / f"{tool}.json").read_text("utf-8"))
    assert {key: found[key] for key in wanted} == pytest.approx(wanted)


@every_row(
    ("fields", "answer"),
    [
        ('entities = { list = "result.nodes" }', {"result": {"nodes": [{"name": "Tromsø", "type": "PLACE"}]}}),
        ('entities = { list = "hits", name = "node.id" }', {"hits": [{"node": {"id": "Tromsø"}, "type": "PLACE"}]}),
        ('entities = { name = "id", type = "is" }', [{"id": "Tromsø", "is": "PLACE"}, {"id": "Halden pilot"}]),
        ('entities = { type = "is" }', {"entities": [{"name": "Tromsø", "type": "a", "is": "PLACE"}]}),
    ],
)
def test_paths_and_lists(tmp_path: Path, fields: str, answer: Any) -> None:
    found = metrics(project(tmp_path / "p", "entities", f"[suites.s.fields]\n{fields}\n"), json.dumps(answer))
    assert found["entity_precision"] == 1.0


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            'entities = { list = "nodes" }',
            "`fields.entities` in row3.toml points to `nodes`, which the answer lacks; found `entities`, `relations`",
        ),
        (
            'entities = { type = "kind" }',
            "`fields.entities.type` in row3.toml points to `kind`, which no entry has; found `entityType`, `name`, "
            "`observations`",
        ),
    ],
)
def test_a_field_that_the_answer_lacks_is_named_with_those_it_has(tmp_path: Path, fields: str, problem: str) -> None:
    box = project(tmp_path / "p", "entities", f"[suites.s.fields]\n{fields}\n")
    assert metrics(box, (DATA / "read_graph.json").read_text("utf-8"))["entity_f1"] == 0.0
    (case,) = box.row3("--format", "json", code=0).json["cases"]
    assert (case["status"], case["problem"]) == ("bad_answer", f"system-read-graph-v1.0: {problem}")
    assert problem in box.row3("recordings", "verify", "--format", "json", code=0).out.replace("\\", "")


@every_row(
    ("kind", "fields", "message"),
    [
        (
            "entities",
            'entitys = { list = "x" }',
            "field suites.s.fields: `entitys` is not a field of an answer of kind `entities`. Did",
        ),
        (
            "entities",
            'entities = { nmae = "x" }',
            "field suites.s.fields.entities: `nmae` is not a field of an answer of",
        ),
        ("retrieval", 'results = { zzz = "x" }', "Known: list, id, score."),
        ("entities", 'entities = { name = "" }', "field `suites.s.fields.entities.name`: the text is empty"),
        ("entities", 'entities = { name = "a..b" }', 'should be a path like `results.items`, not `"a..b"`'),
        ("entities", "entities = 1", "field `suites.s.fields.entities`: should be an object"),
        ("checks", 'answer = { list = "x" }', "field suites.s.fields: kind `checks` does not use it. Remove it."),
        ("outcome", 'answer = { list = "x" }', "Known: citations."),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, kind: str, fields: str, message: str) -> None:
    box = Box(tmp_path / "p")
    box.write("row3.toml", f'[suites.s]\nkind = "{kind}"\n[suites.s.fields]\n{fields}\n')
    box.write("golden/s/a.gold.json", "{}")
    assert message in box.row3(code=2).errors[0]


def test_another_mapping_is_a_change_of_the_criteria_and_needs_no_new_recording(tmp_path: Path) -> None:
    box = project(tmp_path / "p", "extraction", SETTINGS["extraction"])
    metrics(box, (DATA / "read_graph.json").read_text("utf-8"))
    box.row3("--baseline", code=0)
    box.init()
    box.replace("row3.toml", 'label = "name"', 'label = "entityType"')
    box.commit("another mapping")
    done = box.row3("--compare", "--against", "HEAD~1", "--format", "json")
    reasons = {reason["code"]: reason for reason in done.json["reasons"]}
    assert reasons["criteria_changed"]["subject"] == "rule fields"
    assert done.json["metrics"]["recall"] == 0.8, "the base's own mapping judges"
