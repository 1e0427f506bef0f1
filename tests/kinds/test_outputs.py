"""Answers in the usual form are decoded at once, and others to the same values."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from row3.domain.matches import TypeMatch
from row3.domain.scores import CaseScore, by_other_names
from row3.kinds import all_kinds
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Rules
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.extraction.score import METRICS
from row3.kinds.outputs import MOST_GIVEN, answer_values, compare_types, fit, type_of
from tests.rows import every_row
from tests.scoring import case_of, score_by
from tests.strategies import json_values

KINDS = all_kinds()

OUTPUT: dict[str, Any] = {
    "concepts": [{"label": "Rye", "sourceQuote": "Rye ferments."}, {"label": "Salt", "type": "mineral"}],
    "relationships": [{"source": "Salt", "predicate": "SLOWS", "target": "Rye"}],
}
CLASS = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b|\b\w+Out\b")
KEYS = ["concepts", "relationships", "events", "entities", "results", "connections", "label", "quote", "id", "hops"]
texts = st.text(alphabet='ab :"\\\n\u00a0é😀\ud800', max_size=3)
odd = texts | st.sampled_from([None, True, 1, 1.5, 10**30, [], {}, ["a"], [None], {"quote": "a"}, [{"text": "a"}]])
concepts = st.fixed_dictionaries({"label": texts | odd}, optional={"sourceQuote": odd, "type": odd, "quote": odd})
links = st.fixed_dictionaries(dict.fromkeys(("source", "predicate", "target"), texts))
outputs = st.fixed_dictionaries(
    {"concepts": st.lists(concepts, max_size=3)}, optional={"relationships": st.lists(links, max_size=3), "note": odd}
)


@given(outputs)
def test_the_fast_and_the_lenient_reader_agree(value: dict[str, Any]) -> None:
    read, closely = EXTRACTION.outputs["extraction"].read(json.dumps(value)), fit(ExtractionOut, value)
    if isinstance(closely, Unusable):
        assert isinstance(read, Unusable)
    else:
        assert isinstance(read, Parsed)
        assert read.value == closely.value


@pytest.mark.parametrize("kind", KINDS)
@given(value=st.dictionaries(st.sampled_from(KEYS), json_values(), max_size=3) | json_values())
def test_any_value_is_an_output_or_unusable_with_a_reason(kind: str, value: Any) -> None:
    found = KINDS[kind].read_output(value)
    if isinstance(found, Unusable):
        assert not CLASS.search(found.reason), found.reason
    else:
        assert KINDS[kind].read_output(found.value.answer_json()) == Parsed(found.value)


@every_row(
    ("kind", "value", "read"),
    [
        ("entities", {"entities": [{"label": "A", "aliases": "a"}]}, [{"name": "A", "mentions": ["a"]}]),
        (
            "entities",
            {"entities": [{"name": "A", "mentions": ["a", 1, None]}]},
            [{"name": "A", "mentions": ["a", "1"]}],
        ),
        ("events", [{"summary": "Moved", "who": ["Ana"], "rank": 1}], [{"description": "Moved", "actor": ["Ana"]}]),
        ("retrieval", {"documents": ["a", {"doc_id": "b", "id": "7"}]}, [{"id": "a"}, {"id": "b"}]),
        ("graph", {"items": ["a", {"id": "b", "hops": "2"}]}, [{"document_id": "a"}, {"document_id": "b", "hops": 2}]),
        ("graph", {"items": [{"id": "b", "event": "Moved", "hops": 2.0}]}, [{"event": "Moved", "hops": 2}]),
        ("graph", {"items": [{"id": "b", "hops": "null"}]}, [{"document_id": "b"}]),
        ("graph", {"items": [{"id": "b", "hops": True}]}, [{"document_id": "—"}]),
        ("graph", {"items": [{"id": "b", "hops": "1_0"}]}, [{"document_id": "—"}]),
    ],
)
def test_other_names_and_shapes(kind: str, value: Any, read: Any) -> None:
    found = KINDS[kind].read_output(value)
    assert isinstance(found, Parsed), found
    ((_, items),) = found.value.answer_json().items()
    assert items == read


def test_plain_values_omit_fields_that_are_not_asked_for() -> None:
    found = KINDS["retrieval"].read_output({"results": [{"id": "a", "score": 0.5}]})
    assert isinstance(found, Parsed)
    assert found.value.results[0].score == 0.5
    assert answer_values(found.value) == {"results": [{"id": "a"}]}


def test_plain_values_omit_empty_fields() -> None:
    found = EXTRACTION.read_output(OUTPUT)
    assert isinstance(found, Parsed)
    assert found.value.answer_json() == OUTPUT


WEIGHTS = {metric.key: metric.weight for metric in METRICS if metric.weight}
CASE: dict[str, Any] = {
    "id": "minutes",
    "sourceText": "Ann promised the budget by May. The board decided to move. Ben asked about the lease.",
    "expectedConcepts": [
        {"label": "Ann", "type": "Person"},
        {"label": "budget by May", "aliases": ["the budget"], "type": "Commitment"},
        {"label": "decided to move", "aliases": ["the move"], "type": "Decision"},
        {"label": "Ben", "type": "Person"},
        {"label": "the lease"},
    ],
}


def scored(output: Any, rules: Rules | None = None, **fields: Any) -> CaseScore:
    parsed = EXTRACTION.read_output(output)
    assert isinstance(parsed, Parsed), parsed
    return score_by(EXTRACTION, case_of(GoldenCase, CASE | fields), parsed.value, rules or Rules(weights=WEIGHTS))


@every_row(
    ("given", "expected", "state"),
    [
        ("Commitment", "Commitment", "exact"),
        ("Commitments", "Commitment", "normalised"),
        ("COMMITMENT", "Commitment", "normalised"),
        ("commitment", "Commitments", "normalised"),
        ("ActionItem", "Action item", "normalised"),
        ("action_items", "Action item", "normalised"),
        ("Action  item", "Action item", "exact"),
        ("person", "PERSON", "normalised"),
        ("Decision", "Commitment", "wrong"),
        ("Org", "Organisation", "wrong"),
        ("?", "Commitment", "wrong"),
        ("?!", "…", "wrong"),
        ("", "Commitment", "missing"),
    ],
)
def test_a_type_is_the_expected_one_as_written_or_after_normalising(given: str, expected: str, state: str) -> None:
    assert compare_types(type_of(given), expected) == TypeMatch(type_of(given), expected, state)


@every_row(
    ("value", "text"),
    [
        ("PERSON", "PERSON"),
        ("  Action \n item ", "Action item"),
        (["PERSON", "ORG"], "PERSON"),
        ([None, " ", "ORG"], "ORG"),
        ({"name": "PERSON"}, "PERSON"),
        ({"label": "PERSON", "confidence": 1}, "PERSON"),
        ({"type": ["PERSON"]}, ""),
        (None, ""),
        (7, ""),
        (True, ""),
        ([], ""),
        ("x" * 500, "x" * MOST_GIVEN),
        ("\ud800", "?"),
    ],
)
def test_a_type_may_come_in_several_forms(value: Any, text: str) -> None:
    assert type_of(value) == text


@every_row("key", ["type", "category", "entityType", "entity_type", "kind"])
def test_a_type_may_have_several_names(key: str) -> None:
    result = scored({"concepts": [{"label": "Ann", key: "Person"}]})
    assert result.counts["typeAccuracy"] == (1, 1)


@given(json_values())
def test_no_type_makes_an_answer_unusable(value: object) -> None:
    result = scored({"concepts": [{"label": "Ann", "type": value}]})
    assert result.status == "scored"
    assert result.counts["typeAccuracy"][1] == 1
    read = EXTRACTION.outputs["concepts"].read(json.dumps({"concepts": [{"label": "Ann", "kind": value}]}))
    assert isinstance(read, Parsed)


def test_type_accuracy_by_hand() -> None:
    result = scored(
        {
            "concepts": [
                {"label": "Ann", "type": "Person"},  # exact
                {"label": "the budget", "type": "Commitments"},  # normalised
                {"label": "the move", "type": "Commitment"},  # wrong
                {"label": "Ben"},  # missing
                {"label": "the lease", "type": "Topic"},  # not expected to have one
                {"label": "ann", "type": "Place"},  # a duplicate: not judged
                {"label": "weather", "type": "Topic"},  # unmatched
            ]
        }
    )
    assert result.metrics["typeAccuracy"] == 2 / 4
    assert result.metrics["typesNormalised"] == 1 / 4
    assert result.metrics["deduplicationAccuracy"] == 4 / 5  # five found, Ann by two items
    assert result.tally["types"] == {"exact": 1, "normalised": 1, "wrong": 1, "missing": 1}
    assert result.tally["normalisedTypes"] == {"Commitments\tCommitment": 1}
    assert result.tally["wrongTypes"] == {"Commitment\tDecision": 1}
    assert EXTRACTION.shortfall(result)["wrongTypes"] == (
        "the move: Commitment for Decision",
        "Ben: none for Person",
    )


def test_several_duplicates_of_one_concept_spoil_one_concept() -> None:
    result = scored({"concepts": [{"label": "Ann"}, {"label": "ANN"}, {"label": "ann."}, {"label": "Ben"}]})
    assert result.metrics["deduplicationAccuracy"] == 1 / 2
    assert result.metrics["duplicateRate"] == 2 / 4


def test_a_case_without_types_skips_type_metrics_and_no_other_changes() -> None:
    bare = [{k: v for k, v in one.items() if k != "type"} for one in CASE["expectedConcepts"]]
    output = {"concepts": [{"label": "Ann", "type": "Person"}, {"label": "the move", "type": "?"}]}
    typed, untyped = scored(output), scored(output, expectedConcepts=bare)
    assert {key: untyped.skipped[key] for key in ("typeAccuracy", "typesNormalised")} == {
        "typeAccuracy": "the case has no types",
        "typesNormalised": "the case has no types",
    }
    assert untyped.metrics == {k: v for k, v in typed.metrics.items() if k not in ("typeAccuracy", "typesNormalised")}
    assert "types" not in untyped.tally
    assert by_other_names(METRICS, untyped.metrics) == {}


def test_types_do_not_take_part_in_the_matching() -> None:
    output = {"concepts": [{"label": "Ann", "type": "Place"}, {"label": "Ben", "type": "Place"}]}
    assert scored(output).metrics["recall"] == 2 / 5


def test_two_concepts_of_one_name_keep_every_metric_between_0_and_1() -> None:
    twice = [{"label": "Jaguar", "type": "Animal"}, {"label": "Jaguar", "type": "Company"}]
    result = scored({"concepts": [{"label": "Jaguar", "type": "Animal"}]}, expectedConcepts=twice)
    assert result.counts["typeAccuracy"][1] == 1
    result = scored({"concepts": [{"label": "Jaguar", "type": "Animal"}] * 3}, expectedConcepts=twice)
    assert 0 <= result.metrics["deduplicationAccuracy"] <= 1


def test_a_bad_answer_and_an_empty_one_have_no_type_right() -> None:
    bad = EXTRACTION.bad_answer(case_of(GoldenCase, CASE), "prose", "raw", Rules(weights=WEIGHTS))
    empty = scored({"concepts": []})
    assert bad.metrics["typeAccuracy"] == bad.metrics["deduplicationAccuracy"] == 0.0
    assert {"typeAccuracy", "deduplicationAccuracy"}.isdisjoint(empty.metrics)
    assert bad.tally == empty.tally == {"concepts": {}, "relationships": {}}


def test_metrics_are_also_known_by_the_names_of_experiments() -> None:
    metrics = scored({"concepts": [{"label": "Ann", "type": "Person"}, {"label": "Ann"}, {"label": "rain"}]}).metrics
    assert by_other_names(METRICS, metrics) == {
        "entity_precision": 1 / 2,
        "entity_recall": 1 / 5,
        "entity_f1": pytest.approx(2 * 1 / (2 + 5)),
        "type_accuracy": 1.0,
        "deduplication_accuracy": 0.0,
    }  # no relationship_accuracy: the case expects none


def test_only_a_suite_with_types_asks_for_them() -> None:
    plain = EXTRACTION.schema("concepts", Rules())["properties"]["concepts"]["items"]
    assert list(plain["properties"]) == plain["required"] == ["label", "sourceQuote"]
    for types, choices in (((), {}), (("PERSON", "ORG"), {"enum": ["PERSON", "ORG"]})):
        asked = EXTRACTION.schema("extraction", Rules(types=types))["properties"]
        concept = asked["concepts"]["items"]
        assert list(concept["properties"]) == concept["required"] == ["label", "sourceQuote", "type"]
        assert concept["properties"]["type"] == {"type": "string", "description": "Its type."} | choices
        assert "type" not in asked["relationships"]["items"]["properties"]


def test_lint_names_a_type_that_the_suite_does_not_have_and_concepts_without_one() -> None:
    case = case_of(GoldenCase, CASE)

    def findings(types: tuple[str, ...] | None) -> list[tuple[str, str, str]]:
        found = EXTRACTION.lint.case(case, Rules(types=types))
        return [(f.level, f.rule, f.message) for f in found if f.rule in ("type", "types")]

    bare = ("warning", "types", "1 of 5 concepts has no type; give one to all of them")
    assert findings(None) == findings(()) == findings(("Person", "Commitment", "Decision")) == [bare]
    assert findings(("PERSON", "Commitment", "Decisions")) == [
        bare,
        ("error", "type", "type `Person` is not one of the suite's; did you mean `PERSON`?"),
        ("error", "type", "type `Decision` is not one of the suite's; did you mean `Decisions`?"),
        ("error", "type", "type `Person` is not one of the suite's; did you mean `PERSON`?"),
    ]
    untyped = case_of(GoldenCase, CASE | {"expectedConcepts": [{"label": "Ann"}]})
    assert "types" not in [f.rule for f in EXTRACTION.lint.case(untyped, Rules())]
    assert "types" in [f.rule for f in EXTRACTION.lint.case(untyped, Rules(types=()))]


WORDS = ("granite", "willow", "harbour", "copper", "lantern", "monsoon", "violin", "saffron", "turbine", "meadow")
NAMED_TYPES = ("Plant", "Metal", "Weather")


@given(
    st.dictionaries(st.sampled_from(WORDS), st.sampled_from(NAMED_TYPES), min_size=1),
    st.lists(
        st.tuples(st.sampled_from(WORDS), st.sampled_from((*NAMED_TYPES, "Plants", "METAL", "other"))), min_size=1
    ),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_scores_agree_with_scikit_learn(
    expected: dict[str, str], said: list[tuple[str, str]], chance: random.Random
) -> None:
    """Over a vocabulary of dissimilar words, found and expected are labels of one list."""
    concepts = [{"label": word, "type": kind} for word, kind in said]
    chance.shuffle(concepts)
    result = scored(
        {"concepts": concepts},
        expectedConcepts=[{"label": word, "type": kind} for word, kind in expected.items()],
    )
    named = {word for word, _ in said}
    truth, guess = [word in expected for word in WORDS], [word in named for word in WORDS]
    precision, recall, f1, _ = precision_recall_fscore_support(truth, guess, average="binary", zero_division=0)
    names = by_other_names(METRICS, result.metrics)
    if not named & expected.keys():
        assert not names  # nothing with a type was found
        return
    # An unmatched word that is said twice is wrong twice; only duplicates of what is expected are left out.
    wrong_again = sum(1 for word, _ in said if word not in expected) - len(named - expected.keys())
    if not wrong_again:
        assert names["entity_precision"] == pytest.approx(precision)
        assert names["entity_f1"] == pytest.approx(f1)
    assert names["entity_recall"] == pytest.approx(recall)
    first: dict[str, str] = {}
    for concept in concepts:
        first.setdefault(concept["label"], concept["type"])
    found = [word for word in expected if word in first]
    spelt = {"Plants": "Plant", "METAL": "Metal"}
    if found:
        assert names["type_accuracy"] == pytest.approx(
            accuracy_score([expected[word] for word in found], [spelt.get(first[word], first[word]) for word in found])
        )
    once = sum(1 for word in found if [word for word, _ in said].count(word) == 1)
    assert names.get("deduplication_accuracy") == (pytest.approx(once / len(found)) if found else None)
