"""A case's line is JSON with every match, whatever a model wrote."""

from __future__ import annotations

import json
from functools import partial

from hypothesis import example, given
from hypothesis import strategies as st

from row3.domain.judgements import CaseChange
from row3.domain.matches import (
    ConceptMatch,
    Expectation,
    ExpectedRelationship,
    Explanation,
    RelationshipMatch,
    Triple,
    TypeMatch,
)
from row3.domain.models import keys_of
from row3.domain.scores import CaseScore, Zone
from row3.gate.result_model import CaseResult
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.running.case_results import detail_json

ANYTHING = st.text(st.characters(), max_size=12)  # halves of surrogate pairs too
TEXTS = st.text(max_size=12) | ANYTHING
FRACTIONS = st.floats(0, 1) | st.sampled_from((0.0, 1.0, 0.99995, 1e-5))
SIMILARITIES = FRACTIONS.map(lambda value: round(value, 4))
TRIPLES = st.builds(Triple, TEXTS, TEXTS, TEXTS)
STATES = st.sampled_from(("exact", "alias", "unmatched", "duplicate"))


def explanations() -> st.SearchStrategy[Explanation]:
    types = st.none() | st.builds(TypeMatch, TEXTS, TEXTS, STATES)
    concepts = st.builds(
        ConceptMatch,
        TEXTS,
        STATES,
        st.none() | TEXTS,
        SIMILARITIES,
        st.sampled_from(("verified", "missing")),
        st.booleans(),
        TEXTS,
        TEXTS,
        types,
    )
    expected = st.builds(Expectation, TEXTS, st.booleans(), st.none() | TEXTS, st.none() | TEXTS, SIMILARITIES)
    relationships = st.builds(RelationshipMatch, TRIPLES, STATES, st.none() | TRIPLES)
    links = st.builds(ExpectedRelationship, TRIPLES, st.booleans(), st.none() | TRIPLES)
    lists = [st.lists(items, max_size=3).map(tuple) for items in (concepts, expected, relationships, links)]
    return st.builds(Explanation, *lists)


def scores() -> st.SearchStrategy[CaseScore]:
    numbers = st.dictionaries(st.sampled_from(("recall", "precision", "typeAccuracy")), FRACTIONS)
    return st.builds(
        partial(CaseScore, output=None),  # of any type, which no strategy makes
        TEXTS,
        st.just("scored"),
        numbers,
        skipped=st.dictionaries(TEXTS, TEXTS, max_size=2),
        explanation=explanations(),
        notes=st.lists(TEXTS, max_size=2).map(tuple),
        spread=numbers,
    )


CHANGES = st.none() | st.builds(
    CaseChange,
    TEXTS,
    st.just("regressed"),
    FRACTIONS,
    st.dictionaries(TEXTS, FRACTIONS, max_size=2),
    st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2).map(tuple), max_size=2),
    st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2).map(tuple), max_size=2),
    TEXTS,
)
EMPTY = CaseScore("a", "scored", {}, explanation=Explanation((), (), (), ()))


@given(scores(), st.dictionaries(TEXTS, st.sampled_from(Zone), max_size=2), CHANGES)
@example(EMPTY, {}, None)
def test_a_line_is_json_with_every_match(score: CaseScore, zones: dict[str, Zone], change: CaseChange | None) -> None:
    line = detail_json(EXTRACTION, score._replace(change=change), zones)
    assert b"\n" not in line
    value = json.loads(line)
    assert value["id"] == score.case_id
    assert value.keys() <= keys_of(CaseResult).keys()
    matches, explained = value["matches"], score.explanation
    assert [one["label"] for one in matches["concepts"]] == [one.label for one in explained.concepts]
    for written, one in zip(matches["expectedConcepts"], explained.expected_concepts, strict=True):
        assert written["foundBy"] == one.found_by
        assert ("nearest" in written) == (one.found_by is None)
    for written, link in zip(matches["relationships"], explained.relationships, strict=True):
        assert written["triple"] == [link.triple.source, link.triple.predicate, link.triple.target]


def test_a_case_without_an_explanation_has_no_matches() -> None:
    score = CaseScore("a", "failed", {}, problem="no answer")
    assert json.loads(detail_json(EXTRACTION, score, {}))["matches"] is None
