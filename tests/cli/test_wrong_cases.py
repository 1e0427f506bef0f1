"""A golden case that lint has errors in, which a change brings: said where the change is judged, and no block."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projects import CASES, SUITE, Box

WHOLE = {"topic": "Bread", "origin": "Original text.", "created": "2026-11-21"}
NOWHERE = {"source": "rye", "predicate": "CAUSES", "target": "nowhere"}
RYE = f"golden/{SUITE}/rye.gold.json"


def whole(box: Box, case_id: str, **changes: Any) -> None:
    box.case(case_id, **WHOLE, **changes)


def links(case_id: str, *more: dict[str, str]) -> dict[str, Any]:
    return {"expectedRelationships": [*CASES[case_id]["expectedRelationships"], *more]}


@pytest.fixture
def clean(work: Box) -> Box:
    """On a branch from a main whose cases lint has no errors in, but for one that has no topic."""
    work.write("row3.toml", work.read("row3.toml") + f'[suites.{SUITE}]\nlint_sizes = "off"\n')
    for case_id in CASES:
        whole(work, case_id)
    work.case("oven", **WHOLE | {"topic": ""})
    work.row3("--baseline", code=0)
    work.commit("whole cases")
    work.git("branch", "-f", "main", "work")
    return work


def told(*files: str) -> str:
    return f"in new or edited golden cases: {', '.join(files)} (row3 lint)"


def said(box: Box, *args: str) -> str:
    return " ".join(box.row3("--compare", *args, code=0).out.split())


def judged_by_hook(box: Box, code: int = 0) -> str:
    box.git("add", "-A")
    return " ".join(box.row3("hook", "run", "pre-commit", code=code).err.split())


def test_an_end_that_is_no_concept(clean: Box) -> None:
    whole(clean, "rye", **links("rye", NOWHERE))
    assert told(RYE) in said(clean)
    assert told(RYE) in said(clean, "--against", "main")
    assert f"lint finds errors in golden cases of this change: {RYE}" in judged_by_hook(clean)
    assert RYE in clean.row3("lint", code=2).out


def test_nothing_of_cases_as_they_were_and_of_warnings(clean: Box) -> None:
    assert "lint" not in said(clean)
    clean.case("rye", **{**WHOLE, "expectedConcepts": [*CASES["rye"]["expectedConcepts"], {"label": "dough"}]})
    assert clean.row3("lint", "--format", "json").json["warnings"] > 0
    assert "lint" not in said(clean)
    assert "lint" not in judged_by_hook(clean)


def test_sizes_count_as_the_suite_wants_them(clean: Box) -> None:
    whole(clean, "rye", **links("rye", {"source": "salt", "predicate": "CAUSES", "target": "rye"}))
    clean.replace("row3.toml", '"off"', '"warning"')
    assert "lint" not in said(clean)
    clean.replace("row3.toml", '"warning"', '"error"')
    assert told(RYE) in said(clean)


def test_a_suite_that_the_change_brings(clean: Box) -> None:
    for case_id, case in CASES.items():
        more = links(case_id, NOWHERE) if case_id == "rye" else {}
        text = json.dumps({"id": case_id} | case | WHOLE | more)
        clean.write(f"golden/more/{case_id}.gold.json", text)
    clean.write("recordings/more/extract-v1.1.jsonl", clean.path(f"recordings/{SUITE}/extract-v1.1.jsonl").read_bytes())
    clean.write("row3.toml", clean.read("row3.toml") + '[suites.more]\nlint_sizes = "off"\n')
    clean.row3("--baseline", "--suite", "more", code=0)
    said = judged_by_hook(clean)
    assert "golden/more/rye.gold.json" in said
    assert "yeast" not in said
