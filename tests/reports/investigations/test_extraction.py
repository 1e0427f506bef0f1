"""STANDARDS' investigation template, filled in, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from row3.domain.matches import Triple
from row3.matching.texts.places import Place
from row3.reports.document import Document, Items
from row3.reports.investigations.extraction import MOST, at, investigation_document, investigation_json
from row3.reports.investigations.model import Invented, Investigation, Lost, Misdirected, Missed, predicate_confusions
from row3.reports.markdown import markdown_text
from tests.reports.investigations.conftest import FOUND, NOTHING_FOUND, PLACE


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
    assert lines[-4] == "1. Make the change in `prompts/find-v1.1.md`, which is not promoted."


def test_symptoms_say_what_failed_and_by_how_much() -> None:
    text = investigation_markdown(FOUND)
    assert "| Concept recall | 58.0% | fail | ≥70% | 12.0 points | 72.0% | −14.0 |" in text
    assert "| Hallucination rate | 10.0% | fail | ≤2% | 8.0 points |  |  |" in text
    assert "| Concept F1 | skipped |" in text
    assert "- There is no baseline to compare with." in text


def test_every_item_says_where_it_stands() -> None:
    text = investigation_markdown(FOUND)
    for line in (
        "**Missed concepts** (3 in all, 1 stands in the text)",
        "- `gluten` (optional): implied, not stated.",
        "- `oat` (required): not in the text.",
        "- `crumb`: canary `crumb osmosis`; not in the text.",
        "- `leaven` names `sourdough` again",
        "**Misdirected relationships: wrong predicate** (1 of 5 extracted)",
        "- `a CAUSES c`; forbidden `a CAUSES c`: no sentence has both ends.",
        "- `x CAUSES y`: no sentence has both ends.",
        "- `a IS_A b` (required): both ends were extracted.",
        "**Missed relationships** (2 in all, 1 because an end was missed)",
        "- `rye` and `oat` missed: `rye IS_A oat` (optional).",
    ):
        assert line in text.split("\n")
    assert "- `rye` (required): paragraph 2, line 3: “The **" in text
    assert "Nearest extracted: `wry` (66.7%)." in text
    assert "- `y` quotes `` a `quote` ``. Most like it (50.0%): paragraph 2, line 3:" in text


def test_questions_are_ticked_where_the_data_answers() -> None:
    lines = investigation_markdown(FOUND).split("\n")
    assert "- [x] Which specific concepts were missed? 3 of 12, named above." in lines
    assert "- [ ] Is the source text ambiguous?" in lines


def test_what_the_same_end_took_along_stands_together() -> None:
    lost = [
        Lost(Triple("rye", "IS_A", "cereal"), True, ("rye",)),
        Lost(Triple("a", "IS_A", "b"), False, ()),
        Lost(Triple("rye", "REQUIRES", "water"), False, ("rye",)),
    ]
    lines = investigation_markdown(replace(FOUND, lost=tuple(lost))).split("\n")
    start = lines.index("**Missed relationships** (3 in all, 2 because an end was missed)")
    assert lines[start + 2 : start + 5] == [
        "- `rye` missed: `rye IS_A cereal` (required); `rye REQUIRES water` (optional).",
        "- `a IS_A b` (optional): both ends were extracted.",
        "",
    ]


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
    many = tuple(Missed(f"c{i}", True, False, None, None, 0.0) for i in range(MOST + 5))
    assert "- and 5 more; --format json has them all" in investigation_markdown(replace(FOUND, missed=many))


def test_nothing_went_wrong() -> None:
    empty = replace(FOUND, **NOTHING_FOUND)
    text = investigation_markdown(empty)
    assert "**Failing Metric(s)**: none" in text
    assert "Nothing went wrong." in text


def test_confusions_the_most_frequent_first() -> None:
    wrong = [
        Misdirected(Triple("a", said, "b"), "wrong-predicate", Triple("a", meant, "b"), None)
        for said, meant in (("IS_A", "CAUSES"), ("CAUSES", "IS_A"), ("IS_A", "CAUSES"))
    ]
    assert predicate_confusions(wrong) == [("IS_A", "CAUSES", 2), ("CAUSES", "IS_A", 1)]


def test_json_has_everything() -> None:
    value = json.loads(investigation_json(FOUND))
    assert (value["schemaVersion"], value["case"], value["failing"]) == (1, "bread", ["recall", "hallucinationRate"])
    assert value["metrics"]["recall"] == {
        "value": 0.58, "zone": "fail", "target": 0.7, "minimum": 0.6, "baseline": 0.72, "delta": 0.58 - 0.72,
    }  # fmt: skip
    assert "f1" not in value["metrics"]
    assert value["missed"][0]["place"] == {
        "paragraph": 2, "line": 3, "start": 100, "end": 106, "sentence": PLACE.sentence, "marks": [[4, 11]],
    }  # fmt: skip
    assert value["lost"][1] == {"triple": ["rye", "IS_A", "oat"], "required": False, "missedEnds": ["rye", "oat"]}
    assert value["misdirected"][0]["expected"] == ["a", "IS_A", "b"]
    assert value["checklist"][0]["questions"][0] == {
        "text": "Which specific concepts were missed?", "answer": "3 of 12", "items": ["rye", "gluten", "oat"],
        "open": False,
    }  # fmt: skip
    assert value["fixes"][0].startswith("find-v1.1: 1 missed concept stands in the text, such as `rye`.")
    assert value["duplicates"] == [{"label": "leaven", "expected": "sourdough"}]


def test_json_and_markdown_can_be_written_whatever_a_model_says() -> None:
    odd = replace(FOUND, raw="\ud800", invented=(Invented("\ud800", "unmatched", None, 0.0, None),))
    investigation_json(odd).encode("utf-8")
    investigation_markdown(odd).encode("utf-8")
