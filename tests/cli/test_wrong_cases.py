"""A golden case that lint has errors in, which a change brings: said where the change is judged, and no block."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projects import CASES, SUITE, Box, flawless

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


def told(since: str, *files: str) -> str:
    return f"lint has errors in golden cases new or edited since {since}: {', '.join(files)}; see `row3 lint`"


def differs(box: Box, *args: str, code: int = 0) -> list[str]:
    value: list[str] = box.row3("--compare", *args, "--format", "json", code=code).json["differs"]
    return [line for line in value if "lint" in line]


def judged_by_hook(box: Box, code: int = 0) -> str:
    box.git("add", "-A")
    return " ".join(box.row3("hook", "run", "pre-commit", code=code).err.split())


def test_an_end_that_is_no_concept(clean: Box) -> None:
    whole(clean, "rye", **links("rye", NOWHERE))
    assert differs(clean) == [told("the baseline", RYE)]
    assert differs(clean, "--against", "main") == [told("main", RYE)]
    main = clean.git("rev-parse", "--short=10", "main").out.strip()
    assert f"note: {told(main, RYE)}" in judged_by_hook(clean)
    assert RYE in clean.row3("lint", code=2).out


def test_a_concept_that_is_not_in_the_text_of_a_new_case(clean: Box) -> None:
    case = CASES["rye"] | {"expectedConcepts": [*CASES["rye"]["expectedConcepts"], {"label": "crumb"}]}
    whole(clean, "rye-2", **case | {"sourceText": f"{case['sourceText']} So it is."})
    clean.record("1.1", {"rye-2": flawless(case)})
    name = f"golden/{SUITE}/rye-2.gold.json"
    assert differs(clean) == [told("the baseline", name)]
    assert name in judged_by_hook(clean)


def test_nothing_of_cases_as_they_were_and_of_warnings(clean: Box) -> None:
    assert differs(clean) == []
    work = dict(WHOLE, created=None)
    clean.case("rye", **{**work, "expectedConcepts": [*CASES["rye"]["expectedConcepts"], {"label": "dough"}]})
    assert clean.row3("lint", "--format", "json").json["warnings"] > 0
    assert differs(clean) == []
    assert "lint" not in judged_by_hook(clean)


def test_sizes_count_as_the_suite_wants_them(clean: Box) -> None:
    whole(clean, "rye", **links("rye", {"source": "salt", "predicate": "CAUSES", "target": "rye"}))
    assert differs(clean) == []
    clean.replace("row3.toml", '"off"', '"warning"')
    assert differs(clean) == []
    clean.replace("row3.toml", '"warning"', '"error"')
    assert differs(clean) == [told("the baseline", RYE)]


def test_all_suites_in_one_table(clean: Box) -> None:
    whole(clean, "rye", **links("rye", NOWHERE))
    assert told("the baseline", RYE) in " ".join(clean.row3("--compare", "--all", code=0).out.split())
    markdown = clean.row3("--compare", "--all", "--format", "markdown", code=0).out
    assert "lint has errors in golden cases new or edited" in markdown


def test_a_suite_that_the_change_brings(clean: Box) -> None:
    for case_id, case in CASES.items():
        more = links(case_id, NOWHERE) if case_id == "rye" else {}
        text = json.dumps({"id": case_id} | case | WHOLE | more)
        clean.write(f"golden/more/{case_id}.gold.json", text)
    clean.write("recordings/more/extract-v1.1.jsonl", clean.path(f"recordings/{SUITE}/extract-v1.1.jsonl").read_bytes())
    clean.write("row3.toml", clean.read("row3.toml") + '[suites.more]\nlint_sizes = "off"\n')
    clean.row3("--baseline", "--suite", "more", code=0)
    said = judged_by_hook(clean)
    assert "golden/more/rye.gold.json; see `row3 lint --suite more`" in said
    assert "yeast" not in said
