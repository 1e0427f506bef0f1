"""`row3 score` on cases that were made here, with figures computed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.projects import CONFIG, Box, tiny

CASE: dict[str, Any] = {
    "sourceText": "Bees pollinate clover. Clover feeds cattle; nitrogen-fixing bacteria feed clover. Mites harm bees.",
    "expectedConcepts": [
        {"label": "Bees", "aliases": ["honeybees"]},
        {"label": "Clover"},
        {"label": "Cattle"},
        {"label": "Nitrogen-fixing bacteria", "aliases": ["rhizobia"]},
        {"label": "Mites", "required": False},
    ],
    "expectedRelationships": [
        {"source": "Clover", "predicate": "REQUIRES", "target": "Bees"},
        {"source": "Cattle", "predicate": "REQUIRES", "target": "Clover"},
        {"source": "Mites", "predicate": "CAUSES", "target": "Bees"},
        {"source": "Bees", "predicate": "RELATES_TO", "target": "Mites"},
    ],
    "forbiddenConcepts": ["Nectar inversion"],
    "forbiddenRelationships": [{"source": "Cattle", "predicate": "CAUSES", "target": "Mites"}],
}
OUTPUT: dict[str, Any] = {
    "concepts": [
        {"label": "honeybees", "sourceQuote": "Bees pollinate clover."},  # alias
        {"label": "CLOVER ", "sourceQuote": "made up"},  # exact, its quote is not in the text
        {"label": "Nitrogen‑fixing  bacteria"},  # exact after folding, no quote
        {"label": "clover", "sourceQuote": "Clover feeds cattle"},  # a duplicate
        {"label": "nectar inversion", "sourceQuote": "Mites harm bees."},  # a canary
        {"label": "Thermodynamics"},  # unmatched, and nowhere in the text
    ],
    "relationships": [
        {"source": "clover", "predicate": "REQUIRES", "target": "honeybees"},  # correct, through an alias
        {"source": "Mites", "predicate": "RELATES_TO", "target": "Bees"},  # correct: symmetric
        {"source": "Clover", "predicate": "IS_A", "target": "Bees"},  # wrong predicate
        {"source": "Cattle", "predicate": "CAUSES", "target": "Mites"},  # forbidden
    ],
}
# By hand. Six extracted; precision leaves the duplicate out, so three of five are correct. Expected: five, three found.
# Canaries and provenance are shares of all six: one canary, and honeybees, both clovers and the canary are quoted.
PRECISION, RECALL, RELATIONS, CANARIES, PROVENANCE = 3 / 5, 3 / 5, 2 / 4, 1 / 6, 4 / 6


@pytest.fixture
def project(tmp_path: Path) -> Box:
    box = Box(tmp_path / "project")
    box.write("golden/hives/bees.gold.json", json.dumps({"id": "bees"} | CASE))
    return box


def scored(box: Box, *lines: object, code: int = 0, args: tuple[str, ...] = ()) -> Any:
    box.write("outputs.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return box.row3("score", "hives", "--outputs", "outputs.jsonl", "--format", "json", *args, code=code).json


def test_every_figure_is_as_computed_by_hand(project: Box) -> None:
    result = scored(project, {"caseId": "bees", "output": OUTPUT})
    metrics = result["metrics"]
    assert metrics["precision"] == pytest.approx(PRECISION)
    assert metrics["recall"] == pytest.approx(RECALL)
    assert metrics["f1"] == pytest.approx(0.6)
    assert metrics["relationshipAccuracy"] == pytest.approx(RELATIONS)
    assert metrics["relationshipRecall"] == pytest.approx(2 / 4)
    assert metrics["hallucinationRate"] == pytest.approx(CANARIES)
    assert metrics["duplicateRate"] == pytest.approx(1 / 6)
    assert metrics["forbiddenRelationshipRate"] == pytest.approx(1 / 4)
    assert metrics["provenanceCoverage"] == pytest.approx(PROVENANCE)
    assert metrics["provenanceVerified"] == pytest.approx(2 / 6)  # the canary's mentions something else
    assert metrics["ungroundedRate"] == pytest.approx(2 / 6)
    overall = 0.25 * RECALL + 0.2 * PRECISION + 0.2 * RELATIONS + 0.2 * PROVENANCE - 0.15 * CANARIES
    assert metrics["overall"] == pytest.approx(overall)
    states = [match["state"] for match in result["cases"][0]["matches"]["concepts"]]
    assert states == ["alias", "exact", "exact", "duplicate", "canary", "unmatched"]
    assert (result["mode"], result["prompts"], result["verdict"]) == ("outputs", {}, None)


def test_a_scored_file_is_not_the_last_run_of_the_prompts(project: Box) -> None:
    scored(project, {"caseId": "bees", "output": {"concepts": [], "relationships": []}})
    done = project.row3("--only", "failing", code=2)
    assert "no saved run yet" in done.errors[0]


@pytest.mark.parametrize("form", ["table", "json", "markdown", "junit", "github"])
def test_half_a_surrogate_pair_in_an_output_is_scored_like_any_name(project: Box, form: str) -> None:
    output = {"concepts": [{"label": "M\ud800L", "sourceQuote": "x\udc00"}], "relationships": []}
    project.write("odd.jsonl", json.dumps({"caseId": "bees", "output": output}) + "\n")
    done = project.row3("score", "hives", "--outputs", "odd.jsonl", "--format", form, code=0)
    assert done.err == ""
    assert "itself failed" not in done.out
    assert done.out


def test_an_exact_scorer_knows_labels_and_aliases_alone(tmp_path: Path) -> None:
    box = tiny(tmp_path / "box")
    labels = {"rye": ["Secale", "cereals", "salt", "proofng"], "yeast": [], "oven": []}
    lines = [
        json.dumps({"caseId": case_id, "output": {"concepts": [{"label": label} for label in said]}})
        for case_id, said in labels.items()
    ]
    box.write("outputs.jsonl", "\n".join(lines) + "\n")
    command = ("score", "bread", "--outputs", "outputs.jsonl", "--format", "json")
    recalls = []
    for scorer in ("levenshtein", "exact"):
        box.write("row3.toml", f'{CONFIG}\n[suites.bread.matching]\nscorer = "{scorer}"\n')
        recalls.append({case["id"]: case["metrics"]["recall"] for case in box.row3(*command, code=0).json["cases"]})
    assert recalls == [{"rye": 1.0, "yeast": 0.0, "oven": 0.0}, {"rye": 0.5, "yeast": 0.0, "oven": 0.0}]
