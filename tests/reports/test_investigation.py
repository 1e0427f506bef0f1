"""The page for a terminal, STANDARDS' investigation template, filled in, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from row3.commands.investigation import Investigation
from row3.kinds.mistakes import Mistake, Mistakes
from row3.matching.text.places import Place
from row3.reports.document import Document, Items
from row3.reports.investigation import (
    MOST,
    PAGE,
    at,
    investigation_document,
    investigation_json,
    investigation_page,
)
from row3.reports.markdown import markdown_text
from row3.reports.terminal import Style, terminal_text
from tests.commands.investigated import CASE, FOUND, PLACE, of_cases
from tests.rows import every_row


def markdown(found: Investigation, *, items: bool = True) -> str:
    return markdown_text(investigation_document(found, items=items))


def page(found: Investigation, width: int = 100) -> str:
    style = Style(width=width)
    return terminal_text(investigation_page(found, style), style)


def shown_at(place: Place) -> str:
    return markdown_text(Document([Items([at(place)])])).removeprefix("- ").rstrip("\n")


def test_the_template_in_its_order() -> None:
    lines = markdown(FOUND).split("\n")
    assert lines[0] == "## Failure Investigation: bread"
    assert lines[2] == "**Date**: 2026-01-29"
    assert lines[3] == "**Prompt Version**: find v1.1, connect v1.0"
    assert lines[4] == "**Failing Metric(s)**: Concept recall 58.0% (fail), Hallucination rate 10.0% (fail)"
    assert lines[5] == "**Compared with**: the baseline of 2026-01-28"
    heads = [line for line in lines if line.startswith("### ")]
    assert heads == ["### Symptoms", "### Root Cause", "### Proposed Fix", "### Verification Plan"]
    assert lines[-4:] == [
        "1. Make the change in `prompts/find-v1.1.md`.",
        "2. `row3 --case bread --compare --suite bakery`: Concept recall at least 70.0%; "
        "Hallucination rate at most 2.0%.",
        "3. `row3 --compare --suite bakery`: no other case regresses, and the verdict is not block.",
        "",
    ]


def test_symptoms_say_what_failed_and_by_how_much() -> None:
    text = markdown(FOUND)
    assert "| Concept recall | 58.0% | fail | ≥70% | 12.0 points | 72.0% | −14.0 |" in text
    assert "| Hallucination rate | 10.0% | fail | ≤2% | 8.0 points |  |  |" in text
    assert "| Concept F1 | skipped |" in text
    assert "- The golden case has changed since the baseline." in text


def test_causes_are_counted_beside_the_last_good_run() -> None:
    text = markdown(FOUND)
    assert "| **Missing concepts** | 2 of 12 | 1 |  |" in text
    assert "| stated in the text, not extracted | 1 | 0 | rye |" in text
    assert "| predicate: CAUSES for IS\\_A | 2 | 0 | a CAUSES b, c CAUSES d |" in text


def test_every_fault_says_its_cause_and_where_it_stands() -> None:
    lines = markdown(FOUND).split("\n")
    for line in (
        "**Missing concepts: not in the text under any of its names** (1)",
        "- `oat`; optional",
        "- `a CAUSES b`; nearest `a IS_A b`",
        "- `A_B`",
    ):
        assert line in lines
    assert any(line.startswith("- `rye`; paragraph 2, line 3: “The **") for line in lines)


def test_questions_are_ticked_where_the_data_answer() -> None:
    lines = markdown(FOUND).split("\n")
    assert "- [x] Are they mentioned explicitly in the text? Partly: 1 of 2." in lines
    assert "- [ ] Is the prompt too narrow? 10 in the answer, 12 expected." in lines
    assert "- [ ] Is the text ambiguous?" in lines
    assert "#### Missing concepts: 2 of 12" in lines


def test_an_issue_has_the_template_without_the_long_lists() -> None:
    text = markdown(FOUND, items=False)
    assert "### Root Cause" in text
    assert "- [" not in text
    assert "paragraph 2" not in text


def test_text_from_a_model_or_a_case_is_no_markup() -> None:
    shown = shown_at(PLACE)
    assert shown.startswith("paragraph 2, line 3: “The **\\*dough\\***")
    assert "@baker" not in shown
    assert "\u200b" in shown


def test_a_mark_inside_a_mark_and_a_line_break() -> None:
    place = Place(1, 1, 0, 4, "wild\nyeast grows", ((0, 10), (5, 10)))
    assert shown_at(place) == "paragraph 1, line 1: “**wild yeast** grows”"


def test_a_bad_answer_is_shown_as_it_came() -> None:
    fault = Mistake("unusable", "the answer is not JSON", case_id="bread")
    bad = replace(CASE, status="bad_answer", problem="the answer is not JSON", raw="```\nhello")
    bad = replace(bad, faults=Mistakes((fault,), {}))
    text = markdown(of_cases(bad))
    assert "every metric is 0: the answer is not JSON." in text
    assert "````text\n```\nhello\n````" in text
    assert "Missing concepts" not in text


def test_a_long_list_ends_with_what_is_left() -> None:
    many = Mistakes(tuple(Mistake("stated", f"c{i}", case_id="bread") for i in range(MOST + 5)), {})
    assert "- and 5 more; --format json has them all" in markdown(of_cases(replace(CASE, faults=many)))


def test_nothing_went_wrong() -> None:
    text = markdown(of_cases(replace(CASE, symptoms=(), faults=Mistakes((), {}))))
    assert "**Failing Metric(s)**: none: every metric reaches its target\n" in text
    assert "\nNothing went wrong.\n" in text
    assert "\n1. No change is needed: every metric reaches its target.\n" in text


@every_row("width", [60, 80, 100, 160])
def test_a_page_fits_on_a_screen_whatever_went_wrong(width: int) -> None:
    causes = FOUND.evidence.causes
    many = [
        replace(
            CASE,
            id=f"case-{number}",
            notes=("The golden case has changed since the baseline.",),
            faults=Mistakes(
                tuple(
                    Mistake(cause, f"{cause} {'very ' * number}long", pair="x" * number, case_id=f"case-{number}")
                    for cause in causes
                ),
                FOUND.evidence.sizes,
            ),
        )
        for number in range(9)
    ]
    for found in (FOUND, of_cases(many[0]), of_cases(*many, of=12)):
        text = page(found, width)
        lines = text.splitlines()
        assert max(map(len, lines)) <= width
        if width >= 80:
            assert len(lines) <= PAGE
        assert "what is wrong" in text
        assert "Verification Plan" in text
        assert "6.1" not in text


def test_of_several_cases_a_page_names_those_that_fail_and_counts_them() -> None:
    text = page(of_cases(CASE, replace(CASE, id="oven"), of=5))
    assert "── Failure Investigation: 2 of 5 cases failing in bakery ─" in text
    assert "Concept recall (2 cases)" in text
    assert "bread  Concept recall 58.0%, Hallucination rate 10.0%\n" in text
    assert "these cases reach their targets" in " ".join(text.split())


def test_a_page_leaves_to_a_person_what_the_data_cannot_say() -> None:
    text = " ".join(page(FOUND).split())
    assert "Only a person can say Is the prompt too narrow (10 in the answer, 12 expected)?" in text
    assert "Are they reversed?" not in text


def test_json_has_everything() -> None:
    value = json.loads(json.dumps(investigation_json(FOUND)))
    assert (value["schemaVersion"], value["suite"]) == (2, "bakery")
    (case,) = value["cases"]
    assert (case["id"], case["failing"]) == ("bread", ["recall", "hallucinationRate"])
    assert case["metrics"]["recall"] == {
        "value": 0.58, "zone": "fail", "target": 0.7, "minimum": 0.6, "before": 0.72, "delta": 0.58 - 0.72,
    }  # fmt: skip
    assert "f1" not in case["metrics"]
    fault = case["faults"][0]
    assert (fault["part"], fault["cause"], fault["label"], fault["place"]["line"]) == ("missed", "stated", "rye", 3)
    assert value["causes"][0] == {
        "part": "wrong", "cause": "predicate: CAUSES for IS_A", "items": 2, "cases": 1, "before": 0,
    }  # fmt: skip
    asked = {one["question"]: one for one in value["checklist"]}
    assert asked["Are they mentioned explicitly in the text?"]["items"] == ["rye"]
    assert asked["Is the text ambiguous?"]["open"]
    assert value["fixes"] == FOUND.fixes
    assert value["plan"] == FOUND.plan
