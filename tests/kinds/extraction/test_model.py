from __future__ import annotations

import json
from typing import Any

import pytest

from row3.domain.misfits import MisfitsError
from row3.domain.predicates import ROW3_PREDICATES
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Rules
from row3.kinds.extraction.model import ConceptsOut, ExtractionOut, GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.outputs import UNREADABLE
from tests.rows import every_row
from tests.scoring import case_of, output_of


def read(value: Any) -> ExtractionOut:
    parsed = EXTRACTION.read_output(value)
    assert isinstance(parsed, Parsed), parsed
    out = parsed.value
    assert isinstance(out, ExtractionOut)
    return out


def refused(value: Any) -> str:
    found = EXTRACTION.read_output(value)
    assert isinstance(found, Unusable), found
    return found.reason


class TestSpellings:
    @every_row("key", ["label", "name", "concept"])
    def test_of_a_label(self, key: str) -> None:
        assert [c.label for c in read({"concepts": [{key: "A"}]}).concepts] == ["A"]

    @every_row("key", ["sourceQuote", "source_quote", "quote", "provenance", "evidence"])
    def test_of_a_quote(self, key: str) -> None:
        assert read({"concepts": [{"label": "A", key: "the words"}]}).concepts[0].quote == "the words"

    @every_row(
        "quote",
        [
            "the words",
            {"quote": "the words"},
            {"text": "the words", "start": 3},
            {"sourceQuote": "the words"},
            {"source_quote": "the words"},
            ["the words", "more words"],
            ["", "  ", "the words"],
            [{"quote": "the words"}],
            [{"quote": None}, {"quote": "the words"}],
        ],
    )
    def test_of_provenance_as_text_object_or_list(self, quote: Any) -> None:
        assert read({"concepts": [{"label": "A", "provenance": quote}]}).concepts[0].quote == "the words"

    @every_row("quote", [None, "", [], {}, {"quote": None}, [""], [{"page": 3}]])
    def test_of_no_quote(self, quote: Any) -> None:
        assert not read({"concepts": [{"label": "A", "sourceQuote": quote}]}).concepts[0].quote.strip()

    @every_row("source", ["source", "from", "subject"])
    @every_row("predicate", ["predicate", "type", "relation", "relationship"])
    @every_row("target", ["target", "to", "object"])
    def test_of_a_relationship(self, source: str, predicate: str, target: str) -> None:
        out = read({"concepts": [], "relationships": [{source: "A", predicate: "IS_A", target: "B"}]})
        assert [(r.source, r.predicate, r.target) for r in out.relationships] == [("A", "IS_A", "B")]

    def test_unknown_keys_are_ignored(self) -> None:
        out = read({"concepts": [{"label": "A", "page": 9}], "notes": "x", "confidence": 0.5})
        assert out == read({"concepts": ["A"]})

    @every_row("confidence", [0.9, 7, "high", None])
    def test_any_confidence_is_accepted(self, confidence: Any) -> None:
        out = read({"concepts": [{"label": "A", "confidence": confidence}]})
        assert out.concepts[0].confidence == confidence
        assert "confidence" not in str(EXTRACTION.schema("extraction", Rules()))


