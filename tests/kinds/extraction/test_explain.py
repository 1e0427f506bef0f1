"""Kind `extraction` with toy similarities in place of embeddings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from row3.domain.asks import Ask, SemanticRule, Vector, Vectors, finish, no_vectors
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile
from row3.kinds.base import Rules
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.rows import every_row
from tests.scoring import case_of, output_of, score_by

WORDS = ("heart attack", "kidney failure", "kidney", "myocardial infarction", "renal failure", "renal")
WORDS += ("dialysis", "sailing", "cardiac lattice")
TEXT = "A heart attack damages the heart. Doctors treat kidney failure with dialysis."
SAME = {"myocardial infarction": "heart attack", "renal failure": "kidney failure", "renal": "kidney"}
"""Pairs of the same meaning; all other texts are dissimilar."""
ON = Rules(weights={"recall": 1.0}, semantic=SemanticRule("toy"))
OFF = replace(ON, semantic=None)


def vectors(ask: Ask) -> Vectors:
    """Embeddings with a cosine of 0.9 between texts of the same meaning."""
    places = {text: number for number, text in enumerate(WORDS)}

    def vector(text: str) -> Vector:
        parts = [0.0] * (2 * len(WORDS))
        parts[places[SAME.get(text, text)]] = 0.9 if text in SAME else 1.0
        parts[len(WORDS) + places[text]] = math.sqrt(1 - 0.81) if text in SAME else 0.0
        return tuple(parts)

    return {text: vector(text) for text in ask.texts}


def scored(case: GoldenCase, given: ExtractionOut, rules: Rules = ON) -> CaseScore:
    return finish(EXTRACTION.score(case, given, rules), vectors)


def case(**changes: Any) -> GoldenCase:
    value: dict[str, Any] = {
        "id": "heart",
        "sourceText": TEXT,
        "expectedConcepts": [{"label": "heart attack"}, {"label": "kidney failure"}, {"label": "dialysis"}],
        "expectedRelationships": [{"source": "kidney failure", "predicate": "REQUIRES", "target": "dialysis"}],
        "forbiddenConcepts": ["cardiac lattice"],
    }
    return case_of(GoldenCase, value | changes)


def output(*labels: str, links: Sequence[tuple[str, str, str]] = ()) -> ExtractionOut:
    return output_of(
        ExtractionOut,
        {
            "concepts": [{"label": label} for label in labels],
            "relationships": [{"source": a, "predicate": p, "target": b} for a, p, b in links],
        },
    )


def test_a_semantic_match_counts_as_correct() -> None:
    given = output("myocardial infarction", "dialysis", "sailing")
    off, on = scored(case(), given, OFF), scored(case(), given)
    assert [match.state for match in off.explanation.concepts] == ["unmatched", "exact", "unmatched"]
    assert [match.state for match in on.explanation.concepts] == ["semantic", "exact", "unmatched"]
    found = on.explanation.concepts[0]
    assert (found.expected, found.score, found.grounded) == ("heart attack", 0.9, True)
    assert on.explanation.expected_concepts[0].found_by == "myocardial infarction"
    assert (on.counts["recall"], on.counts["precision"]) == ((2, 3), (2, 3))
    assert on.tally["concepts"]["semantic"] == 1
    assert EXTRACTION.shortfall(on) == {
        "missedConcepts": ("kidney failure",),
        "wrongConcepts": ("sailing",),
        "missedRelationships": ("kidney failure REQUIRES dialysis",),
    }


def test_a_concept_that_was_found_is_not_found_again() -> None:
    score = scored(case(), output("heart attack", "myocardial infarction"))
    assert [match.state for match in score.explanation.concepts] == ["exact", "unmatched"]


def test_a_relationship_end_is_found_by_the_concept_of_its_name() -> None:
    links = [("Renal  failure", "REQUIRES", "dialysis")]
    score = scored(case(), output("renal failure", "dialysis", links=links))
    assert [match.state for match in score.explanation.relationships] == ["fuzzy"]
    alone = scored(case(), output("dialysis", links=links))
    assert [match.state for match in alone.explanation.relationships] == ["wrong-end"]


def test_a_canary_stays_a_canary_and_an_item_nearer_to_it_unmatched() -> None:
    forbidden = case(forbiddenConcepts=["myocardial infarction"])
    score = scored(forbidden, output("myocardial infarction"))
    assert [match.state for match in score.explanation.concepts] == ["canary"]


def test_without_embeddings_nothing_is_matched_by_meaning() -> None:
    score = finish(EXTRACTION.score(case(), output("myocardial infarction"), ON), no_vectors)
    assert score.explanation.concepts[0].state == "unmatched"


def test_no_text_is_asked_for_twice() -> None:
    asked: list[str] = []

    def answer(ask: Ask) -> Vectors:
        asked.extend(ask.texts)
        return vectors(ask)

    finish(EXTRACTION.score(case(), output("renal failure", "dialysis", "sailing"), ON), answer)
    assert len(asked) == len(set(asked)) > 0


def test_embeddings_of_two_lengths_are_an_error() -> None:
    def answer(ask: Ask) -> Vectors:
        return {text: (1.0,) * (number + 1) for number, text in enumerate(ask.texts)}

    with pytest.raises(InvalidFile, match="they come from two models"):
        finish(EXTRACTION.score(case(), output("renal failure"), ON), answer)


def test_no_embeddings_are_requested_if_everything_is_matched() -> None:
    def refuse(ask: Ask) -> Any:
        pytest.fail("asked")

    assert EXTRACTION.bad_answer(case(), "prose", "prose", ON).status == "bad_answer"
    assert finish(EXTRACTION.score(case(), output(), ON), refuse).metrics["recall"] == 0.0
    everything = output("heart attack", "kidney failure", "dialysis", "sailing")
    assert finish(EXTRACTION.score(case(), everything, ON), refuse).metrics["recall"] == 1.0


def test_a_name_said_twice_is_one_concept() -> None:
    concepts = [{"label": "John Adams"}, {"label": "John Quincy Adams"}]
    presidents = case(expectedConcepts=concepts, expectedRelationships=[])
    for labels in (("John Adams", "John Adams"), ("John Quincy Adams", "J. Q. Adams")):
        found = scored(presidents, output(*labels), OFF)
        assert (found.counts["recall"], found.counts["precision"]) == ((1, 2), (1, 1))
        assert found.metrics["duplicateRate"] == 0.5


def test_a_name_said_twice_matches_by_meaning_once() -> None:
    found = scored(case(), output("renal failure", "Renal failure", "dialysis"))
    assert [match.state for match in found.explanation.concepts] == ["semantic", "duplicate", "exact"]
    assert (found.counts["recall"], found.counts["precision"]) == ((2, 3), (2, 2))


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


def links_scored(expected: list[str], concepts: list[str], end: str, **more: Any) -> Any:
    """Return the relationships of an answer that says `end` parent_of Mary; expected is Jane Smith."""
    link = {"source": "Jane Smith", "predicate": "parent_of", "target": "Mary"}
    answer = {
        "concepts": [{"label": label} for label in concepts],
        "relationships": [{"source": end, "predicate": "parent_of", "target": "Mary"}],
    }
    case = golden(expected, **({"expectedRelationships": [link]} | more))
    return score_by(EXTRACTION, case, EXTRACTION.read_output(answer).value, RULES)


@every_row("expected", list(permutations(("John Smith", "Jane Smith", "Mary"))))
def test_an_end_is_what_the_concept_of_its_name_was_matched_with(expected: tuple[str, ...]) -> None:
    score = links_scored(list(expected), ["John Smith", "J. Smith", "Mary"], "J. Smith")
    assert score.metrics["relationshipAccuracy"] == 1.0
    assert score.explanation.relationships[0].state == "fuzzy"


def test_a_variant_spelling_of_a_forbidden_end_is_still_forbidden() -> None:
    link = {"source": "Jane Smith", "predicate": "parent_of", "target": "Mary"}
    score = links_scored(
        ["John Smith", "Jane Smith", "Mary"],
        ["John Smith", "J. Smith", "Mary"],
        "J. Smith",
        expectedRelationships=[],
        forbiddenRelationships=[link],
    )
    assert score.metrics["forbiddenRelationshipRate"] == 1.0


def test_an_end_that_is_not_an_extracted_concept_is_resolved_on_its_own() -> None:
    score = links_scored(["Jane Smith", "Mary"], ["Mary"], "Smith, Jane")
    assert score.metrics["relationshipAccuracy"] == 1.0


def test_two_concepts_of_one_name_are_both_tried() -> None:
    score = links_scored(
        ["John Smith", "Jane Smith", "Mary"], ["John Smith", "J. Smith", "J. Smith", "Mary"], "J. Smith"
    )
    assert [match.state for match in score.explanation.concepts] == ["exact", "fuzzy", "duplicate", "exact"]
    assert score.metrics["relationshipAccuracy"] == 1.0


def test_ends_that_differ_only_in_their_sign_are_two() -> None:
    """They are equal once normalised, so each is looked up as written."""
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


def test_expected_relationships_do_not_depend_on_the_answer() -> None:
    link = {"source": "J. Smith", "predicate": "parent_of", "target": "Mary"}
    expected = ["John Smith", "Jane Smith", "Mary"]
    said = [links_scored(expected, concepts, "John Smith", expectedRelationships=[link]).metrics["relationshipAccuracy"]
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
