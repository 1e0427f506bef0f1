"""The kind with toy similarities in place of embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from row3.kinds.base import Rules
from row3.kinds.extraction import EXTRACTION
from row3.kinds.extraction_models import ExtractionOut, GoldenCase
from row3.matching.semantic_rule import SemanticRule

TEXT = "A heart attack damages the heart. Doctors treat kidney failure with dialysis."
ALIKE = {frozenset(pair) for pair in (("myocardial infarction", "heart attack"), ("renal failure", "kidney failure"))}
ALIKE |= {frozenset(("renal", "kidney"))}


def similarity(one: Sequence[str], other: Sequence[str]) -> list[list[float]]:
    return [[1.0 if a == b else 0.9 if frozenset((a, b)) in ALIKE else 0.1 for b in other] for a in one]


RULES = Rules(weights={"recall": 1.0}, semantic=SemanticRule("toy"))
ON = replace(RULES, similarity=similarity)


def case(**changes: Any) -> GoldenCase:
    value: dict[str, Any] = {
        "id": "heart",
        "sourceText": TEXT,
        "expectedConcepts": [{"label": "heart attack"}, {"label": "kidney failure"}, {"label": "dialysis"}],
        "expectedRelationships": [{"source": "kidney failure", "predicate": "REQUIRES", "target": "dialysis"}],
        "forbiddenConcepts": ["cardiac lattice"],
    }
    return GoldenCase.model_validate(value | changes)


def output(*labels: str, links: Sequence[tuple[str, str, str]] = ()) -> ExtractionOut:
    return ExtractionOut.model_validate(
        {
            "concepts": [{"label": label} for label in labels],
            "relationships": [{"source": a, "predicate": p, "target": b} for a, p, b in links],
        }
    )


def test_what_nothing_else_matched_is_matched_and_counts_as_correct() -> None:
    given = output("myocardial infarction", "dialysis", "sailing")
    off, on = EXTRACTION.score(case(), given, RULES), EXTRACTION.score(case(), given, ON)
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
    score = EXTRACTION.score(case(), output("heart attack", "myocardial infarction"), ON)
    assert [match.state for match in score.explanation.concepts] == ["exact", "unmatched"]


def test_a_relationship_end_is_found_by_the_concept_of_its_name() -> None:
    links = [("Renal  failure", "REQUIRES", "dialysis")]
    score = EXTRACTION.score(case(), output("renal failure", "dialysis", links=links), ON)
    assert [match.state for match in score.explanation.relationships] == ["fuzzy"]
    alone = EXTRACTION.score(case(), output("dialysis", links=links), ON)
    assert [match.state for match in alone.explanation.relationships] == ["wrong-end"]


def test_a_canary_stays_one_and_an_item_nearer_to_it_stays_unmatched() -> None:
    forbidden = case(forbiddenConcepts=["myocardial infarction"])
    score = EXTRACTION.score(forbidden, output("myocardial infarction"), ON)
    assert [match.state for match in score.explanation.concepts] == ["canary"]


def test_without_similarities_or_without_the_rule_nothing_is_matched_by_meaning() -> None:
    given = output("myocardial infarction")
    for rules in (RULES, Rules(similarity=similarity)):
        assert EXTRACTION.score(case(), given, rules).explanation.concepts[0].state == "unmatched"


def test_a_bad_answer_asks_for_nothing() -> None:
    def refuse(one: Sequence[str], other: Sequence[str]) -> Any:
        pytest.fail("asked")

    rules = replace(RULES, similarity=refuse)
    assert EXTRACTION.bad_answer(case(), "prose", "prose", rules).status == "bad_answer"
    assert EXTRACTION.score(case(), output(), rules).metrics["recall"] == 0.0
    everything = output("heart attack", "kidney failure", "dialysis", "sailing")
    assert EXTRACTION.score(case(), everything, rules).metrics["recall"] == 1.0


def test_the_signature_tells_of_it_and_is_as_before_without() -> None:
    off, on = EXTRACTION.signature(Rules()), EXTRACTION.signature(ON)
    assert "semantic" not in off
    assert on == f"{EXTRACTION.signature(replace(ON, semantic=None))} semantic/1=toy>=0.8"
