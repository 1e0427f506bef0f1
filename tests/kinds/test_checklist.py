"""The checklists by kind: whole, and answered by the data they are given."""

from __future__ import annotations

from typing import get_args

from row3.domain.matches import ConceptState, QuoteState, RelationshipState
from row3.domain.requests import Answer, Request, messages_of
from row3.kinds import MODULES, kind_named
from row3.kinds.checklist import ANSWERS, Evidence, checklist
from row3.kinds.mistakes import UNUSABLE, Mistake
from tests.commands.investigated import FOUND
from tests.rows import every_row


@every_row("kind", MODULES)
def test_every_part_has_a_title_and_every_question_something_that_answers(kind: str) -> None:
    parts, causes = checklist(kind)
    outputs = kind_named(kind, where="").outputs
    for part in parts:
        assert part.title
        assert {*part.outputs} <= {*outputs}
        assert part.key == "case" or any(cause.part == part.key for cause in causes.values())
        for question, answer in part.questions:
            assert question.endswith("?")
            assert answer in ANSWERS or all(cause in causes for cause in answer.split())
    assert {cause.part for cause in causes.values()} <= {part.key for part in parts}
    assert parts[-1].key == "case"
    assert UNUSABLE in causes


@every_row("kind", MODULES)
def test_a_fix_can_be_filled_in(kind: str) -> None:
    for cause in checklist(kind)[1].values():
        assert "{" not in cause.fix.format(label="a", other="b", pair="c", note="d", n="1")


def test_every_state_of_an_extraction_that_is_a_fault_has_a_cause() -> None:
    causes = checklist("extraction")[1]
    states = {*get_args(ConceptState), *get_args(RelationshipState), *get_args(QuoteState)}
    right = {"exact", "alias", "fuzzy", "semantic", "inverse", "inverse-fuzzy", "verified", "unverified"}
    assert states - right <= causes.keys()


@every_row(
    ("given", "omitted", "text"),
    [
        (0.0, (), "no, it is 0"),
        (0.0, ("seed",), "no, it is 0"),
        (0.7, (), "it is 0.7; 0 invents least"),
        (0.0, ("temperature",), "it is the provider's default, as the endpoint refused ours"),
        (0.7, ("seed", "temperature"), "it is the provider's default, as the endpoint refused ours"),
    ],
)
def test_the_temperature_is_the_one_that_was_sent(given: float, omitted: tuple[str, ...], text: str) -> None:
    request = Request("a", "p-v1.0", 0, "m", given, None, None, messages_of("", "x"), "", {}, "", "", {}, "d")
    said = [(request, Answer("y", omitted=omitted))]
    replies = {question: reply for _, question, reply in FOUND.evidence._replace(said=said).asked(all_parts=True)}
    (reply,) = (reply for question, reply in replies.items() if question.startswith("Is the temperature"))
    assert reply.text == text


def test_only_parts_with_faults_are_asked_about() -> None:
    asked = {part.key for part, _, _ in FOUND.evidence.asked()}
    assert asked == {"missed", "wrong", "case"}
    assert {part.key for part, _, _ in FOUND.evidence.asked(all_parts=True)} > asked
    assert list(FOUND.evidence._replace(faults=()).asked()) == []


def test_answers_are_counts_of_faults_or_left_open() -> None:
    replies = {question: reply for _, question, reply in FOUND.evidence.asked()}
    assert replies["Are they mentioned explicitly in the text?"].text == "partly: 1 of 2"
    assert replies["Are they reversed?"].text == "no: 0 of 2"
    assert replies["Are the predicates clear in the prompt?"].text == "CAUSES for IS_A"
    assert replies["Is the prompt too narrow?"] == ("10 in the answer, 12 expected", (), True)


@every_row(
    ("given", "expected", "asked"),
    [(16, 36, {"Is the prompt too narrow?"}), (36, 16, {"Is the prompt too permissive?"}), (9, 9, set())],
)
def test_too_narrow_or_too_permissive_is_asked_where_the_numbers_point_that_way(
    given: int, expected: int, asked: set[str]
) -> None:
    faults = (Mistake("stated", "rye"), Mistake("unexpected", "oat"))
    evidence = Evidence(faults, {"missed": expected, "extra": given}, *checklist("extraction"))
    assert {
        question for _, question, _ in evidence.asked() if "too narrow" in question or "too perm" in question
    } == asked


def test_whether_the_golden_case_is_wrong_only_a_person_can_say() -> None:
    evidence = Evidence((Mistake("near", "rye"),), {}, *checklist("extraction"))
    replies = {question: reply for _, question, reply in evidence.asked()}
    assert replies["Does the golden case lack aliases?"][::2] == ("1 of 1", True)
    assert replies["Does the golden case expect too little?"][::2] == ("no", False)


def test_a_size_that_a_part_does_not_name_is_that_of_the_answer() -> None:
    evidence = Evidence((Mistake("unmatched", "x"),), {"": 7, "missed": 3}, *checklist("events"))
    assert (evidence.size("missed"), evidence.size("extra"), evidence.size("case")) == (3, 7, 0)
