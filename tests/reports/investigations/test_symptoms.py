"""What misses its target and what fell against the baseline, as an investigation says it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from row3.domain.metrics import Metric, Threshold, Zone
from row3.reports.document import Document
from row3.reports.investigations.model import Fall, Symptom
from row3.reports.investigations.symptoms import aims, failing_metrics, falls_json, symptom_blocks
from row3.reports.markdown import markdown_text

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False, threshold=Threshold(0.05, 0.02, 0))
F1 = Metric("f1", "Concept F1")
FELL = Symptom(RECALL, 0.84, Zone.PASS, RECALL.threshold, 1.0, Fall(16.0, 5.0, 0.95, relative=False, blocks=True))
ROSE = Symptom(RATE, 0.1, Zone.FAIL, RATE.threshold, 0.0, Fall(10.0, 5.0, 0.05, relative=False, blocks=True))
BESIDE = Symptom(F1, 0.8, None, None, 1.0, Fall(20.0, 10.0, 0.9, relative=True, blocks=False))
LOW = Symptom(RECALL, 0.65, Zone.MARGINAL, RECALL.threshold, 0.65)
FINE = Symptom(RECALL, 0.9, Zone.EXCELLENT, RECALL.threshold, 0.92)


def symptom_lines(found: Case) -> list[str]:
    return markdown_text(Document(list(symptom_blocks(found)))).rstrip("\n").split("\n")


@dataclass(frozen=True)
class Case:
    symptoms: tuple[Symptom, ...]
    status: str = "scored"
    problem: str = ""
    notes: tuple[str, ...] = ("Baseline: some day.",)
    prompts: Mapping[str, str] = field(default_factory=dict)


def test_failing_are_those_under_their_target_and_those_that_fell() -> None:
    assert failing_metrics([LOW, FINE]) == "Concept recall (marginal)"
    assert failing_metrics([FELL, FINE]) == "Concept recall (fell 16.0 points)"
    assert (
        failing_metrics([ROSE, BESIDE]) == "Hallucination rate (fail, rose 10.0 points), Concept F1 (fell 20.0 points)"
    )


def test_where_nothing_fails_and_nothing_fell_it_says_so() -> None:
    well = "none: every metric reaches its target"
    assert failing_metrics([FINE]) == f"{well}, and none is worse than the baseline by more than its limit"
    assert failing_metrics([FINE._replace(baseline=None)]) == well


def test_a_fall_is_in_the_table_and_its_limit_below() -> None:
    lines = symptom_lines(Case((FELL, ROSE, BESIDE, FINE)))
    start = lines.index("- Baseline: some day.")
    assert lines[start - 1] == ""
    assert lines[start + 1 :] == [
        "- Worse than the baseline by more than the limit of 5 points: Concept recall, Hallucination rate.",
        "- Worse than the baseline by more than the limit of 10% of the baseline: Concept F1 "
        "(by 20.0% of it; the gate does not block on it).",
    ]
    assert "| Concept recall | 84.0% | pass | ≥70% |  | 100.0% | −16.0 |" in lines
    assert "Worse than" not in "\n".join(symptom_lines(Case((FINE, LOW))))


def test_an_aim_is_the_harder_of_target_and_limit() -> None:
    assert aims([LOW, FINE]) == ["Concept recall reaches its target"]
    assert aims([FELL, BESIDE]) == [
        "within the limit of the baseline again, that is Concept recall at least 95.0%, Concept F1 at least 90.0%"
    ]
    assert aims([ROSE]) == ["Hallucination rate reaches its target"]  # 2 % is harder than 5 %
    both = FELL._replace(value=0.65, zone=Zone.MARGINAL)
    assert aims([both]) == ["within the limit of the baseline again, that is Concept recall at least 95.0%"]
    assert aims([FINE]) == []


def test_json_lists_what_fell() -> None:
    assert json.loads(json.dumps(falls_json([FELL, LOW, BESIDE]))) == [
        {
            "metric": "recall", "baseline": 1.0, "value": 0.84, "worseBy": 16.0, "limit": 5.0, "unit": "points",
            "blocks": True,
        },
        {
            "metric": "f1", "baseline": 1.0, "value": 0.8, "worseBy": 20.0, "limit": 10.0, "unit": "relative",
            "blocks": False,
        },
    ]  # fmt: skip
