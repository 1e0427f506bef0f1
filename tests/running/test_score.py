"""Scoring outputs made elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import row3
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Run
from row3.project.project import Project, open_project, pick_suite
from row3.project.suites import Suite
from row3.running.run_options import RunOptions
from row3.running.score import MISSING, score_outputs

CASE: dict[str, Any] = {
    "sourceText": "Rye is a cereal. Salt slows the proofing.",
    "expectedConcepts": [{"label": "rye"}, {"label": "cereal"}, {"label": "salt"}, {"label": "proofing"}],
    "expectedRelationships": [
        {"source": "rye", "predicate": "IS_A", "target": "cereal"},
        {"source": "salt", "predicate": "CAUSES", "target": "proofing"},
    ],
    "forbiddenConcepts": ["gluten lattice theory"],
}
FLAWLESS: dict[str, Any] = {
    "concepts": [
        {"label": "rye", "sourceQuote": "Rye is a cereal"},
        {"label": "cereal", "sourceQuote": "Rye is a cereal"},
        {"label": "salt", "sourceQuote": "Salt slows the proofing."},
        {"label": "proofing", "sourceQuote": "Salt slows the proofing."},
    ],
    "relationships": CASE["expectedRelationships"],
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A suite of three cases and no prompt at all."""
    for name in ("a", "b", "c"):
        write_case(tmp_path, name)
    return open_project(tmp_path)


def write_case(root: Path, name: str) -> None:
    path = root / f"golden/bread/{name}.gold.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"id": name} | CASE), encoding="utf-8")


def scored(project: Project, *lines: object, **options: Any) -> Run:
    path = project.root / "outputs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return score_outputs(project, suite_of(project), path, RunOptions(**options))


def suite_of(project: Project) -> Suite:
    return pick_suite(project, None)


def line(case_id: str, output: object = FLAWLESS) -> dict[str, Any]:
    return {"caseId": case_id, "output": output}


def test_flawless_outputs_score_as_the_standards_say(project: Project) -> None:
    run = scored(project, line("b"), line("a"), line("c"))
    assert run.complete
    assert run.header.metrics["overall"] == pytest.approx(0.85)
    assert run.header.zones["overall"] == "excellent"
    assert (run.header.mode, run.header.model, run.header.prompts) == ("outputs", "outputs made elsewhere", {})
    assert run.header.usage["requests"] == 0


def test_half_of_the_concepts_by_hand(project: Project) -> None:
    half = {"concepts": FLAWLESS["concepts"][:2], "relationships": FLAWLESS["relationships"][:1]}
    run = scored(project, line("a", half), line("b"), line("c"))
    # recall (1/2 + 1 + 1) / 3, the rest is flawless: 0.85 - 0.25 * (1/2) / 3
    assert run.header.metrics["recall"] == pytest.approx(5 / 6)
    assert run.header.metrics["overall"] == pytest.approx(0.85 - 0.25 / 6)


def test_a_case_without_output_has_failed_and_nothing_becomes_zero(project: Project) -> None:
    run = scored(project, line("a"), {"caseId": "b", "error": "time-out after 60 s"})
    assert not run.complete
    assert run.failed == ["b", "c"]
    assert run.problems == [("b", "time-out after 60 s"), ("c", MISSING)]
    assert run.header.denominators["recall"] == 1
    assert run.header.metrics["recall"] == 1.0


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("I cannot help with that.", "the answer is not JSON"),
        ({"concepts": "rye"}, "does not fit"),
        (None, "the answer is null"),
        ({"concepts": [], "relationships": 3}, "does not fit"),
        ('{"concepts": [{"label": NaN}]}', "NaN is not a JSON number"),
    ],
)
def test_an_unreadable_output_is_a_bad_answer_and_scores_zero(project: Project, output: object, reason: str) -> None:
    run = scored(project, line("a", output), line("b"), line("c"), explain=True)
    detail = json.loads(next(iter(run.details)))
    assert run.complete
    assert detail["status"] == "bad_answer"
    assert reason in detail["problem"]
    assert detail["raw"] == (output if isinstance(output, str) else json.dumps(output))
    assert set(detail["metrics"].values()) == {0.0}
    assert run.header.metrics["recall"] == pytest.approx(2 / 3)


def test_raw_text_goes_through_the_repairs_and_says_so(project: Project) -> None:
    run = scored(project, line("a", f"```json\n{json.dumps(FLAWLESS)}\n```"), line("b"), line("c"))
    assert run.header.metrics["overall"] == pytest.approx(0.85)
    assert run.notes == ["a: code fence removed"]


def test_an_output_for_no_golden_case_is_refused_with_line_and_near_miss(project: Project) -> None:
    write_case(project.root, "bank-runs")
    with pytest.raises(
        InvalidFile, match=r"outputs.jsonl:2: `bank-run` is not a golden case.*Did you mean `bank-runs`"
    ):
        scored(project, line("a"), line("bank-run"))


def test_chosen_cases_are_scored_and_other_outputs_ignored(project: Project) -> None:
    run = scored(project, line("a"), line("b"), line("c"), only=frozenset("a"))
    assert (run.cases, run.partial, run.complete) == (1, True, True)


def test_many_cases_in_several_processes_score_as_in_one(project: Project) -> None:
    names = [f"n{i:04d}" for i in range(330)]
    for name in names:
        write_case(project.root, name)
    half = {"concepts": FLAWLESS["concepts"][:2]}
    lines = [line(name, half if i % 3 else FLAWLESS) for i, name in enumerate(("a", "b", "c", *names))]
    one, two = (scored(project, *lines, explain=True, jobs=jobs) for jobs in (1, 2))
    assert one.header.metrics == two.header.metrics
    assert list(one.details) == list(two.details)


def test_a_broken_line_is_reported_from_a_worker_process(project: Project) -> None:
    names = [f"n{i:04d}" for i in range(330)]
    for name in names:
        write_case(project.root, name)
    path = project.root / "outputs.jsonl"
    good = "".join(json.dumps(line(name)) + "\n" for name in ("a", "b", "c", *names[:-1]))
    path.write_text(good + '{"caseId": "n0329", "output": {', encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"outputs.jsonl:333: not JSON"):
        score_outputs(project, suite_of(project), path, RunOptions(jobs=2))


def test_python_scores_a_file_or_mappings(project: Project) -> None:
    lines = [line("a"), line("b"), {"caseId": "c", "error": "down"}]
    card = row3.score("bread", lines, project=project.root)
    assert card.metrics["overall"] == pytest.approx(0.85)
    assert (card.failed, card.complete) == (["c"], False)
    assert card.cases[0]["matches"]["concepts"][0]["state"] == "exact"
    assert card.denominators["recall"] == 2
    path = project.root / "some.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert row3.score("bread", str(path), project=project.root) == card
    assert row3.score("bread", path, project=project.root / "golden") == card


def test_python_raises_errors_of_row3(project: Project) -> None:
    with pytest.raises(UsageError, match="Did you mean `bread`"):
        row3.score("brad", [], project=project.root)
    with pytest.raises(InvalidFile, match=r"outputs:1: `z` is not a golden case"):
        row3.score("bread", [line("z")], project=project.root)
    with pytest.raises(InvalidFile, match="outputs:1: cannot be written as JSON"):
        row3.score("bread", [line("a", float("nan"))], project=project.root)
    with pytest.raises(UsageError, match="outputs:1: str is not a mapping"):
        row3.score("bread", ["a"], project=project.root)  # type: ignore[list-item]