class TestShapes:
    def test_plain_strings_are_labels(self) -> None:
        parsed = EXTRACTION.read_output({"concepts": ["A", {"label": "B"}]})
        assert isinstance(parsed, Parsed)
        assert [c.label for c in parsed.value.concepts] == ["A", "B"]

    def test_a_bare_list_is_the_concepts(self) -> None:
        parsed = EXTRACTION.outputs["concepts"].read('[{"label": "A"}]')
        assert isinstance(parsed, Parsed)
        assert parsed.value == output_of(ConceptsOut, {"concepts": [{"label": "A"}]})
        assert parsed.repairs == ("bare list taken for the concepts",)

    def test_a_bare_list_is_the_relationships_where_those_are_asked_for(self) -> None:
        parsed = EXTRACTION.outputs["relationships"].read('[{"source": "A", "predicate": "IS_A", "target": "B"}]')
        assert isinstance(parsed, Parsed)
        assert parsed.value.relationships[0].target == "B"

    @every_row(
        "output",
        [{"concepts": ["A"]}, {"concepts": ["A"], "relationships": None}, {"concepts": ["A"], "relationships": []}],
    )
    def test_relationships_may_be_missing(self, output: Any) -> None:
        assert read(output).relationships == []

    def test_the_text_of_an_output_is_read_as_an_answer_is(self) -> None:
        assert read('```json\n{"concepts": ["A"]}\n```') == read({"concepts": ["A"]})

    @every_row(
        ("output", "words"),
        [
            ({}, "field `concepts` is missing; the object is empty"),
            ({"concept": []}, "field `concepts` is missing; found `concept`"),
            ({"concepts": None}, "field `concepts`: should be an array"),
            ({"concepts": {"a": 1}}, "field `concepts`: should be an array"),
            ({"nodes": [], "edges": []}, "field `concepts` is missing; found `nodes`, `edges`"),
            (dict.fromkeys("abcdefg"), "field `concepts` is missing; found `a`, `b`, `c`, `d`, `e`, `f`, `g`"),
            ({"a\nb " * 30: 1}, f"field `concepts` is missing; found `{('a b ' * 30)[:79]}…"),
            (5, "the answer is a number, not an object"),
            (None, "the answer is null, not an object"),
            (True, "the answer is a boolean, not an object"),
            ("nonsense", "the answer is not JSON"),
            ('"text"', "the answer is a string, not an object"),
        ],
    )
    def test_a_misfit_is_refused_with_its_place(self, output: Any, words: str) -> None:
        assert words in refused(output)

    @every_row(
        ("item", "words"),
        [
            ({}, "field `concepts.1.label` is missing; the object is empty"),
            (None, "field `concepts.1`: should be an object, not null"),
            ({"lable": "x"}, "field `concepts.1.label` is missing; found `lable`"),
            (["x"], "field `concepts.1`: should be an object, not an array"),
            ({"label": ["x"]}, "field `concepts.1.label`: should be a string, not an array"),
            ({"label": True}, "field `concepts.1.label`: should be a string, not `true`"),
        ],
    )
    def test_an_item_that_cannot_be_read_is_noted_with_its_place(self, item: Any, words: str) -> None:
        parsed = EXTRACTION.read_output({"concepts": ["A", item, "B"]})
        assert isinstance(parsed, Parsed)
        assert [concept.label for concept in parsed.value.concepts] == ["A", UNREADABLE, "B"]
        assert parsed.repairs == (f"1 item cannot be read: {words}",)

    @every_row(("number", "text"), [(2024, "2024"), (2.5, "2.5"), (0, "0"), (-1, "-1")])
    def test_a_number_counts_as_its_text(self, number: float, text: str) -> None:
        for concept in (number, {"label": number}, {"name": number, "quote": number}):
            assert read({"concepts": [concept]}).concepts[0].label == text
        link = {"from": number, "type": "IS_A", "to": number}
        assert read({"concepts": [], "relationships": [link]}).relationships[0].target == text

    def test_a_lone_surrogate_does_not_raise(self) -> None:
        for text in (r'{"concepts": [{"label": "\ud800"}]}', '{"concepts": [{"label": "\ud800"}]}'):
            assert isinstance(EXTRACTION.outputs["concepts"].read(text), Parsed | Unusable)


class TestSchema:
    def test_names_exactly_the_keys(self, rules: Rules) -> None:
        schema = EXTRACTION.schema("extraction", rules)
        assert schema["required"] == ["concepts", "relationships"]
        assert schema["additionalProperties"] is False
        concept, link = (schema["properties"][key]["items"] for key in ("concepts", "relationships"))
        assert concept["required"] == ["label", "sourceQuote"]
        assert link["required"] == ["source", "predicate", "target"]
        assert link["properties"]["predicate"]["enum"] == list(ROW3_PREDICATES)
        assert "$ref" not in json.dumps(schema)

    def test_any_predicate_where_the_suite_names_none(self) -> None:
        link = EXTRACTION.schema("relationships", Rules(predicates=()))["properties"]["relationships"]["items"]
        assert link["properties"]["predicate"] == {"type": "string"}

    def test_an_answer_that_fits_the_schema_is_read(self, rules: Rules) -> None:
        answer = {
            "concepts": [{"label": "A", "sourceQuote": "q"}],
            "relationships": [{"source": "A", "predicate": "IS_A", "target": "A"}],
        }
        parsed = EXTRACTION.outputs["extraction"].read(json.dumps(answer))
        assert isinstance(parsed, Parsed)
        assert parsed.repairs == ()
        assert parsed.value.context("extraction") == {
            "concepts": [{"label": "A", "quote": "q"}],
            "relationships": [{"source": "A", "predicate": "IS_A", "target": "A"}],
        }


