from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from row3.kinds.base import Parsed, Rules
from row3.kinds.extraction import EXTRACTION
from row3.kinds.extraction_models import (
    ConceptOut,
    ConceptsOut,
    ExtractionOut,
    GoldenCase,
    RelationshipOut,
    RelationshipsOut,
)
from row3.kinds.extraction_reading import read_answer, read_closely
from row3.kinds.extraction_structs import STRUCTS, Concept, Relationship, usual_answer, usual_line
from row3.kinds.twins import plain

OUTPUT: dict[str, Any] = {
    "concepts": [{"label": "Rye", "sourceQuote": "Rye ferments."}, {"label": "Salt", "type": "mineral"}],
    "relationships": [{"source": "Salt", "predicate": "SLOWS", "target": "Rye"}],
}


@pytest.mark.parametrize(
    ("struct", "model"),
    [(Concept, ConceptOut), (Relationship, RelationshipOut), *((struct, model) for model, struct in STRUCTS.items())],
)
def test_a_struct_has_the_fields_keys_and_defaults_of_its_model(
    struct: type[msgspec.Struct], model: type[BaseModel]
) -> None:
    fields = model.model_fields
    assert struct.__struct_fields__ == tuple(fields)
    assert struct.__struct_encode_fields__ == tuple(field.serialization_alias or name for name, field in fields.items())
    for field in msgspec.structs.fields(struct):
        assert field.required == fields[field.name].is_required()
    required = {key: "" if struct in (Concept, Relationship) else [] for key in struct.__struct_encode_fields__}
    if struct is Concept:
        required = {"label": ""}
    least = {key: value for key, value in required.items() if struct is Concept or fields[key].is_required()}
    assert plain(msgspec.convert(least, struct)) == model.model_validate(least).model_dump()


def test_every_output_of_the_kind_has_a_struct() -> None:
    assert STRUCTS.keys() == set(EXTRACTION.outputs.values())


texts = st.text(alphabet='ab :"\\\n\u00a0é😀\ud800', max_size=3)
odd = texts | st.sampled_from([None, True, 1, 1.5, 10**30, [], {}, ["a"], [None], {"quote": "a"}, [{"text": "a"}]])


