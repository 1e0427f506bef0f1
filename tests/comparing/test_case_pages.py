"""Cases as the data of the report page."""

from __future__ import annotations

from row3.comparing.case_pages import answer_of, body_of, row_of, texts_of
from row3.domain.judgements import CaseChange
from row3.domain.scores import CaseScore
from row3.kinds.base import Rules
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.retrieval import KIND
from tests.projects import CASES, flawless
from tests.scoring import case_of, output_of, score_by

CASE = case_of(
    GoldenCase,
    {"id": "rye", "topic": "Rye", "domain": "social", "sourceText": "Rye.", "expectedConcepts": [], "critical": True},
)
PRIMARY = KIND.primary
CHANGE = CaseChange("rye", "regressed", -0.25, {PRIMARY: -0.25}, {"wrongConcepts": ("oat",)}, {}, "")
SCORE = CaseScore(
    "rye",
    "scored",
    {"map": 1 / 3, PRIMARY: 0.5},
    skipped={"mrr": "nothing"},
    notes=("mended",),
    critical=True,
    change=CHANGE,
)


def test_the_row_has_the_primary_metric_of_the_kind_whatever_its_name() -> None:
    assert row_of(KIND, CASE, SCORE, {PRIMARY: "fail"}) == {
        "id": "rye", "title": "Rye", "domain": "social", "status": "scored", "move": "regressed", "value": 0.5,
        "delta": -0.25, "zone": "fail", "critical": True,
    }  # fmt: skip


def test_without_an_answer_or_a_baseline_there_are_no_numbers() -> None:
    failed = CaseScore("x", "failed", {}, problem="down")
    row = row_of(KIND, object(), failed, {})
    assert [row[key] for key in ("title", "move", "value", "delta", "zone", "critical")] == [
        "", "", None, None, None, False,
    ]  # fmt: skip
    assert body_of(KIND, failed, {}) == {"metrics": [], "problem": "down"}
    assert answer_of(KIND, failed) == {"answer": None, "matches": None}


def test_a_case_that_cannot_be_compared_shows_no_change() -> None:
    assert row_of(KIND, CASE, SCORE._replace(change=CaseChange("rye", "not comparable", 0.0)), {})["delta"] is None


def test_the_body_keeps_the_order_of_the_metrics_and_says_what_moved() -> None:
    body = body_of(KIND, SCORE, {PRIMARY: "pass"})
    assert body["metrics"] == [[PRIMARY, 0.5, -0.25, "pass"], ["map", 0.33333, None, None]]
    assert body["gained"] == {"wrongConcepts": ("oat",)}
    assert body["skipped"] == {"mrr": "nothing"}
    assert body["notes"] == ("mended",)
    assert "raw" not in body
    assert "repeats" not in body


def test_an_answer_comes_with_its_matches_in_the_same_order() -> None:
    case = case_of(GoldenCase, {"id": "rye", **CASES["rye"]})
    output = output_of(ExtractionOut, flawless(CASES["rye"]))
    shown = answer_of(EXTRACTION, score_by(EXTRACTION, case, output, Rules())._replace(output=output))
    labels = [concept["label"] for concept in shown["answer"]["concepts"]]
    assert labels == ["rye", "cereal", "salt", "proofing"]
    assert [match["label"] for match in shown["matches"]["concepts"]] == labels


def test_texts_are_found_in_lists_of_documents_too() -> None:
    variables = {
        "document": "The text.",
        "empty": " ",
        "documents": [{"document_id": "a1", "document": "Longer text of a1."}, "plain", {"x": "The text."}],
        "limit": 3,
    }
    assert texts_of(variables) == [
        ["document", "The text."],
        ["documents 1: a1", "Longer text of a1."],
        ["documents 2", "plain"],
    ]
