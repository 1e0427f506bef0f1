"""Kind `events`: V7's example, metrics by hand, several documents, and properties of all answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.misfits import MisfitsError
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Rules
from row3.kinds.events.model import EventsCase
from row3.kinds.events.score import KIND as EVENTS
from row3.project.cases import Cases
from row3.project.tree import WorkTree
from tests.rows import every_row
from tests.scoring import case_of, score_by

RULES = Rules()
KEYS = {metric.key for metric in EVENTS.metrics}
LINKING = {"linking_f1", "linking_precision", "linking_recall"}
TEXT = (
    "Q1 planning, 2024-03-15. Alice decided we will launch on April 1st. The team agreed to go with a freemium model.\n"
    "- Bob: Complete API refactor by March 25th\n- Carol: Finalize UI mockups by March 20th\n"
    "Olga wondered whether the API holds under load."
)
CASE: dict[str, Any] = {
    "document_id": "meeting_001",
    "date": "2024-03-15",
    "document": TEXT,
    "expected_events": [
        {
            "category": "Decision", "description": "Launch on April 1st", "actor": "Alice Chen",
            "evidence": "Alice decided we will launch on April 1st",
        },
        {
            "category": "Decision",
            "description": "Use freemium pricing model",
            "actor": "Team",
            "evidence": "The team agreed to go with a freemium model",
        },
        {
            "category": "Commitment",
            "description": "Complete API refactor",
            "actor": "Bob Smith",
            "due_date": "2024-03-25",
            "evidence": "Bob: Complete API refactor by March 25th",
        },
        {
            "category": "Commitment",
            "description": "Finalize UI mockups",
            "actor": "Carol Davis",
            "due_date": "2024-03-20",
            "evidence": "Carol: Finalize UI mockups by March 20th",
        },
    ],
    "expected_entities": [
        {"name": "Alice Chen", "type": "PERSON", "mentions": ["Alice"]},
        {"name": "Bob Smith", "type": "PERSON", "mentions": ["Bob"]},
        {"name": "Carol Davis", "type": "PERSON", "mentions": ["Carol"]},
        {"name": "Olga Hartnell", "type": "PERSON", "mentions": ["Olga"]},
    ],
}  # fmt: skip
KEYS_GIVEN = ("category", "description", "actor", "due_date", "evidence", "document_id")
PERFECT = [{key: event.get(key, "") for key in KEYS_GIVEN} for event in CASE["expected_events"]]


def score(events: Any, **fields: Any) -> CaseScore:
    read = EVENTS.read_output({"events": events} if isinstance(events, list) else events)
    assert isinstance(read, Parsed), read
    return score_by(EVENTS, case_of(EventsCase, CASE | fields), read.value, RULES)


def states(found: CaseScore) -> list[str]:
    return [match.state for match in found.explanation.items]


def one(place: int, **fields: Any) -> dict[str, Any]:
    return PERFECT[place] | fields


def test_a_perfect_and_an_empty_answer() -> None:
    found = score(PERFECT)
    lower = {"categories_normalised", "duplicate_rate"}
    assert found.metrics == {key: float(key not in lower) for key in KEYS - LINKING}
    assert EVENTS.shortfall(found) == {}
    empty = score([])
    assert empty.metrics == {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    assert len(EVENTS.shortfall(empty)["missedEvents"]) == 4


def test_an_answer_by_hand() -> None:
    found = score(
        [
            one(0),  # right
            one(1, category="Decisions", actor="we"),  # right: a plural, another word for the team
            one(2, category="Execution", due_date="2024-03-26"),  # wrong category and date
            one(3, actor="Bob Smith", evidence="Carol finalises the mockups"),  # wrong actor, made-up evidence
            one(0, description="Launch date is 1 April"),  # again
            {"category": "QualityRisk", "description": "The API may not hold under load", "actor": "Olga Hartnell"},
        ]
    )
    assert states(found) == ["match", "match", "wrong-category", "wrong-actor", "duplicate", "unmatched"]
    precision, recall = 2 / 5, 2 / 4
    assert found.metrics == pytest.approx(
        {
            "f1": 2 * precision * recall / (precision + recall),
            "precision": precision,
            "recall": recall,
            "category_accuracy": 3 / 4,
            "actor_accuracy": 3 / 4,
            "due_date_accuracy": 1 / 2,
            "evidence_verified": 4 / 6,
            "categories_normalised": 1 / 4,
            "duplicate_rate": 1 / 6,
        }
    )
    assert found.skipped.keys() == LINKING
    assert found.tally["categories"] == {"exact": 2, "normalised": 1, "wrong": 1}
    missed = EVENTS.shortfall(found)["missedEvents"]
    assert missed == ("Complete API refactor", "Finalize UI mockups")
    json.dumps(found.explanation.as_json(), allow_nan=False)


@every_row(
    ("fields", "state"),
    [
        # The same passage in other words; its month alone is less than what is expected.
        ({"description": "As of 1 April all customers can begin to buy what the company has made"}, "match"),
        ({"description": "Go live at the start of April"}, "unmatched"),
        ({"description": "Ship it"}, "unmatched"),  # the passage is not enough
        ({"evidence": "we will launch on April 1st"}, "match"),
        ({"evidence": TEXT, "description": "Something happened"}, "unmatched"),  # the whole document is no passage
        ({"evidence": "launch", "description": "Something happened"}, "unmatched"),  # nor is a word
        ({"evidence": TEXT}, "match"),  # by its description
        ({"evidence": "", "description": "Launch the product on 1 April"}, "match"),
        ({"evidence": "", "description": "Launch on April 2nd"}, "unmatched"),
        ({"evidence": "", "description": "Do not launch on April 1st"}, "unmatched"),
        ({"evidence": "", "description": "Hire a designer"}, "unmatched"),
        ({"actor": "Alice"}, "match"),
        ({"actor": "alice chen"}, "match"),
        ({"actor": {"name": "Alice Chen"}}, "match"),
        ({"actor": "Team"}, "wrong-actor"),
        ({"actor": None}, "wrong-actor"),
        ({"actor": 7}, "wrong-actor"),
        ({"category": "decision"}, "match"),
        ({"category": "DECISIONS"}, "match"),
        ({"category": "Change"}, "wrong-category"),
        ({"category": None}, "wrong-category"),
        ({"category": "Change", "actor": "Bob Smith"}, "wrong-both"),
    ],
)
def test_one_event(fields: dict[str, Any], state: str) -> None:
    assert states(score([one(0, **fields)])) == [state]


def test_an_invented_event_with_the_quote_of_a_found_one_is_not_a_duplicate() -> None:
    """Otherwise anything could be invented for a quote already used, at no cost."""
    invented = one(0, category="QualityRisk", description="The budget was cut", actor="Carol Davis")
    again = one(0, description="Go for a launch on the first of April")  # in other words
    found = score([*PERFECT, invented, again])
    assert states(found) == ["match"] * 4 + ["unmatched", "duplicate"]
    assert found.metrics["precision"] == 4 / 5


def test_an_actor_matches_the_entity_in_any_spelling() -> None:
    expected = [CASE["expected_events"][0] | {"actor": "alice chen"}]
    assert states(score([one(0, actor="Alice")], expected_events=expected)) == ["match"]


@every_row(
    ("actor", "state"),
    [("Ingrid", "match"), ("ingrid", "match"), ("Ingrid Solheim", "match"), ("Sigrid", "wrong-actor")],
)
def test_an_actor_named_only_in_the_possessive_is_found(actor: str, state: str) -> None:
    stored = Cases(WorkTree(Path(__file__).parents[3])).case("golden/memory/documents/chat_010.gold.json", EVENTS)
    label = next(each for each in stored.case.expected_events if each.actor == "Ingrid Solheim")
    given = {"category": label.category, "description": label.description, "evidence": label.evidence, "actor": actor}
    read = EVENTS.read_output({"events": [given]})
    assert isinstance(read, Parsed)
    assert states(score_by(EVENTS, stored.case, read.value, RULES)) == [state]


@every_row(
    ("given_date", "right"),
    [("2024-03-25", True), ("March 25th, 2024", True), ("25 Mar 2024", True), ("2024-03-24", False), ("", False)],
)
def test_due_dates_are_compared_by_value(given_date: str, right: bool) -> None:
    assert score([one(2, due_date=given_date)]).metrics["due_date_accuracy"] == float(right)


def test_an_unexpected_due_date_is_wrong() -> None:
    assert score([one(0, due_date="2024-04-01")]).metrics["due_date_accuracy"] == 0.0


def test_a_document_without_events() -> None:
    assert score([], expected_events=[]).metrics == {}
    invented = score(PERFECT[:1], expected_events=[])
    assert invented.metrics == {"precision": 0.0, "f1": 0.0, "evidence_verified": 1.0, "duplicate_rate": 0.0}


def test_two_people_of_one_name_are_distinguished() -> None:
    entities = [
        {"name": "Marta Oliveira", "type": "PERSON", "mentions": ["Marta", "Marta O."]},
        {"name": "Marta Lindqvist", "type": "PERSON", "mentions": ["Marta", "Marta L."]},
    ]
    event = CASE["expected_events"][0] | {"actor": "Marta Lindqvist"}

    def given_actor(actor: str) -> str:
        return states(score([one(0, actor=actor)], expected_events=[event], expected_entities=entities))[0]

    assert given_actor("Marta L.") == given_actor("Marta Lindqvist") == "match"
    assert given_actor("Marta O.") == given_actor("Marta Oliveira") == given_actor("Marta") == "wrong-actor"


SEVERAL: dict[str, Any] = {
    "case_id": "link_1",
    "documents": [
        {"document_id": "d1", "document": "Ana moved the launch to June. Ben tests the pump."},
        {"document_id": "d2", "document": "Since Ana moved the launch to June, Cleo calls the client."},
        {"document_id": "d3", "document": "Ben tests the pump."},
    ],
    "expected_events": [
        {
            "category": "Change", "description": "Move the launch to June", "actor": "Ana", "document_id": "d1",
            "same_as": "L", "evidence": "Ana moved the launch to June.",
        },
        {
            "category": "Commitment",
            "description": "Test the pump",
            "actor": "Ben",
            "document_id": "d1",
            "same_as": "P",
            "evidence": "Ben tests the pump.",
        },
        {
            "category": "Change",
            "description": "Move the launch to June",
            "actor": "Ana",
            "document_id": "d2",
            "same_as": "L",
            "evidence": "Ana moved the launch to June",
        },
        {
            "category": "Commitment",
            "description": "Call the client",
            "actor": "Cleo",
            "document_id": "d2",
            "evidence": "Cleo calls the client.",
        },
        {
            "category": "Commitment",
            "description": "Test the pump",
            "actor": "Ben",
            "document_id": "d3",
            "same_as": "P",
            "evidence": "Ben tests the pump.",
        },
    ],
}  # fmt: skip


def linked(groups: str, *, leave_out: frozenset[int] = frozenset(), **words: Any) -> CaseScore:
    """Return all events, each with a letter for its group, or a dot for none; `words` replace letters."""
    events = [
        {key: event.get(key, "") for key in KEYS_GIVEN} | {"group": words.get(letter, letter if letter != "." else "")}
        for event, letter in zip(SEVERAL["expected_events"], groups, strict=True)
    ]
    kept = [event for place, event in enumerate(events) if place not in leave_out]
    read = EVENTS.read_output({"events": kept})
    assert isinstance(read, Parsed)
    return score_by(EVENTS, case_of(EventsCase, SEVERAL), read.value, RULES)


def test_linking_by_hand() -> None:
    perfect = linked("xyx.y")
    assert {perfect.metrics[key] for key in LINKING} == {1.0}
    assert perfect.metrics["f1"] == 1.0
    # All in one group of five: precision of the pairs 2/5 each, of the single one 1/5.
    lumped = linked("xxxxx")
    assert lumped.metrics["linking_recall"] == 1.0
    assert lumped.metrics["linking_precision"] == pytest.approx((4 * 2 / 5 + 1 / 5) / 5)
    # None linked: every event a group of its own.
    alone = linked(".....")
    assert alone.metrics["linking_precision"] == 1.0
    assert alone.metrics["linking_recall"] == pytest.approx((4 * 1 / 2 + 1) / 5)
    # One of a pair was not found: it, and its partner, are alone.
    gone = linked("xyx.y", leave_out=frozenset({4}))
    assert gone.metrics["linking_recall"] == pytest.approx((3 + 2 * 1 / 2) / 5)


@every_row("none", ["none", "None", "null", "N/A", "unknown", " ", None, False, []])
def test_a_placeholder_group_links_nothing(none: Any) -> None:
    assert linked("xyxny", n=none).metrics == linked("xyx.y").metrics
    assert linked("nnnnn", n=none).metrics == linked(".....").metrics


def test_a_group_may_be_a_number() -> None:
    assert linked("xyx.y", x=0, y=1).metrics == linked("xyx.y").metrics


def test_an_event_belongs_to_the_document_that_reports_it() -> None:
    read = EVENTS.read_output(
        {"events": [{"category": "Commitment", "description": "Test the pump", "actor": "Ben", "document_id": "d2"}]}
    )
    assert isinstance(read, Parsed)
    found = score_by(EVENTS, case_of(EventsCase, SEVERAL), read.value, RULES)
    assert states(found) == ["unmatched"]


def test_templates_see_only_the_input() -> None:
    single = case_of(EventsCase, CASE).variables()
    assert single == {
        "document_id": "meeting_001",
        "title": "",
        "date": "2024-03-15",
        "document": TEXT,
        "documents": [{"document_id": "meeting_001", "title": "", "date": "2024-03-15", "document": TEXT}],
    }
    several = case_of(EventsCase, SEVERAL).variables()
    assert [document["document_id"] for document in several["documents"]] == ["d1", "d2", "d3"]
    assert "Test the pump" not in str(several)


def test_lint() -> None:
    def rules(event: dict[str, Any], **fields: Any) -> list[str]:
        case = case_of(EventsCase, CASE | {"expected_events": [CASE["expected_events"][0] | event]} | fields)
        return [finding.rule for finding in EVENTS.lint.case(case, RULES)]

    assert rules({}) == []
    assert rules({"category": "Decisions"}) == ["unknown-category"]
    assert rules({"evidence": "Alice decided to wait"}) == ["evidence-not-there"]
    assert rules({"evidence": None}) == ["no-evidence"]
    assert rules({"actor": "Zoe Zimmer"}) == ["actor-not-there"]
    assert rules({"actor": "Team"}) == rules({"actor": None}) == []
    assert rules({"actor": "Alice Chen"}, expected_entities=[]) == ["actor-not-there"]
    possessive = {"document": "alices go: we decided we will launch on April 1st", "expected_entities": []}
    spoken = {"evidence": "decided we will launch on April 1st"}
    assert rules(spoken | {"actor": "Alice"}, **possessive) == []
    short = possessive | {"document": "alis go: we decided we will launch on April 1st"}
    assert rules(spoken | {"actor": "Ali"}, **short) == ["actor-not-there"]
    strange = SEVERAL | {"expected_events": [SEVERAL["expected_events"][0] | {"document_id": "d9"}]}
    assert [f.rule for f in EVENTS.lint.case(case_of(EventsCase, strange), RULES)] == ["unknown-document"]
    silent = SEVERAL | {"expected_events": [SEVERAL["expected_events"][0] | {"document_id": None}]}
    assert "does not say which" in next(iter(EVENTS.lint.case(case_of(EventsCase, silent), RULES))).message


@every_row(
    ("wrong", "why"),
    [
        ({"date": "2024-02-30"}, "a date like"),
        ({"date": "15 March"}, "a date like"),
        ({"expected_events": [CASE["expected_events"][0] | {"due_date": "2024-13-01"}]}, "a date like"),
        ({"expected_events": [{"category": "Decision"}]}, "description"),
        ({"expected_events": [CASE["expected_events"][0] | {"confidence": "sure"}]}, "confidence"),
        ({"document": ""}, "the text is empty"),
        ({"case_id": "x"}, "give either"),
        ({"document": None}, "give either"),
        ({"events": []}, "`events` is unknown"),
    ],
)
def test_a_malformed_case(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(MisfitsError, match=why):
        case_of(EventsCase, CASE | wrong)


def test_a_case_with_a_repeated_document() -> None:
    with pytest.raises(MisfitsError, match="`d1` twice"):
        case_of(EventsCase, SEVERAL | {"documents": [SEVERAL["documents"][0]] * 2})


@every_row(
    "answer",
    ["", "no events", '{"events": NaN}', {"event": []}, 3],
)
def test_an_unreadable_answer_scores_zero(answer: Any) -> None:
    read = EVENTS.read_output(answer)
    assert isinstance(read, Unusable)
    bad = EVENTS.bad_answer(case_of(EventsCase, CASE), read.reason, str(answer), RULES)
    assert bad.status == "bad_answer"
    assert bad.metrics.keys() >= {"f1", "precision", "recall", "category_accuracy", "actor_accuracy"}
    assert "duplicate_rate" not in bad.metrics  # none is the best there is
    assert set(bad.metrics.values()) == {0.0}


def test_a_bad_answer_is_no_better_than_inventions_if_nothing_happened() -> None:
    case = case_of(EventsCase, CASE | {"expected_events": []})
    broken = EVENTS.bad_answer(case, "no JSON", "nothing", RULES)
    assert broken.metrics == {"precision": 0.0, "f1": 0.0, "evidence_verified": 0.0}


def test_the_schema_asks_for_the_keys_of_the_specification() -> None:
    schema = EVENTS.schema("events", RULES)
    item = schema["properties"]["events"]["items"]
    assert item["required"] == [*KEYS_GIVEN, "group"]
    assert item["additionalProperties"] is False
    assert item["properties"]["category"]["enum"][0] == "Decision"


made_up = [
    one(0, category="Change"),
    one(1, actor="Bob"),
    one(2, evidence="never said"),
    one(3, due_date="soon"),
    {"description": "Something else", "category": 3, "actor": [], "evidence": {"text": "Olga wondered"}},
]
answers = st.lists(st.sampled_from([*PERFECT, *made_up]), max_size=8)


@given(answers, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_every_answer_scores_between_0_and_1_in_any_order(events: list[Any], random: Any) -> None:
    found, mixed = score(events), score(random.sample(events, len(events)))
    assert found.metrics == pytest.approx(mixed.metrics)
    assert all(0.0 <= value <= 1.0 for value in found.metrics.values())
    assert found.metrics.keys() | found.skipped.keys() == KEYS
    assert sum(found.tally.get("events", {}).values()) == len(events)


@given(st.permutations(range(4)), st.lists(st.sampled_from("xyz."), min_size=5, max_size=5))
@settings(deadline=None, max_examples=50)
def test_the_order_of_expectations_does_not_matter(order: list[int], groups: list[str]) -> None:
    expected = [CASE["expected_events"][place] for place in order]
    assert score(PERFECT[:3], expected_events=expected).metrics == score(PERFECT[:3]).metrics
    metrics = linked("".join(groups)).metrics
    assert all(0.0 <= metrics[key] <= 1.0 for key in LINKING)


@every_row(
    ("found", "why"),
    [
        (PERFECT[:2], "no event with a due date was found"),
        (PERFECT, None),
        ([PERFECT[0] | {"due_date": "2024-04-01"}], None),
    ],
)
def test_a_due_date_that_is_expected_is_not_said_to_be_missing(found: list[dict[str, Any]], why: str | None) -> None:
    assert score(found).skipped.get("due_date_accuracy") == why
    undated = [{key: value for key, value in event.items() if key != "due_date"} for event in CASE["expected_events"]]
    none = score(PERFECT[:2], expected_events=undated).skipped
    assert none["due_date_accuracy"] == "no due date is expected or given"


@pytest.mark.parametrize(("quote", "verified"), [("we will launch on April 1st", 1.0), (TEXT, 0.0), (TEXT[:-9], 0.0)])
def test_the_whole_document_is_no_evidence(quote: str, verified: float) -> None:
    assert score([one(0, evidence=quote)]).metrics["evidence_verified"] == verified
