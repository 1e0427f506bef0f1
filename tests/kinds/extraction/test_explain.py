"""The kind with toy similarities in place of embeddings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from row3.domain.asks import Ask, finish, no_vectors
from row3.domain.embeddings import Vector, Vectors
from row3.domain.scores import CaseScore
from row3.domain.semantic_rule import SemanticRule
from row3.errors import InvalidFile
from row3.kinds.base import Rules
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.scoring import case_of, output_of

WORDS = ("heart attack", "kidney failure", "kidney", "myocardial infarction", "renal failure", "renal")
WORDS += ("dialysis", "sailing", "cardiac lattice")
TEXT = "A heart attack damages the heart. Doctors treat kidney failure with dialysis."
SAME = {"myocardial infarction": "heart attack", "renal failure": "kidney failure", "renal": "kidney"}
"""In other words; all other texts are unlike."""
ON = Rules(weights={"recall": 1.0}, semantic=SemanticRule("toy"))
OFF = replace(ON, semantic=None)


def vectors(ask: Ask) -> Vectors:
    """Embeddings of which those of the same meaning have a cosine of 0.9."""
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


def test_what_nothing_else_matched_is_matched_and_counts_as_correct() -> None:
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


def test_a_canary_stays_one_and_an_item_nearer_to_it_stays_unmatched() -> None:
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

    with pytest.raises(InvalidFile, match="they are of two models"):
        finish(EXTRACTION.score(case(), output("renal failure"), ON), answer)


def test_what_leaves_nothing_open_asks_for_nothing() -> None:
    def refuse(ask: Ask) -> Any:
        pytest.fail("asked")

    assert EXTRACTION.bad_answer(case(), "prose", "prose", ON).status == "bad_answer"
    assert finish(EXTRACTION.score(case(), output(), ON), refuse).metrics["recall"] == 0.0
    everything = output("heart attack", "kidney failure", "dialysis", "sailing")
    assert finish(EXTRACTION.score(case(), everything, ON), refuse).metrics["recall"] == 1.0


def test_the_signature_tells_of_it_and_is_as_before_without() -> None:
    off, on = EXTRACTION.signature(Rules()), EXTRACTION.signature(ON)
    assert "semantic" not in off
    assert on == f"{EXTRACTION.signature(replace(ON, semantic=None))} semantic/1=toy>=0.8"
