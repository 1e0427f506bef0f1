from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from row3.kinds import KINDS
from row3.kinds.extraction_models import GoldenCase
from row3.kinds.twins import as_model, plain, twin_of

FULL: dict[str, Any] = {
    "$schema": "../schemas/golden-case.schema.json",
    "schemaVersion": 1,
    "id": "rye",
    "topic": "Bread",
    "domain": "technical",
    "version": "1.1",
    "created": "2026-01-02",
    "origin": "Original.",
    "citation": "None.",
    "source": "bakery",
    "critical": True,
    "sourceText": "Rye ferments. Salt slows it.",
    "expectedConcepts": [
        {"label": "Rye", "aliases": ["secale"], "required": False, "inferred": True, "type": "crop"},
        {"label": "Salt"},
    ],
    "expectedRelationships": [
        {"source": "Salt", "target": "Rye", "predicate": "SLOWS", "required": False, "note": "By osmosis."},
        {"source": "Rye", "target": "Salt", "predicate": "NEEDS"},
    ],
    "forbiddenConcepts": ["Yeast"],
    "forbiddenRelationships": [{"source": "Rye", "target": "Salt", "predicate": "IS_A"}],
    "history": [{"date": "2026-01-03", "change": "An alias.", "reason": "It stands there."}],
}
"""Every key that a case may have."""
LEAST: dict[str, Any] = {"id": "rye", "sourceText": "Rye.", "expectedConcepts": []}
TWIN = twin_of(GoldenCase)


def read(value: Any) -> Any:
    found = TWIN.read(msgspec.json.encode(value))
    return None if found is None else found[0]


def test_the_full_case_has_every_key() -> None:
    assert set(FULL) == {field.alias for field in GoldenCase.model_fields.values()}


@pytest.mark.parametrize("value", [FULL, LEAST], ids=["all", "least"])
class TestACase:
    def test_is_read_as_its_model_reads_it(self, value: dict[str, Any]) -> None:
        assert plain(read(value)) == GoldenCase.model_validate(value).model_dump()

    def test_is_the_same_by_way_of_its_model(self, value: dict[str, Any]) -> None:
        assert TWIN.of(GoldenCase.model_validate(value)) == read(value)
        assert as_model(GoldenCase, read(value)) == GoldenCase.model_validate(value)

    def test_has_its_keys_counted(self, value: dict[str, Any]) -> None:
        raw = msgspec.json.encode(value)
        found = TWIN.read(raw)
        assert found is not None
        assert found[1] == raw.count(b'":')


def test_lists_are_each_cases_own() -> None:
    one, other = read(LEAST), read(LEAST)
    one.forbidden_concepts.append("Yeast")
    assert other.forbidden_concepts == []


@pytest.mark.parametrize("key", ["sourceText", "expectedConcepts", "id"])
def test_what_a_case_cannot_do_without(key: str) -> None:
    assert read({name: value for name, value in FULL.items() if name != key}) is None


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0", "\u3000\u2028", "\x1c"])
@pytest.mark.parametrize(
    "case",
    [
        lambda text: {"sourceText": text},
        lambda text: {"expectedConcepts": [{"label": text}]},
        lambda text: {"expectedConcepts": [{"label": "Rye"}, {"label": "Salt", "aliases": ["salts", text]}]},
        lambda text: {"expectedConcepts": [{"label": "Rye", "type": text}]},
        lambda text: {"expectedRelationships": [{"source": "Rye", "target": text, "predicate": "IS_A"}]},
        lambda text: {"forbiddenConcepts": ["Yeast", text]},
        lambda text: {"forbiddenRelationships": [{"source": "Rye", "target": "Salt", "predicate": text}]},
        lambda text: {"history": [{"date": text, "change": "None.", "reason": "None."}]},
    ],
    ids=["text", "label", "alias", "type", "end", "canary", "predicate", "date"],
)
def test_a_blank_text_is_left_to_the_model(case: Any, blank: str) -> None:
    assert read(LEAST | case("Salt")) is not None
    assert read(LEAST | case(blank)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "rye\n"},
        {"id": "r/ye"},
        {"id": "r" * 129},
        {"schemaVersion": 0},
        {"schemaVersion": 1.0},
        {"schemaVersion": True},
        {"schemaVersion": "1"},
        {"critical": 1},
        {"domain": "culinary"},
        {"topic": None},
        {"forbiddenConcepts": None},
        {"expectedConcepts": {}},
        {"expectedConcepts": [None]},
        {"expectedConcepts": [{"label": "Rye", "alias": []}]},
        {"source_text": "By its name."},
        {"schema_": None},
    ],
    ids=str,
)
def test_what_the_model_refuses_is_left_to_it(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        GoldenCase.model_validate(FULL | wrong)
    assert read(FULL | wrong) is None


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_kind_whose_cases_are_plain_has_a_twin(name: str) -> None:
    kind = KINDS[name]
    if kind.plain_cases:
        assert twin_of(kind.case_model).form.struct.__struct_fields__ == tuple(kind.case_model.model_fields)
    assert kind.plain_cases == (name == "extraction")


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Short(Strict):
    text: Annotated[str, StringConstraints(max_length=3)]


class Even(Strict):
    number: int = Field(multiple_of=2)


class Mixed(Strict):
    value: int | str


class Holey(Strict):
    values: list[str | None]


class Nested(Strict):
    inner: Even


class Lenient(BaseModel):
    text: str


@pytest.mark.parametrize("model", [Short, Even, Mixed, Holey, Nested, Lenient])
def test_what_no_twin_can_tell_is_never_passed_over(model: type[BaseModel]) -> None:
    with pytest.raises(TypeError):
        twin_of(model)
