"""The checklist refers to what the lists above it name."""

from __future__ import annotations

from typing import Any

from row3.domain.matches import Triple
from row3.reports.investigations.checklist_text import LEGEND, checklist_lines
from row3.reports.investigations.investigation_parts import BadQuote, Investigation, Misdirected, Missed, Question

RYE = Missed("rye", True, False, None, None, 0.0)
WRONG = Misdirected(Triple("a", "CAUSES", "b"), "reversed", None, None)


def found(checks: dict[str, list[Question]], **parts: Any) -> Investigation:
    empty: dict[str, Any] = dict.fromkeys(
        ("notes", "symptoms", "missed", "invented", "duplicates", "misdirected", "lost", "quotes", "fixes", "plan"), ()
    )
    named = dict.fromkeys(("case_id", "topic", "suite", "date", "model", "problem", "raw"), "x")
    sections = tuple((title, tuple(questions)) for title, questions in checks.items())
    given = {**empty, **named, "status": "scored", "prompts": {}, "extracted": (1, 1), "checks": sections, **parts}
    return Investigation(**given)


def lines(*args: Any, **parts: Any) -> list[str]:
    return [line for line in checklist_lines(found(*args, **parts)) if line and line != LEGEND]


def test_what_a_list_names_is_referred_to() -> None:
    asked = [Question("Which?", "1 of 2", ("rye",)), Question("Like others?", "", ("rye",), open=True)]
    assert lines({"6.1 Recall": asked}, missed=(RYE,)) == [
        "#### 6.1 Recall",
        "- [x] Which? 1 of 2, named above.",
        "- [ ] Like others? named above.",
    ]
    wrong = {"6.3 Links": [Question("Which?", "1 of 2", ("a CAUSES b",)), Question("Confused?", "So", ("x for y",))]}
    assert lines(wrong, misdirected=(WRONG,))[1:] == [
        "- [x] Which? 1 of 2, named above.",
        "- [x] Confused? So: `x for y`.",
    ]


def test_of_an_answer_that_cannot_be_read_all_is_named_once() -> None:
    asked = [Question("Which?", "1 of 1", ("rye",)), Question("In the text?", "1 of 1", ("rye",))]
    assert lines({"6.1 Recall": asked}, missed=(RYE,), status="bad_answer")[1:] == [
        "- [x] Which? 1 of 1: `rye`.",
        "- [x] In the text? 1 of 1, named above.",
    ]


def test_a_section_with_nothing_wrong_is_its_first_question() -> None:
    first, last = Question("Which?", "0 of 7"), Question("Is it cut?", "No")
    assert lines({"6.4 Provenance": [first, last]})[1:] == ["- [x] Which? 0 of 7."]
    cut = Question("Is it cut?", "the answer of find-v1.0 was cut off")
    assert len(lines({"6.4 Provenance": [first, cut]})) == 3
    assert len(lines({"6.4 Provenance": [first, last]}, quotes=(BadQuote("x", "missing", "", None, 0.0),))) == 3
    assert len(lines({"6.5 Golden": [first, last]})) == 3


def test_nothing_asked_is_nothing_said() -> None:
    assert list(checklist_lines(found({}))) == []
