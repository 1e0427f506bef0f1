"""Mistakes of an answer that is a list of items."""

from __future__ import annotations

from row3.domain.matches import ItemExpectation, ItemMatch, Items
from row3.domain.scores import CaseScore
from row3.kinds import kind_named
from row3.kinds.base import Rules
from row3.kinds.mistakes import item_mistakes, noted

FOUND = Items(
    (
        ItemMatch("Rye rises", "match", "rye rises", 1.0, {"actor": "Ann", "actorRight": True, "evidence": "verified"}),
        ItemMatch(
            "Oat falls", "wrong-actor", "oat falls", 0.9, {"actor": "Bob", "actorRight": False, "evidence": "missing"}
        ),
        ItemMatch("Sun shines", "unmatched", None, 0.0, {}),
        ItemMatch("Alice", "alias", "Alice A", 1.0, {"type": "ORG", "typeState": "wrong"}),
    ),
    (
        ItemExpectation("rye rises", "Rye rises", None, 1.0, {"actor": "Ann"}),
        ItemExpectation("oat falls", None, "Oat falls", 0.9, {"actor": "Cy"}),
        ItemExpectation("salt slows", None, "Oat falls", 0.3, {"actor": "Di"}),
        ItemExpectation("Alice A", "Alice", None, 1.0, {"type": "PERSON"}),
    ),
    frozenset({"match", "alias"}),
)


def test_each_wrong_item_is_one_mistake_with_the_confused_values() -> None:
    mistakes = list(item_mistakes(FOUND))
    assert [(mistake.cause, mistake.label, mistake.pair) for mistake in mistakes] == [
        ("missed", "salt slows", ""),  # `oat falls` was told, with another actor
        ("wrong-actor", "Oat falls", "Bob for Cy"),
        ("missing", "Oat falls", ""),
        ("unmatched", "Sun shines", ""),
        ("type", "Alice", "ORG for PERSON"),
    ]
    assert mistakes[0].note == "actor Di"
    scored = CaseScore("a", "scored", {}, explanation=FOUND)
    assert kind_named("events", where="").mistakes(None, scored, Rules()).sizes == {"": 4, "missed": 4}


def test_a_state_that_counts_as_found_can_be_a_mistake() -> None:
    mistakes = item_mistakes(FOUND._replace(flawed=frozenset({"match"})))
    assert ("match", "Rye rises", "") in [(mistake.cause, mistake.label, mistake.pair) for mistake in mistakes]


def test_noted_omits_verdicts_and_empty_values() -> None:
    assert noted({"dueDate": "2026-01-02", "rank": 1, "actorRight": True, "by": None, "late": True, "why": ""}) == (
        "due date 2026-01-02, rank 1"
    )
