"""Which expected concept the end of a relationship is."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.scoring import case_of, score_by

RULES = Rules(weights={"recall": 1.0})


def golden(expected: list[str], **more: Any) -> GoldenCase:
    return case_of(
        GoldenCase,
        {
            "schemaVersion": 1,
            "id": "smiths",
            "topic": "Smiths",
            "domain": "social",
            "sourceText": "John Smith and Jane Smith had a daughter, Mary.",
            "expectedConcepts": [{"label": label} for label in expected],
        }
        | more,
    )


def scored(expected: list[str], concepts: list[str], end: str, **more: Any) -> Any:
    """The relationships of an answer that says `end` parent_of Mary, where Jane Smith was expected to be."""
    link = {"source": "Jane Smith", "predicate": "parent_of", "target": "Mary"}
    answer = {
        "concepts": [{"label": label} for label in concepts],
        "relationships": [{"source": end, "predicate": "parent_of", "target": "Mary"}],
    }
    case = golden(expected, **({"expectedRelationships": [link]} | more))
    return score_by(EXTRACTION, case, EXTRACTION.read_output(answer).value, RULES)


@pytest.mark.parametrize("expected", list(permutations(("John Smith", "Jane Smith", "Mary"))))
def test_an_end_is_what_the_concept_of_its_name_was_matched_with(expected: tuple[str, ...]) -> None:
    score = scored(list(expected), ["John Smith", "J. Smith", "Mary"], "J. Smith")
    assert score.metrics["relationshipAccuracy"] == 1.0
    assert score.explanation.relationships[0].state == "fuzzy"


def test_a_forbidden_relationship_does_not_slip_through_by_another_spelling_of_its_end() -> None:
    link = {"source": "Jane Smith", "predicate": "parent_of", "target": "Mary"}
    score = scored(
        ["John Smith", "Jane Smith", "Mary"],
        ["John Smith", "J. Smith", "Mary"],
        "J. Smith",
        expectedRelationships=[],
        forbiddenRelationships=[link],
    )
    assert score.metrics["forbiddenRelationshipRate"] == 1.0


def test_an_end_that_is_no_concept_of_the_answer_is_resolved_by_itself() -> None:
    score = scored(["Jane Smith", "Mary"], ["Mary"], "Smith, Jane")
    assert score.metrics["relationshipAccuracy"] == 1.0


def test_of_two_concepts_of_one_name_each_match_is_tried_in_turn() -> None:
    score = scored(["John Smith", "Jane Smith", "Mary"], ["John Smith", "J. Smith", "J. Smith", "Mary"], "J. Smith")
    assert [match.state for match in score.explanation.concepts] == ["exact", "fuzzy", "duplicate", "exact"]
    assert score.metrics["relationshipAccuracy"] == 1.0


def test_ends_that_only_a_sign_parts_are_two() -> None:
    """Normalised they are one name, so each is looked up as it is written."""
    ends = [f"growth rates of {number}" for number in ("-3%", "3%")]
    links = [{"source": end, "predicate": "CAUSES", "target": "Z"} for end in ends]
    case = golden([*ends, "Z"], expectedRelationships=links)
    said = [end.replace("rates", "rate") for end in ends]
    for order in (said, said[::-1]):
        answer = {
            "concepts": [{"label": label} for label in (*order, "Z")],
            "relationships": [{"source": end, "predicate": "CAUSES", "target": "Z"} for end in said],
        }
        score = score_by(EXTRACTION, case, EXTRACTION.read_output(answer).value, RULES)
        assert score.metrics["relationshipAccuracy"] == 1.0


def test_what_a_golden_link_says_does_not_hang_on_the_answer() -> None:
    link = {"source": "J. Smith", "predicate": "parent_of", "target": "Mary"}
    expected = ["John Smith", "Jane Smith", "Mary"]
    said = [scored(expected, concepts, "John Smith", expectedRelationships=[link]).metrics["relationshipAccuracy"]
            for concepts in (["Mary"], ["John Smith", "J. Smith", "Mary"])]  # fmt: skip
    assert said == [1.0, 1.0]


def test_an_end_of_the_opposite_value_is_not_the_concept_that_looks_alike() -> None:
    link = {"source": "growth of minus 5%", "predicate": "CAUSES", "target": "Jobs"}
    case = golden(["growth of minus 5%", "Jobs"], expectedRelationships=[link], forbiddenConcepts=["growth of 5%"])
    answer = {
        "concepts": [{"label": "growth of -5%"}, {"label": "growth of 5%"}, {"label": "Jobs"}],
        "relationships": [{"source": "growth of 5%", "predicate": "CAUSES", "target": "Jobs"}],
    }
    for concepts in (answer["concepts"], answer["concepts"][::-1], answer["concepts"][::2]):
        score = score_by(EXTRACTION, case, EXTRACTION.read_output(answer | {"concepts": concepts}).value, RULES)
        assert score.metrics["relationshipAccuracy"] == 0.0
