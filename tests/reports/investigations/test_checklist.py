"""The checklist refers to what the lists above it name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row3.domain.matches import Triple
from row3.reports.document import Document
from row3.reports.investigations.checklist import Question, checklist_blocks
from row3.reports.investigations.model import BadQuote, Misdirected, Missed
from row3.reports.markdown import markdown_text
from tests.reports.investigations.conftest import FOUND, NOTHING_FOUND

RYE = Missed("rye", True, False, None, None, 0.0)
WRONG = Misdirected(Triple("a", "CAUSES", "b"), "reversed", None, None)


def lines(checks: dict[str, list[Question]], **parts: Any) -> list[str]:
    sections = [(title, tuple(questions)) for title, questions in checks.items()]
    blocks = list(checklist_blocks(replace(FOUND, **(NOTHING_FOUND | parts)), sections))
    return [line for line in markdown_text(Document(blocks[1:])).split("\n") if line]


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
    assert list(checklist_blocks(FOUND, [])) == []
