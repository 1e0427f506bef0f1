"""`row3 cases import`: tables and JSON Lines as golden cases of every kind; twice, dry and wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.projects import CASES, Box, tiny
from tests.rows import every_row

TEXT = "Mira Vantongeren leads the Halden pilot; it is located in Tromsø."
ENTITIES = '[{"name": "Mira Vantongeren", "type": "PERSON", "mentions": ["Mira Vantongeren"]}]'
ROWS: dict[str, list[dict[str, str]]] = {
    "extraction": [
        {
            "id": "rye",
            "topic": "Rye",
            "sourceText": 'Rye, a cereal, is "dark".\n\nIt is sown late.',
            "expectedConcepts": '[{"label": "rye", "aliases": ["secale"]}, {"label": "cereal"}]',
            "forbiddenConcepts": "rye lattice; cold rye memory ;",
            "tags": "grain; short",
            "critical": "TRUE",
        },
        {"id": "", "sourceText": "Oats feed horses.", "expectedConcepts": "oats; horses", "tags": ""},
    ],
    "entities": [{"document": TEXT, "date": "2026-03-01", "expected_entities": ENTITIES, "tags": "2026"}],
    "retrieval": [
        {"id": "q1", "query": "Who leads?", "limit": "5", "relevant_documents": '[{"id": "d1", "relevance": 10}]'}
    ],
    "graph": [{"id": "g", "seed_document": "d1", "expected_connections": "[]", "expected_not_connected": "d2; d3"}],
}
WANTED: dict[str, list[dict[str, Any]]] = {
    "extraction": [
        {
            "id": "rye",
            "topic": "Rye",
            "sourceText": 'Rye, a cereal, is "dark".\n\nIt is sown late.',
            "expectedConcepts": [{"label": "rye", "aliases": ["secale"]}, {"label": "cereal"}],
            "forbiddenConcepts": ["rye lattice", "cold rye memory"],
            "tags": ["grain", "short"],
            "critical": True,
        },
        {
            "id": "c-002",
            "sourceText": "Oats feed horses.",
            "expectedConcepts": [{"label": "oats"}, {"label": "horses"}],
        },
    ],
    "entities": [
        {
            "document_id": "c-001",
            "document": TEXT,
            "date": "2026-03-01",
            "expected_entities": json.loads(ENTITIES),
            "tags": ["2026"],
        }
    ],
    "retrieval": [
        {"id": "q1", "query": "Who leads?", "limit": 5, "relevant_documents": [{"id": "d1", "relevance": 10}]}
    ],
    "graph": [{"id": "g", "seed_document": "d1", "expected_connections": [], "expected_not_connected": ["d2", "d3"]}],
}


@pytest.fixture
def empty(tmp_path: Path) -> Box:
    box = Box(tmp_path / "project")
    box.write("row3.toml", 'mode = "replay"\n')
    return box


def table(rows: Sequence[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def cases(box: Box, suite: str) -> list[dict[str, Any]]:
    """The cases of a suite without what every file has."""
    found = []
    for path in sorted(box.path(f"golden/{suite}").glob("*.gold.json"), key=lambda path: path.name, reverse=True):
        value = json.loads(path.read_text("utf-8"))
        assert value.pop("schemaVersion") == 1
        found.append(value)
    return found


@pytest.mark.parametrize("kind", ROWS)
def test_a_column_is_a_field_of_the_case(empty: Box, kind: str) -> None:
    empty.write("c.csv", table(ROWS[kind]))
    done = empty.row3("cases", "import", "c.csv", "--suite", "own", "--kind", kind, code=0)
    number = len(ROWS[kind])
    assert done.out.startswith(f"{number} golden case{'s' if number > 1 else ''} of suite own written, 0 unchanged\n")
    assert cases(empty, "own") == WANTED[kind]
    again = empty.tree()
    assert f"{number} unchanged" in empty.row3("cases", "import", "c.csv", "--suite", "own", code=0).out
    assert empty.tree() == again


@pytest.mark.parametrize("kind", ROWS)
def test_a_line_is_a_golden_case(empty: Box, kind: str) -> None:
    lines = [{key: part for key, part in case.items() if part != "c-001"} for case in WANTED[kind]]
    empty.write("c.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    before = empty.tree()
    dry = empty.row3("cases", "import", "c.jsonl", "--kind", kind, "--dry-run", code=0)
    assert "would be written" in dry.out
    assert empty.tree() == before
    empty.row3("cases", "import", "c.jsonl", "--kind", kind, code=0)
    assert cases(empty, "c") == WANTED[kind]
    assert empty.read("row3.toml").endswith(f'[suites.c]\nkind = "{kind}"\n')
    assert [f for f in empty.row3("lint", "--format", "json").json["findings"] if f["rule"].startswith("invalid")] == []


def test_into_the_projects_own_suite_and_chosen_by_tag(tmp_path: Path) -> None:
    box = tiny(tmp_path / "box")
    settings = box.read("row3.toml")
    box.write("more.jsonl", json.dumps({"id": "spelt", **CASES["rye"], "tags": ["new"]}) + "\n")
    box.row3("cases", "import", "more.jsonl", code=0)
    assert box.read("row3.toml") == settings
    done = box.row3("--tag", "new", "--format", "json", code=0)
    assert [case["id"] for case in done.json["cases"]] == ["spelt"]


def test_kind_checks_reads_what_row3_import_reads(empty: Box) -> None:
    empty.write("a.csv", "id,question,answer,tags\nwhere,Where?,Here,place; short\n")
    empty.row3("cases", "import", "a.csv", "--kind", "checks", "--expected", "answer", "--check", "contains", code=0)
    (case,) = cases(empty, "a")
    assert case == {
        "id": "where",
        "tags": ["place", "short"],
        "input": {"question": "Where?"},
        "expected": "Here",
        "checks": [{"contains": "Here"}],
    }
    empty.write("b.csv", "q,__expected\n1,contains: x\n")
    empty.row3("cases", "import", "b.csv", "--suite", "a", code=0)
    empty.write("c.jsonl", '{"input": "1", "expected": 1}\n')
    empty.row3("cases", "import", "c.jsonl", "--suite", "a", "--check", "number", code=0)
    by_import = Box(empty.root.parent / "other")
    by_import.write("row3.toml", 'mode = "replay"\n')
    for name, more in (
        ("a.csv", ("--expected", "answer", "--check", "contains")),
        ("b.csv", ()),
        ("c.jsonl", ("--check", "number")),
    ):
        by_import.write(name, empty.read(name))
        by_import.row3("import", name[2:], name, "--suite", "a", *more, code=0)
    assert by_import.tree() == empty.tree()


@every_row(
    ("name", "content", "arguments", "message"),
    [
        (
            "x.csv",
            "id,text\na,b\n",
            (),
            "x.csv:1: there is no column `sourceText`, and a case of kind `extraction` needs it. Columns: id, text. ",
        ),
        ("x.csv", "sourceText,expectedConcepts\n,rye\n", (), "x.csv:2: field `sourceText` is missing"),
        (
            "x.csv",
            "sourceText,expectedConcepts,tag\na,b,c\n",
            (),
            "x.csv:2: field `tag` is unknown; did you mean `tags`?",
        ),
        ("x.csv", 'sourceText,expectedConcepts\na,"[{]"\n', (), "x.csv:2: column `expectedConcepts` is not JSON: "),
        ("x.csv", "id,sourceText,expectedConcepts\n../a,b,c\n", (), "x.csv:2: field `id`: should be letters"),
        ("x.jsonl", '{"id": "a"}\n', (), "x.jsonl:1: field `sourceText` is missing"),
        ("x.jsonl", "[1]\n", (), "x.jsonl:1: "),
        ("x.jsonl", "", (), "x.jsonl: the file has no case"),
        ("x.csv", "sourceText,expectedConcepts\n", (), "x.csv: the file has no case"),
        ("x.xlsx", "", (), "x.xlsx: the file is neither .csv nor .jsonl. Save it as one of these"),
        ("y.csv", "a", (), "y.csv"),
        (
            "x.csv",
            "a,b\n1,2\n",
            ("--expected", "b"),
            "--expected, --check, --path: kind extraction has no checks. Leave them out",
        ),
        ("x.jsonl", "{}\n", ("--expected", "b"), "--expected names a column, and JSON Lines has none"),
        ("x.csv", "a,b\n1,2\n", ("--suite", "own", "--kind", "graph"), "suite `own` is of kind events, not graph"),
        ("x.csv", "a,b\n1,2\n", ("--kind", "graphs"), "graphs"),
    ],
)
def test_what_cannot_be_imported_changes_nothing(
    empty: Box, name: str, content: str, arguments: tuple[str, ...], message: str
) -> None:
    if "own" in arguments:
        empty.write("row3.toml", '[suites.own]\nkind = "events"\n')
    if name != "y.csv":
        empty.write(name, content)
    before = empty.tree()
    done = empty.row3("cases", "import", name, *arguments, code=2)
    assert message in done.errors[0]
    assert empty.tree() == before


def test_a_document_that_is_only_named_is_relevant(empty: Box) -> None:
    empty.write("c.csv", "id,query,relevant_documents\nq,Who leads?,d1; d2\n")
    empty.row3("cases", "import", "c.csv", "--suite", "own", "--kind", "retrieval", code=0)
    assert [case["relevant_documents"] for case in cases(empty, "own")] == [[{"id": "d1"}, {"id": "d2"}]]
    empty.write("outputs.jsonl", '{"caseId": "q", "output": ["d3", "d2"]}\n')
    found = empty.row3("score", "own", "--outputs", "outputs.jsonl", "--format", "json", code=0).json
    assert found["cases"][0]["metrics"]["mrr"] == 0.5