def mostly(right: st.SearchStrategy[Any], wrong: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Wrong once in a while, so that whole answers are often right."""
    return st.integers(0, 19).flatmap(lambda chance: wrong if chance == 0 else right)


concepts = st.fixed_dictionaries(
    {"label": mostly(texts, odd)},
    optional={"sourceQuote": mostly(texts, odd), "type": mostly(st.none() | texts, odd)},
)
links = st.fixed_dictionaries({key: mostly(texts, odd) for key in ("source", "predicate", "target")})
strange_items = st.dictionaries(
    st.sampled_from(["label", "name", "quote", "source_quote", "from", "to", "relation", "kind", "page"]),
    odd,
    max_size=4,
)
outputs = st.fixed_dictionaries(
    {"concepts": st.lists(mostly(concepts, odd | strange_items), max_size=3)},
    optional={"relationships": mostly(st.lists(mostly(links, strange_items), max_size=3), odd), "note": odd},
)
outputs |= st.fixed_dictionaries({"relationships": st.lists(links, max_size=3)})


def written(draw: st.DrawFn, value: Any) -> str:
    """As JSON in some layout; now and then with a key that stands twice or a character that does not belong there."""
    text = json.dumps(
        value,
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 2])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (",", " : ")])),
    )
    keys = list(re.finditer(r'"(\w+)"\s*:', text))
    if keys and draw(st.integers(0, 3)) == 0:
        key = draw(st.sampled_from(keys))
        again = draw(st.sampled_from(['"x"', "null", "[]", "1", "NaN"]))
        text = f"{text[: key.start()]}{key[0]}{again},{text[key.start() :]}"
    if draw(st.integers(0, 5)) == 0:
        place = draw(st.integers(0, len(text)))
        more = draw(
            st.sampled_from([" ", "\n", "\r", "\x00", ",", '"', "\\", "NaN", "\ufeff", "\ud800", "\\ud800", "["])
        )
        text = text[:place] + more + text[place:]
    return text


@st.composite
def answers(draw: st.DrawFn) -> str:
    return written(draw, draw(outputs))


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    more = draw(
        mostly(st.just({}), st.dictionaries(st.sampled_from(["error", "schemaVersion", "note"]), odd, max_size=1))
    )
    return written(draw, {"caseId": draw(mostly(st.just("rye"), odd)), "output": draw(outputs)} | more).encode(
        "utf-8", "surrogatepass"
    )


def dumped(value: Any) -> Any:
    """An output as plain values by the names of its fields."""
    return value.model_dump() if isinstance(value, BaseModel) else plain(value)


@given(st.sampled_from(list(STRUCTS)), answers())
def test_a_usual_answer_is_read_as_a_closer_look_reads_it(model: type[BaseModel], text: str) -> None:
    usual = usual_answer(model, text)
    if usual is None:
        assert read_answer(model, text) == read_closely(model, text)
        return
    closely = read_closely(model, text)
    assert isinstance(closely, Parsed)
    assert (dumped(usual), ()) == (dumped(closely.value), closely.repairs)


@given(lines())
def test_a_usual_line_is_read_as_a_closer_look_reads_it(raw: bytes) -> None:
    found = usual_line(raw)
    if found is None:
        return
    case_id, output, keys = found
    pairs: list[int] = []
    value = json.loads(raw, object_pairs_hook=lambda items: (pairs.append(len(items)), dict(items))[1])
    closely = EXTRACTION.read_output(value["output"])
    assert isinstance(closely, Parsed)
    assert (case_id, dumped(output), ()) == (value["caseId"], dumped(closely.value), closely.repairs)
    assert keys <= sum(pairs)
    assert EXTRACTION.read_output(output) == Parsed(output)


def test_the_keys_of_a_line() -> None:
    raw = json.dumps({"caseId": "rye", "output": OUTPUT}).encode()
    found = usual_line(raw)
    assert found is not None
    assert found[2] == raw.count(b'":') == 11


@pytest.mark.parametrize(
    "value",
    [
        {"concepts": ["Rye"]},
        {"concepts": [{"name": "Rye"}]},
        {"concepts": [{"label": "Rye", "sourceQuote": ["Rye ferments."]}]},
        {"concepts": [{"label": "Rye", "page": 3}]},
        {"concepts": [], "relationships": None},
        {"concepts": [], "notes": "none"},
    ],
    ids=str,
)
def test_any_other_form_is_left_to_the_models(value: dict[str, Any]) -> None:
    assert usual_answer(ExtractionOut, json.dumps(value)) is None
    assert isinstance(EXTRACTION.parse("extraction", json.dumps(value)), Parsed)


def test_scores_are_the_same_whatever_an_output_was_read_as(rules: Rules) -> None:
    case = GoldenCase.model_validate(
        {
            "id": "rye",
            "sourceText": "Rye ferments. Salt slows it.",
            "expectedConcepts": [{"label": "Rye", "type": "crop"}, {"label": "Salt", "type": "mineral"}],
            "expectedRelationships": [{"source": "Salt", "predicate": "SLOWS", "target": "Rye"}],
        }
    )
    usual = usual_answer(ExtractionOut, json.dumps(OUTPUT))
    model = ExtractionOut.model_validate(OUTPUT)
    assert EXTRACTION.score(case, usual, rules) == EXTRACTION.score(case, model, rules)


def test_stages_read_in_either_way_are_one_output_and_one_context() -> None:
    said = {
        "concepts": (ConceptsOut, {"concepts": OUTPUT["concepts"]}),
        "relationships": (RelationshipsOut, {"relationships": OUTPUT["relationships"]}),
    }
    usual = {name: usual_answer(model, json.dumps(value)) for name, (model, value) in said.items()}
    models = {name: model.model_validate(value) for name, (model, value) in said.items()}
    for name in said:
        assert EXTRACTION.context(name, usual[name]) == EXTRACTION.context(name, models[name])
    combined = EXTRACTION.combine(usual)
    assert [concept.label for concept in combined.concepts] == ["Rye", "Salt"]
    assert [link.predicate for link in combined.relationships] == ["SLOWS"]


def test_an_output_for_a_page_is_the_same_whatever_it_was_read_as() -> None:
    usual, model = usual_answer(ExtractionOut, json.dumps(OUTPUT)), ExtractionOut.model_validate(OUTPUT)
    mixed = ExtractionOut.model_construct(concepts=usual.concepts, relationships=model.relationships)
    assert model.model_dump(by_alias=True, exclude_none=True) == OUTPUT
    for output in (usual, model, mixed):
        assert EXTRACTION.output_json(output) == OUTPUT