class TestPipeline:
    def test_concepts_and_relationships_of_two_stages_become_one_output(self) -> None:
        first = EXTRACTION.outputs["concepts"].read('{"concepts": [{"label": "A"}]}')
        second = EXTRACTION.outputs["relationships"].read(
            '{"relationships": [{"source": "A", "predicate": "IS_A", "target": "B"}]}'
        )
        assert isinstance(first, Parsed)
        assert isinstance(second, Parsed)
        whole = EXTRACTION.combine({"concepts": first.value, "relationships": second.value})
        assert [c.label for c in whole.concepts] == ["A"]
        assert [r.target for r in whole.relationships] == ["B"]

    def test_a_stage_that_is_missing_leaves_its_list_empty(self) -> None:
        first = EXTRACTION.outputs["concepts"].read('{"concepts": [{"label": "A"}]}')
        assert isinstance(first, Parsed)
        assert EXTRACTION.combine({"concepts": first.value}).relationships == []
        assert EXTRACTION.combine({}).concepts == []

    def test_a_template_never_sees_the_expectations(self, small_case: dict[str, Any]) -> None:
        case = case_of(GoldenCase, small_case)
        assert case.variables() == {"topic": case.topic, "source_text": case.source_text}


class TestGoldenCase:
    def test_appendix_b(self) -> None:
        case = case_of(
            GoldenCase,
            {
                "id": "test-case-id",
                "topic": "Topic Name",
                "domain": "ecological",
                "version": "1.0",
                "created": "2026-01-29",
                "sourceText": "Full source text here",
                "expectedConcepts": [{"label": "Concept Name", "aliases": ["Alias 1", "Alias 2"], "required": True}],
                "expectedRelationships": [
                    {"source": "Source Concept", "target": "Target Concept", "predicate": "CAUSES", "required": True}
                ],
                "forbiddenConcepts": ["Hallucination Canary 1"],
                "forbiddenRelationships": [{"source": "Concept A", "target": "Concept B", "predicate": "CAUSES"}],
            },
        )
        assert case.expected_concepts[0].aliases == ["Alias 1", "Alias 2"]
        assert case.expected_relationships[0].required is True

    @pytest.mark.parametrize(
        "change",
        [
            {"expectedconcepts": []},
            {"source_text": "x"},
            {"domain": "Technical"},
            {"id": "../x"},
            {"id": ""},
            {"id": "a b"},
            {"id": "x" * 129},
            {"sourceText": " \n"},
            {"version": 1.0},
            {"critical": "yes"},
            {"expectedConcepts": ["plain"]},
            {"expectedConcepts": [{"label": " "}]},
            {"expectedConcepts": [{"label": "A", "alias": "B"}]},
            {"expectedConcepts": [{"label": "A", "aliases": "B"}]},
            {"expectedConcepts": [{"label": "A", "required": 1}]},
            {"expectedRelationships": [{"source": "A", "target": "B"}]},
            {"forbiddenConcepts": [""]},
            {"forbiddenRelationships": [{"source": "A", "target": "B", "predicate": "IS_A", "required": True}]},
            {"schemaVersion": 0},
        ],
    )
    def test_golden_files_are_read_strictly(self, small_case: dict[str, Any], change: dict[str, Any]) -> None:
        with pytest.raises(MisfitsError):
            case_of(GoldenCase, small_case | change)

    @pytest.mark.parametrize("missing", ["id", "sourceText", "expectedConcepts"])
    def test_required_keys(self, small_case: dict[str, Any], missing: str) -> None:
        with pytest.raises(MisfitsError, match=missing):
            case_of(GoldenCase, {key: value for key, value in small_case.items() if key != missing})

    def test_a_case_of_any_size_can_be_scored(self) -> None:
        assert case_of(GoldenCase, {"id": "x", "sourceText": "t", "expectedConcepts": []}).forbidden_concepts == []


def test_unknown_keys_of_an_answer_are_dropped() -> None:
    found = EXTRACTION.outputs["extraction"].read('{"concepts": [], "notes": "none", "relations": []}')
    assert isinstance(found, Parsed)
    assert found.repairs == ()
