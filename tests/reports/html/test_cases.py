"""Cases as the page's data."""

from __future__ import annotations

from row3.domain.metrics import Metric, Zone
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.kinds.extraction.model import GoldenCase
from row3.reports.html.cases import CaseLine, texts_of

METRICS = (Metric("recall", "Recall"), Metric("map", "MAP"))
CASE = GoldenCase.of(
    {"id": "rye", "topic": "Rye", "domain": "social", "sourceText": "Rye.", "expectedConcepts": [], "critical": True}
)
SCORE = CaseScore("rye", "scored", {"recall": 1 / 3, "map": 0.5}, skipped={"f1": "nothing"}, notes=("mended",))
CHANGE = CaseChange("rye", "regressed", -0.25, {"map": -0.25}, {"wrongConcepts": ("oat",)}, {}, "")


def test_the_row_has_the_composite_of_the_kind_whatever_its_name() -> None:
    line = CaseLine(CASE, SCORE, {"map": Zone.FAIL}, CHANGE, METRICS, "map")
    assert line.row() == ["rye", "Rye", "social", "scored", "regressed", 0.5, -0.25, "fail", True]


def test_without_an_answer_or_a_baseline_there_are_no_numbers() -> None:
    line = CaseLine(object(), CaseScore("x", "failed", {}, problem="down"), {}, None, METRICS, "map")
    assert line.row() == ["x", "", "", "failed", "", None, None, None, False]
    assert line.body() == {"metrics": [], "problem": "down"}


def test_a_case_that_cannot_be_compared_shows_no_change() -> None:
    line = CaseLine(CASE, SCORE, {}, CaseChange("rye", "not comparable", 0.0), METRICS, "map")
    assert line.row()[6] is None


def test_the_body_keeps_the_order_of_the_metrics_and_says_what_moved() -> None:
    body = CaseLine(CASE, SCORE, {"map": Zone.PASS}, CHANGE, METRICS, "map").body()
    assert body["metrics"] == [["recall", 0.33333, None, None], ["map", 0.5, -0.25, "pass"]]
    assert body["gained"] == {"wrongConcepts": ("oat",)}
    assert body["skipped"] == {"f1": "nothing"}
    assert body["notes"] == ("mended",)
    assert "raw" not in body
    assert "repeats" not in body


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
