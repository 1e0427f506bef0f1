"""The line of a case in a result: the writer for many cases says byte for byte what the other one says."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from row3.domain.matches import (
    ConceptMatch,
    Expectation,
    ExpectedRelationship,
    Explanation,
    RelationshipMatch,
    Triple,
    TypeMatch,
)
from row3.domain.metrics import Zone
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.kinds.extraction import EXTRACTION
from row3.workflows.pipeline.results import detail_json

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
        CaseScore,
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
def test_the_writer_for_many_cases_says_the_same(
    score: CaseScore, zones: dict[str, Zone], change: CaseChange | None
) -> None:
    fast, slow = (detail_json(EXTRACTION, score, zones, change, many=many) for many in (True, False))
    assert fast == slow
    assert json.loads(fast)["id"] == score.case_id
    assert b"\n" not in fast


def test_a_case_without_an_explanation_is_written_alike() -> None:
    score = CaseScore("a", "failed", {}, problem="no answer")
    fast, slow = (detail_json(EXTRACTION, score, {}, None, many=many) for many in (True, False))
    assert fast == slow
    assert json.loads(fast)["matches"] is None
