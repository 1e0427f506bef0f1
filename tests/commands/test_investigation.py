"""What a case has to reach again, which faults go together, and which of them come first."""

from __future__ import annotations

from dataclasses import replace

from row3.commands.investigation import Fall, Symptom
from row3.domain.scores import Metric, Threshold, Zone
from row3.kinds.checklist import Evidence, checklist
from row3.kinds.mistakes import Mistake, Mistakes
from row3.reports.investigation import investigation_document, investigation_json
from row3.reports.markdown import markdown_text
from tests.commands.investigated import CASE, FOUND, of_cases

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False, threshold=Threshold(0.05, 0.02, 0))
F1 = Metric("f1", "Concept F1")
FELL = Symptom(RECALL, 0.84, Zone.PASS, RECALL.threshold, 1.0, Fall(16.0, 5.0, 0.95, relative=False))
ROSE = Symptom(RATE, 0.1, Zone.FAIL, RATE.threshold, 0.0, Fall(10.0, 5.0, 0.05, relative=False))
SHARE = Symptom(F1, 0.8, None, None, 1.0, Fall(20.0, 10.0, 0.9, relative=True))
LOW = Symptom(RECALL, 0.65, Zone.MARGINAL, RECALL.threshold, 0.65)
FINE = Symptom(RECALL, 0.9, Zone.EXCELLENT, RECALL.threshold, 0.92)


def failing(*symptoms: Symptom) -> str:
    text = markdown_text(investigation_document(of_cases(replace(CASE, symptoms=symptoms))))
    (line,) = [line for line in text.split("\n") if line.startswith("**Failing Metric(s)**")]
    return line.removeprefix("**Failing Metric(s)**: ")


def test_failing_are_those_under_their_target_and_those_that_fell() -> None:
    assert failing(LOW, FINE) == "Concept recall 65.0% (marginal)"
    assert failing(FELL, FINE) == "Concept recall 84.0% (fell 16.0 points, limit 5)"
    assert failing(ROSE, SHARE) == (
        "Hallucination rate 10.0% (fail, rose 10.0 points, limit 5), "
        "Concept F1 80.0% (fell 20.0% of its value before, limit 10)"
    )


def test_if_nothing_fails_and_nothing_fell_it_says_so() -> None:
    well = "none: every metric reaches its target"
    assert failing(FINE) == f"{well}, and none is worse than the last good run by more than its limit"
    assert failing(FINE._replace(baseline=None)) == well


def test_a_case_fails_below_a_target_by_a_fall_and_if_it_cannot_be_used() -> None:
    assert not replace(CASE, symptoms=(FINE,)).fails
    assert replace(CASE, symptoms=(LOW, FINE)).fails
    assert replace(CASE, symptoms=(FELL,)).fails
    assert replace(CASE, symptoms=(ROSE._replace(fall=None),)).fails
    assert replace(CASE, symptoms=(FINE,), status="bad_answer").fails


def test_a_goal_is_the_harder_of_target_and_limit() -> None:
    assert LOW.goal == "Concept recall at least 70.0%"
    assert FELL.goal == "Concept recall at least 95.0% (100.0% before, limit 5)"
    assert SHARE.goal == "Concept F1 at least 90.0% (100.0% before, limit 10%)"
    assert ROSE.goal == "Hallucination rate at most 2.0%"  # 2 % is harder than 5 %
    assert FELL._replace(value=0.65, zone=Zone.MARGINAL).goal == FELL.goal
    assert FINE.goal == ""


def test_json_lists_what_fell() -> None:
    (case,) = investigation_json(of_cases(replace(CASE, symptoms=(FELL, LOW, SHARE))))["cases"]
    assert case["fell"] == [
        {"metric": "recall", "worseBy": 16.0, "limit": 5.0, "unit": "points"},
        {"metric": "f1", "worseBy": 20.0, "limit": 10.0, "unit": "relative"},
    ]


def test_faults_of_one_cause_go_together_and_what_grew_most_comes_first() -> None:
    groups = FOUND.groups
    assert [(group.words, len(group.faults), group.before) for group in groups] == [
        ("predicate: CAUSES for IS_A", 2, 0),
        ("stated in the text, not extracted", 1, 0),
        ("not listed", 1, 0),
        ("not in the text under any of its names", 1, 1),
    ]


def test_over_several_cases_a_cause_in_more_of_them_comes_first() -> None:
    once = Mistakes(tuple(Mistake("near", label, case_id="oven") for label in "ab"), {})
    both = [
        Mistakes((*once.items, Mistake("reversed", "x", case_id="oven")), {}),
        Mistakes((Mistake("reversed", "y"),), {}),
    ]
    cases = [replace(CASE, id=name, faults=faults, before=None) for name, faults in zip("ab", both, strict=True)]
    groups = of_cases(*cases).groups
    assert [(group.words, group.rank) for group in groups] == [
        ("reversed", (True, 0, 2, 2)),
        ("a similar name was extracted", (True, 0, 1, 2)),
    ]
    assert of_cases(*cases).earlier is None


def test_over_several_cases_a_fix_names_the_case_of_its_example_and_judging_comes_last() -> None:
    ranked = Mistakes((Mistake("missed", "password", case_id="reset"),), {})
    unjudged = Mistakes(tuple(Mistake("not-judged", name, case_id="refund") for name in ("password", "vat")), {})
    cases = [
        replace(CASE, id=name, faults=each, before=None) for name, each in (("refund", unjudged), ("reset", ranked))
    ]
    found = of_cases(*cases)
    found = replace(found, evidence=Evidence(found.evidence.faults, {}, *checklist("retrieval")))
    assert found.fixes == [
        "Rank `password` higher: it is relevant; case `reset`.",
        "Judge `password` in the golden case (2 results are not judged); case `refund`.",
    ]
    assert replace(found, cases=found.cases[:1]).fixes[0] == "Rank `password` higher: it is relevant."
