"""What a case has to reach again, and what an answer that is a list of items comes to."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.matches import ItemExpectation, ItemMatch, Items
from row3.domain.metrics import Metric, Threshold, Zone
from row3.reports.investigations.model import Fall, Symptom, item_findings
from row3.reports.investigations.report import investigation_document, investigation_json
from row3.reports.markdown import markdown_text
from tests.reports.investigations.conftest import FOUND

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False, threshold=Threshold(0.05, 0.02, 0))
F1 = Metric("f1", "Concept F1")
FELL = Symptom(RECALL, 0.84, Zone.PASS, RECALL.threshold, 1.0, Fall(16.0, 5.0, 0.95, relative=False))
ROSE = Symptom(RATE, 0.1, Zone.FAIL, RATE.threshold, 0.0, Fall(10.0, 5.0, 0.05, relative=False))
SHARE = Symptom(F1, 0.8, None, None, 1.0, Fall(20.0, 10.0, 0.9, relative=True))
LOW = Symptom(RECALL, 0.65, Zone.MARGINAL, RECALL.threshold, 0.65)
FINE = Symptom(RECALL, 0.9, Zone.EXCELLENT, RECALL.threshold, 0.92)


def failing(*symptoms: Symptom) -> str:
    text = markdown_text(investigation_document(replace(FOUND, symptoms=symptoms)))
    (line,) = [line for line in text.split("\n") if line.startswith("**Failing Metric(s)**")]
    return line.removeprefix("**Failing Metric(s)**: ")


def test_failing_are_those_under_their_target_and_those_that_fell() -> None:
    assert failing(LOW, FINE) == "Concept recall (marginal)"
    assert failing(FELL, FINE) == "Concept recall (fell 16.0 points, limit 5)"
    assert failing(ROSE, SHARE) == (
        "Hallucination rate (fail, rose 10.0 points, limit 5), Concept F1 (fell 20.0% of the baseline, limit 10)"
    )


def test_if_nothing_fails_and_nothing_fell_it_says_so() -> None:
    well = "none: every metric reaches its target"
    assert failing(FINE) == f"{well}, and none is worse than the baseline by more than its limit"
    assert failing(FINE._replace(baseline=None)) == well


def test_a_goal_is_the_harder_of_target_and_limit() -> None:
    assert LOW.goal == "Concept recall at least 70.0%"
    assert FELL.goal == "Concept recall at least 95.0%"
    assert SHARE.goal == "Concept F1 at least 90.0%"
    assert ROSE.goal == "Hallucination rate at most 2.0%"  # 2 % is harder than 5 %
    assert FELL._replace(value=0.65, zone=Zone.MARGINAL).goal == "Concept recall at least 95.0%"
    assert FINE.goal == ""


def test_json_lists_what_fell() -> None:
    assert investigation_json(replace(FOUND, symptoms=(FELL, LOW, SHARE)))["fell"] == [
        {"metric": "recall", "worseBy": 16.0, "limit": 5.0, "unit": "points"},
        {"metric": "f1", "worseBy": 20.0, "limit": 10.0, "unit": "relative"},
    ]


def test_items_are_missed_wrong_or_right() -> None:
    matches = Items(
        (
            ItemMatch("Rye rises", "match", "rye rises", 1.0, {"actor": "Ann", "actorState": "exact"}),
            ItemMatch("Oat falls", "wrong-actor", "oat falls", 0.9, {"actor": "Bob", "due": "", "late": True}),
            ItemMatch("Sun shines", "not-asked", None, 0.0, {}),
        ),
        (
            ItemExpectation("oat falls", "Oat falls", None, 0.9, {"actor": "Cy", "late": True}),
            ItemExpectation("salt slows", None, "Oat falls", 0.3, {"actor": "Di"}),
        ),
        frozenset({"match"}),
    )
    text = markdown_text(investigation_document(replace(FOUND, findings=item_findings(matches))))
    for lines in (
        "**Missed** (1 of 2 expected)\n\n- `salt slows`: nearest `Oat falls` (30.0%); actor Di\n",
        "**Wrong** (2 of 3 answered)\n\n"
        "- `Oat falls`: wrong actor, nearest `oat falls` (90.0%); actor Bob, late yes; expected: actor Cy\n"
        "- `Sun shines`: not asked\n",
        "**Right** (1 of 3 answered)\n\n- `Rye rises`: for `rye rises`; actor Ann\n",
    ):
        assert lines in text
