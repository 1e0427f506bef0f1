"""STANDARDS' investigation template, filled in, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from row3.reports.document import Document, Items
from row3.reports.investigations.model import Finding, Findings, Investigation
from row3.reports.investigations.report import MOST, at, investigation_document, investigation_json
from row3.reports.markdown import markdown_text
from row3.reports.places import Place
from tests.reports.investigations.conftest import FOUND, PLACE


def investigation_markdown(found: Investigation) -> str:
    return markdown_text(investigation_document(found))


def shown_at(place: Place) -> str:
    return markdown_text(Document([Items([at(place)])])).removeprefix("- ").rstrip("\n")


def test_the_template_in_its_order() -> None:
    lines = investigation_markdown(FOUND).split("\n")
    assert lines[0] == "## Failure Investigation: bread"
    assert lines[2] == "**Date**: 2026-01-29"
    assert lines[3] == "**Prompt Version**: find v1.1, connect v1.0"
    assert lines[4] == "**Failing Metric(s)**: Concept recall (fail), Hallucination rate (fail)"
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
    text = investigation_markdown(FOUND)
    assert "| Concept recall | 58.0% | fail | ≥70% | 12.0 points | 72.0% | −14.0 |" in text
    assert "| Hallucination rate | 10.0% | fail | ≤2% | 8.0 points |  |  |" in text
    assert "| Concept F1 | skipped |" in text
    assert "- There is no baseline to compare with." in text


def test_every_finding_says_what_became_of_it_and_where_it_stands() -> None:
    text = investigation_markdown(FOUND)
    for line in (
        "**Missed concepts** (2 of 12 expected)",
        "- `oat`: optional; not in the text",
        "**Unknown predicates** (1 of 5 extracted)",
        "- `A_B`",
    ):
        assert line in text.split("\n")
    assert "- `rye`: required, nearest `wry` (66.7%); paragraph 2, line 3: “The **" in text
    assert "Duplicates" not in text


def test_questions_are_ticked_where_the_data_answers() -> None:
    lines = investigation_markdown(FOUND).split("\n")
    assert "- [x] Which? 2 of 12." in lines
    assert "- [ ] Is the source text ambiguous?" in lines


def test_text_from_a_model_or_a_case_is_no_markup() -> None:
    shown = shown_at(PLACE)
    assert shown.startswith("paragraph 2, line 3: “The **\\*dough\\***")
    assert "@baker" not in shown
    assert "\u200b" in shown


def test_a_mark_inside_a_mark_and_a_line_break() -> None:
    place = Place(1, 1, 0, 4, "wild\nyeast grows", ((0, 10), (5, 10)))
    assert shown_at(place) == "paragraph 1, line 1: “**wild yeast** grows”"


def test_a_bad_answer_is_shown_as_it_came() -> None:
    text = investigation_markdown(
        replace(FOUND, status="bad_answer", problem="the answer is not JSON", raw="```\nhello")
    )
    assert "every metric is 0: the answer is not JSON." in text
    assert "````text\n```\nhello\n````" in text
    assert "**Missed concepts**" not in text


def test_a_long_list_ends_with_what_is_left() -> None:
    many = Findings("missed", "Missed", "", tuple(Finding(f"c{i}", "required") for i in range(MOST + 5)))
    assert "- and 5 more; --format json has them all" in investigation_markdown(replace(FOUND, findings=(many,)))


def test_nothing_went_wrong() -> None:
    right = Findings("right", "Right", "of 1 answered", (Finding("rye", "match"),))
    text = investigation_markdown(replace(FOUND, symptoms=(), findings=(right,), fixes=(), checklist=()))
    assert "**Failing Metric(s)**: none: every metric reaches its target\n" in text
    assert "**Right** (1 of 1 answered)\n\n- `rye`\n\nNothing went wrong." in text
    assert "\n1. Nothing has to be changed: every metric reaches its target.\n" in text


def test_json_has_everything() -> None:
    value = investigation_json(FOUND)
    assert (value["schemaVersion"], value["case"], value["failing"]) == (1, "bread", ["recall", "hallucinationRate"])
    assert value["metrics"]["recall"] == {
        "value": 0.58, "zone": "fail", "target": 0.7, "minimum": 0.6, "baseline": 0.72, "delta": 0.58 - 0.72,
    }  # fmt: skip
    assert "f1" not in value["metrics"]
    assert json.loads(json.dumps(value["missed"][0])) == {
        "label": "rye", "state": "required", "other": "wry", "score": 2 / 3, "remark": "",
        "place": {
            "paragraph": 2, "line": 3, "start": 100, "end": 106, "sentence": PLACE.sentence, "marks": [[4, 11]],
        },
    }  # fmt: skip
    assert value["checklist"][0]["questions"][0] == {
        "text": "Which?", "answer": "2 of 12", "items": ("rye", "oat"), "open": False,
    }  # fmt: skip
    assert value["fixes"] == FOUND.fixes
    assert value["plan"] == FOUND.plan
