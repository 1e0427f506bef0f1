"""How many items became what: the counts add up to what was extracted, and each error is named for what it is."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.matches import CORRECT_RELATIONSHIP
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.workflows.pipeline.evaluate import average
from tests.scoring import case_of, score_by
from tests.strategies import extraction_values

CASE: dict[str, Any] = {
    "id": "any",
    "sourceText": "Alpha precedes Beta; Beta causes the Gamma rays.",
    "expectedConcepts": [
        {"label": "Alpha", "aliases": ["A"], "type": "Letter"},
        {"label": "Beta", "type": "Letter"},
        {"label": "Gamma rays", "type": "Ray"},
    ],
    "expectedRelationships": [
        {"source": "Alpha", "predicate": "PRECEDES", "target": "Beta"},
        {"source": "Beta", "predicate": "CAUSES", "target": "Gamma rays"},
    ],
    "forbiddenConcepts": ["Delta waves"],
    "forbiddenRelationships": [{"source": "Gamma rays", "predicate": "CAUSES", "target": "Alpha"}],
}
PREDICATES = ("PRECEDES", "CAUSES", "causes", "INFLUENCES", "Is a", "parent_of", "child_of", "", "cause", "RELATES_TO")
ENDS = ("Alpha", "A", "Beta", "Gamma rays", "Gamma ray", "Omega", "")


def scored(output: Any, rules: Rules | None = None, **fields: Any) -> CaseScore:
    parsed = EXTRACTION.read_output(output)
    assert isinstance(parsed, Parsed), parsed
    return score_by(EXTRACTION, case_of(GoldenCase, CASE | fields), parsed.value, rules or Rules())


def links(*triples: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "concepts": [],
        "relationships": [{"source": s, "predicate": p, "target": t} for s, p, t in triples],
    }


def test_every_error_by_hand() -> None:
    result = scored(
        links(
            ("A", "precedes", "Beta"),  # exact
            ("Alpha", "PRECEDES", "Beta"),  # a duplicate
            ("Beta", "PRECEDES", "Gamma rays"),  # wrong predicate: CAUSES
            ("Gamma rays", "INFLUENCES", "Beta"),  # wrong predicate, the other way round; unknown
            ("Beta", "Influences", "Gamma rays"),  # the same, spelt otherwise
            ("Beta", "PRECEDES", "Alpha"),  # reversed
            ("Beta", "CAUSES", "Omega"),  # one wrong end
            ("Gamma rays", "CAUSES", "Alpha"),  # forbidden
            ("Omega", "PART-OF", "Alpha"),  # nowhere near; unknown
            ("Omega", "child_of", "Alpha"),  # nowhere near; of an inverse pair, so known
        )
    )
    assert result.tally == {
        "concepts": {},
        "relationships": {
            "exact": 1,
            "duplicate": 1,
            "wrong-predicate": 3,
            "reversed": 1,
            "wrong-end": 1,
            "forbidden": 1,
            "unmatched": 2,
        },
        "wrongPredicates": {"PRECEDES\tCAUSES": 1, "INFLUENCES\tCAUSES": 2},
        "unknownPredicates": {"INFLUENCES": 2, "PART_OF": 1},
    }


def test_a_predicate_is_known_where_the_suite_or_the_case_has_it() -> None:
    said = links(("Omega", "INFLUENCES", "Alpha"), ("Omega", "mentors", "Alpha"))
    assert scored(said).tally["unknownPredicates"] == {"INFLUENCES": 1, "MENTORS": 1}
    assert scored(said, Rules(predicates=("CAUSES", "mentors"))).tally["unknownPredicates"] == {"INFLUENCES": 1}
    own = Rules(inverses=(("mentors", "mentored_by"),), symmetric=("influences",))
    assert "unknownPredicates" not in scored(said, own).tally
    assert "unknownPredicates" not in scored(said, Rules(predicates=())).tally  # an answer may use any
    expects = [{"source": "Alpha", "predicate": "INFLUENCES", "target": "Beta"}]
    assert scored(said, expectedRelationships=expects).tally["unknownPredicates"] == {"MENTORS": 1}


def test_a_flawless_answer_has_states_and_no_names() -> None:
    result = scored(links(("Alpha", "PRECEDES", "Beta"), ("Beta", "CAUSES", "Gamma rays")))
    assert result.tally == {"concepts": {}, "relationships": {"exact": 2}}


def test_what_a_model_writes_into_a_predicate_stays_small_and_printable_as_json() -> None:
    from pydantic_core import to_json

    tally = scored(links(("Omega", "x\ud800\ty" * 900, "Alpha"), ("Alpha", "\ud800", "Beta"))).tally
    to_json(tally)
    assert all(len(label) < 200 for counts in tally.values() for label in counts)


RELATIONSHIPS = st.lists(
    st.builds(
        lambda s, p, t: {"source": s, "predicate": p, "target": t},
        st.sampled_from(ENDS),
        st.sampled_from(PREDICATES),
        st.sampled_from(ENDS),
    ),
    max_size=12,
)


@given(extraction_values(), RELATIONSHIPS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_counts_sum_to_what_was_extracted(output: Any, more: list[Any], any_predicate: bool) -> None:
    value = {**output, "relationships": [*output.get("relationships", ()), *more]}
    rules = Rules(predicates=()) if any_predicate else Rules()
    result = scored(value, rules)
    why, tally = result.explanation, result.tally
    assert sum(tally["concepts"].values()) == len(why.concepts)
    assert sum(tally["relationships"].values()) == len(why.relationships)
    assert sum(tally.get("wrongPredicates", {}).values()) == tally["relationships"].get("wrong-predicate", 0)
    wrong = sum(count for state, count in tally["relationships"].items() if state not in CORRECT_RELATIONSHIP)
    assert sum(tally.get("unknownPredicates", {}).values()) <= wrong
    types = tally.get("types", {})
    assert sum(types.values()) == result.counts["typeAccuracy"][1]
    assert types.get("exact", 0) + types.get("normalised", 0) == result.counts["typeAccuracy"][0]
    assert sum(tally.get("normalisedTypes", {}).values()) == types.get("normalised", 0)
    assert sum(tally.get("wrongTypes", {}).values()) == types.get("wrong", 0)
    found, once = result.counts["deduplicationAccuracy"][::-1]
    assert 0 <= once <= found == result.counts["recall"][0]
    assert 0.0 <= result.metrics["deduplicationAccuracy"] <= 1.0
    assert all(count > 0 for counts in tally.values() for count in counts.values())


def test_repeats_are_added_up() -> None:
    one = scored(links(("Alpha", "PRECEDES", "Beta")))
    two = scored(links(("Beta", "PRECEDES", "Alpha"), ("Omega", "INFLUENCES", "Beta")))
    assert average(EXTRACTION, [one, two, two]).tally == {
        "concepts": {},
        "relationships": {"exact": 1, "reversed": 2, "unmatched": 2},
        "unknownPredicates": {"INFLUENCES": 2},
    }
