"""Where the baseline's answers come from, and what is said where they cannot be had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.store.project import open_project
from row3.store.suites import pick_suite
from row3.workflows.comparing.gating import compare
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import open_session
from tests.projects import CASES, Box, first, flawless, tiny


@pytest.fixture
def project(tmp_path: Path) -> Box:
    """The small project with a baseline of v1.0."""
    box = tiny(tmp_path / "project")
    box.init()
    box.row3("promote", "v1.0", code=0)
    return box


def bodies(box: Box, **options: Any) -> dict[str, dict[str, Any]]:
    session = open_session(box.root, None, RunOptions(**options), may_write=False)
    comparison = compare(session, pages=True)
    found = {}
    for line in comparison.run.details:
        row, _, body = line.partition(b"\t")
        found[json.loads(row)[0]] = json.loads(body)
    return found


def test_the_recorded_answer_of_the_baseline_stands_beside_the_new_one(project: Box) -> None:
    body = bodies(project)["rye"]
    names = body["extraction"]["names"]
    assert [names[number] for number, _ in body["extraction"]["before"]["concepts"]] == ["rye", "cereal", "salt"]
    assert [names[row[0]] for row in body["extraction"]["concepts"]] == ["rye", "cereal", "salt", "proofing"]
    assert body["gained"] == {"missedConcepts": ["proofing"]}
    assert body["baseline"] == {"same": False, "raw": "", "problem": ""}
    assert ["source_text", CASES["rye"]["sourceText"]] in body["texts"]


def test_an_answer_that_is_word_for_word_the_same_is_not_kept_twice(project: Box) -> None:
    project.path("prompts/extract-v1.1.md").unlink()
    body = bodies(project)["rye"]
    assert body["baseline"]["same"] is True
    assert "before" not in body["extraction"]


def test_a_recording_that_is_gone_is_said_so(project: Box) -> None:
    project.path("recordings/bread/extract-v1.0.jsonl").unlink()
    body = bodies(project)["rye"]
    assert body["baseline"]["problem"] == "the baseline's answer is not recorded"
    assert "before" not in body["extraction"]
    assert body["metrics"]


def test_another_answer_than_the_baseline_s_is_not_shown_as_its(project: Box) -> None:
    project.path("recordings/bread/extract-v1.0.jsonl").unlink()
    project.record("1.0", {"rye": first(flawless(CASES["rye"]), 1)})
    body = bodies(project)["rye"]
    assert body["baseline"]["problem"] == "another answer than the baseline's is recorded now"
    assert "before" not in body["extraction"]


def test_a_prompt_that_is_gone_is_said_so(project: Box) -> None:
    lock = json.loads(project.read("prompts/promoted.json"))
    lock["prompts"] = {}
    project.write("prompts/promoted.json", json.dumps(lock))
    project.path("prompts/extract-v1.0.md").unlink()
    problem = bodies(project)["rye"]["baseline"]["problem"]
    assert problem.startswith("the baseline's prompts cannot be run again: ")
    assert "extract-v1.0" in problem


def test_a_new_case_has_no_baseline(project: Box) -> None:
    project.case("barley", **CASES["rye"])
    project.record("1.1", {"barley": flawless(CASES["rye"])})
    assert bodies(project)["barley"]["baseline"]["problem"] == "the baseline does not have this case"


def test_a_bad_answer_of_the_baseline_is_shown_as_it_came(tmp_path: Path) -> None:
    box = tiny(tmp_path / "project")
    box.init()
    box.record("1.0", {"rye": "no JSON at all"})
    box.path("prompts/extract-v1.1.md").rename(box.path("later.md"))
    box.row3("--baseline", code=0)
    box.path("later.md").rename(box.path("prompts/extract-v1.1.md"))
    body = bodies(box)["rye"]
    assert body["baseline"]["raw"] == "no JSON at all"
    assert body["baseline"]["problem"].startswith("extract-v1.0: ")


def test_of_several_repeats_the_baseline_s_first_is_shown(tmp_path: Path) -> None:
    box = tiny(tmp_path / "project")
    box.init()
    good = {case_id: flawless(case) for case_id, case in CASES.items()}
    for version, concepts in (("1.0", 2), ("1.1", 4)):
        box.record(version, {case_id: first(each, concepts) for case_id, each in good.items()}, repeat=1)
    box.path("prompts/extract-v1.1.md").rename(box.path("later.md"))
    box.row3("--baseline", "--repeats", "2", code=0)
    box.path("later.md").rename(box.path("prompts/extract-v1.1.md"))
    body = bodies(box, repeats=2)["rye"]
    assert body["repeats"] == 2
    assert len(body["extraction"]["before"]["concepts"]) == 3
    assert len(body["extraction"]["concepts"]) == 4


def test_a_case_without_an_answer_has_a_body_all_the_same(project: Box) -> None:
    project.path("recordings/bread/extract-v1.1.jsonl").unlink()
    body = bodies(project)["rye"]
    assert body["problem"]
    assert body["matches"] is None
    assert body["answer"] is None
    # The baseline's answer is there to be looked at.
    assert [one["label"] for one in body["before"]["concepts"]] == ["rye", "cereal", "salt"]


def test_without_pages_nothing_is_kept_for_them(project: Box) -> None:
    session = open_session(project.root, None, RunOptions(), may_write=False)
    assert len(compare(session).run.details) == 0
    assert pick_suite(open_project(project.root), None).name == "bread"
