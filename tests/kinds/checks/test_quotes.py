"""Check `quotes`: invented, altered and misattributed quotations, told apart."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from row3.domain.asks import finish, no_vectors
from row3.domain.misfits import MisfitsError
from row3.kinds.answers import Unusable
from row3.kinds.base import Rules
from row3.kinds.checks.model import Check, ChecksCase
from row3.kinds.checks.quotes import quotations
from row3.kinds.checks.score import KIND
from tests.scoring import case_of

MINUTES = """Anna: The budget of the new library is two million euros.
Ben: We don't have the staff to open it on Sundays.
Anna: Then it opens on weekdays only."""
REPORTS = [
    {"id": "Report A", "text": "Rainfall rose by 12 per cent. Floods were rare."},
    {"id": "Report B", "text": "Rainfall fell in the south. “Wells ran dry,” said a farmer."},
]
ARTICLE = {"article": REPORTS[0]["text"], "notes": REPORTS[1]["text"], "question": "Did rainfall rise?"}
TWO = {"documents": REPORTS}
NUMBERED = {"documents": [{"id": 1, "text": "Cats purr."}, {"id": 2, "text": "Dogs bark."}, {"id": 3, "text": "No."}]}


def reason(case_input: Any, answer: Any, place: str = "document", **more: Any) -> str:
    """Return why the check fails; empty if it passes."""
    case = case_of(ChecksCase, {"id": "a", "input": case_input, "checks": [{"quotes": {"from": place}, **more}]})
    read = KIND.read_output(answer)
    assert not isinstance(read, Unusable)
    score = finish(KIND.score(case, read.value, Rules()), no_vectors)
    (found,) = score.explanation.items
    assert (found.state == "passed") is (score.metrics["quotes"] == 1.0) is (found.reason == "")
    return str(found.reason)


@pytest.mark.parametrize(
    "answer",
    [
        "It costs much.",
        'The library costs "two million euros".',
        "The library costs “Two million Euros”.",  # as in provenance, case and marks are no difference
        "Die Bibliothek kostet „two million euros“; «the new library» too.",
        "The dogs' bowls, the '90s, rock 'n' roll and the authors' names: an apostrophe marks no quotation.",
        "It costs 'two million euros'. Ben said 'We don't have the staff'.",
        "Det kostar ”two million euros”, och ett rör på 5” eller 6” till.",
        "“The budget of the new library is two million euros.\n\n“We don't have the staff.”",
        'He said\n\n"two million\n\neuros"\n\nand left.',
        'The minutes say "The budget … is two million euros."',
        "> We don’t have the staff\n> to open it on Sundays.",
        'Anna said: "Then it opens on weekdays only." Ben disagreed.',
        '"We don\'t have the staff," said Ben, and "it opens on weekdays only," said Anna.',
        'Ben and Anna said "two million euros".',
        '`"no quotation"` and\n```\nprint("neither is this")\n```',
        'A 5" pipe and a 6" pipe.',
        'Nobody said "".',
        {"summary": 'It costs "two million euros".', "title": "A library"},
    ],
)
def test_quotations_that_occur(answer: Any) -> None:
    assert reason(MINUTES, answer) == ""


@pytest.mark.parametrize(
    ("case_input", "answer", "fault"),
    [
        (MINUTES, 'It costs "nine hundred pounds".', "fabricated: “nine hundred pounds”"),
        (MINUTES, "Er sagte: „Wir haben genug Personal“.", "fabricated"),
        (MINUTES, 'It "opens on weekdays". It is "free for children".', "fabricated: “free for children”"),
        (MINUTES, 'It costs "two million euro".', "altered"),
        (MINUTES, "> We do not have the staff to open it on Sundays.", "altered"),
        (MINUTES, '"The budget of the new library is ten million euros."', "altered"),
        (MINUTES, 'Ben said: "The budget is two million euros."', "fabricated"),  # much is left out without a mark
        (MINUTES, 'Ben said: "the new library is two million euros."', "misattributed"),
        (MINUTES, '"Then it opens on weekdays only," said Ben.', "from Anna"),
        (MINUTES, 'Anna said "it opens on weekdays only", but Ben said "two million euros".', "“two million euros”"),
        (MINUTES, "The “moon is\n\nmade of green cheese”.", "fabricated"),
        (MINUTES, '"The moon is\n\nmade\n\nof green cheese"', "fabricated"),
        (MINUTES, "“The budget of the new library is ten million euros.\n\n“We don't have the staff.”", "altered"),
        (MINUTES, "It says 'the moon is cheese'.", "fabricated"),
        (MINUTES, "Det är ”gratis för barn” där.", "fabricated"),
        (MINUTES, 'Anna:\n\n"We don\'t have\n\nthe staff"', "misattributed"),
        (MINUTES, "As Ben put it:\n\n> Then it opens on weekdays only.", "misattributed"),
        (TWO, 'Report B says "Floods were rare".', "misattributed: “Floods were rare” is from"),
        (TWO, {"summary": 'According to Report A, "wells ran dry".'}, "Report B"),
        (NUMBERED, 'As [1] says, "Dogs bark".', "misattributed: “Dogs bark” is from documents, [2]"),
        (NUMBERED, {"says": 'The text says "Cats purr" [2].'}, "misattributed: “Cats purr” is from documents, [1]"),
        ({"a": "The sea is blue.", "b": "The sky is grey."}, 'In b we read "the sea is blue".', "misattributed"),
    ],
)
def test_quotations_with_a_fault(case_input: Any, answer: Any, fault: str) -> None:
    found = reason(case_input, answer)
    assert fault in found
    assert ";" not in found.partition("the source has")[0].removesuffix("; "), "one fault"


@pytest.mark.parametrize(
    ("place", "answer", "fault"),
    [
        ("article", 'It says "Rainfall rose".', ""),
        ("$.article", 'It says "Rainfall rose".', ""),
        ("article", 'It says "Rainfall fell".', "misattributed: “Rainfall fell” is from notes"),
        ("notes", 'It says "Rainfall fell".', ""),
        ("document", 'It says "Rainfall fell", and "rainfall rose".', ""),  # all of the input
        ("notes", 'It says "Nothing changed".', "fabricated"),
    ],
)
def test_the_source_is_a_part_of_the_input(place: str, answer: str, fault: str) -> None:
    found = reason(ARTICLE, answer, place)
    assert found.startswith(fault) if fault else found == ""
    document = {"document": ARTICLE["article"], "other": ARTICLE["notes"]}
    assert reason(document, 'It says "Rainfall fell".').startswith("misattributed: “Rainfall fell” is from other")


@pytest.mark.parametrize(
    ("value", "path", "fault"),
    [
        ({"evidence": "Floods were rare"}, "evidence", ""),
        ({"evidence": "Floods were rarer"}, "evidence", "altered"),
        ({"evidence": ["Floods were rare", "Mice ate all the grain"]}, "evidence", "fabricated: “Mice"),
        ({"evidence": ["Floods were rare", "Mice ate all the grain"]}, "evidence[0]", ""),
        ({"claims": [{"quote": "Floods were rare", "source": "Report A"}]}, "claims", ""),
        ({"claims": [{"quote": "Floods were rare", "source": "Report B"}]}, "claims", "misattributed"),
        ({"claims": [{"quote": "Floods were rare", "why": '"Mice"'}]}, "claims[*].quote", ""),
        ({"evidence": ""}, "evidence", ""),
        ({"evidence": []}, "evidence", ""),
        ({}, "evidence", "has nothing at evidence"),
    ],
)
def test_a_field_is_a_quotation(value: Any, path: str, fault: str) -> None:
    for answer in (value, json.dumps(value)):
        found = reason(TWO, answer, path=path)
        assert fault in found if fault else found == ""


@pytest.mark.parametrize(
    "answer",
    ['As [2] says, "Dogs bark".', '"Dogs bark" [2], and "Cats purr" [1].', 'Of 3 reasons, 1 is that "Dogs bark".'],
)
def test_a_number_names_a_document_only_in_brackets(answer: str) -> None:
    assert reason(NUMBERED, answer) == ""


@pytest.mark.parametrize(("source", "fault"), [(2, ""), (1, "misattributed"), ("2", ""), (True, "")])
def test_a_quote_names_its_source_by_number(source: Any, fault: str) -> None:
    answer = {"claims": [{"id": 3, "quote": "Dogs bark", "source": source}]}
    found = reason(NUMBERED, answer, path="claims")
    assert found.startswith(fault) if fault else found == ""


def test_only_some_faults_are_listed() -> None:
    answer = " ".join(f'"Invention number {word}".' for word in ("one", "two", "three", "four", "five"))
    assert reason(MINUTES, answer).count("fabricated") == 3


@given(st.integers(0, len(MINUTES)), st.integers(1, 60), st.text("xyz ", max_size=9))
def test_what_is_cut_out_of_the_source_between_words_occurs(start: int, size: int, noise: str) -> None:
    words = MINUTES.replace("\n", " ").split()
    cut = " ".join(words[start % len(words) :][: size % 12 + 1])
    assert reason(MINUTES.replace("\n", " "), f"{noise} “{cut}” {noise}") == ""


@given(st.text())
@example(">")
@example("> \n>")
def test_any_text_has_quotations_or_none(text: str) -> None:
    for found in quotations(text):
        assert found.text
    assert isinstance(reason(MINUTES, f"a{text}"), str)


@pytest.mark.parametrize("value", [True, "document", {}, {"from": 1}, {"from": "document", "to": "x"}, {"from": "$.["}])
def test_a_check_that_is_none(value: Any) -> None:
    with pytest.raises(MisfitsError):
        case_of(Check, {"quotes": value})


@pytest.mark.parametrize(
    ("case_input", "place", "codes"),
    [
        (MINUTES, "document", []),
        (ARTICLE, "article", []),
        (ARTICLE, "articles", ["no-source"]),
        (MINUTES, "article", ["no-source"]),
        ({"n": 1}, "document", ["no-source"]),
    ],
)
def test_lint_names_a_missing_source(case_input: Any, place: str, codes: list[str]) -> None:
    checks = [{"quotes": {"from": place}}]
    for own, general in ((checks, []), ([], checks)):
        case = case_of(ChecksCase, {"id": "a", "input": case_input, "checks": own})
        rules = Rules(checks=tuple(case_of(Check, each) for each in general))
        assert [each.rule for each in KIND.lint.case(case, rules)] == codes
