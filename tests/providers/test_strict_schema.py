"""Which schemas are sent as strict: every schema of row3's own, and of a user's what OpenAI's subset allows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from row3.kinds import all_kinds
from row3.kinds.base import Rules
from row3.providers.strict_schema import is_strict

TEXT = {"type": "string"}


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


@pytest.mark.parametrize("name", all_kinds())
def test_the_schemas_of_the_kinds_are_strict(name: str) -> None:
    kind = all_kinds()[name]
    made = [kind.schema(output, Rules()) for output in kind.outputs]
    assert all(is_strict(schema) for schema in made if schema)


STRICT = {
    "texts": closed(a=TEXT, b=TEXT | {"description": "What it is.", "enum": ["x"]}),
    "null": closed(a={"type": ["string", "null"]}, b={"anyOf": [TEXT, {"type": "null"}]}),
    "list": closed(a={"type": "array", "items": closed(b=TEXT), "minItems": 1}),
    "defined": closed(a={"$ref": "#/$defs/Part"}) | {"$defs": {"Part": closed(b={"type": "integer", "minimum": 0})}},
    "named like keywords": closed(type=TEXT, oneOf=TEXT),
    "date": closed(a=TEXT | {"format": "date-time"}),
}
OPEN = {
    "a key more": {**closed(a=TEXT), "additionalProperties": True},
    "unsaid": {key: value for key, value in closed(a=TEXT).items() if key != "additionalProperties"},
    "optional": {**closed(a=TEXT), "required": []},
    "inner": closed(a={"type": "object", "properties": {"b": TEXT}}),
    "in a list": closed(a={"type": "array", "items": {"type": ["object", "null"]}}),
    "in a definition": closed(a=TEXT) | {"$defs": {"Part": {"type": "object"}}},
    "anything": closed(a={}),
    "any item": closed(a={"type": "array", "items": True}),
    "untyped list": closed(a={"type": "array"}),
    "default": closed(a=TEXT | {"default": "x"}),
    "oneOf": closed(a={"oneOf": [TEXT]}),
    "beside a reference": closed(a={"$ref": "#/$defs/Part", "description": "x"}),
    "url": closed(a=TEXT | {"format": "uri"}),
    "list at the top": {"type": "array", "items": closed(a=TEXT)},
    "choice at the top": {"anyOf": [closed(a=TEXT)]},
}


@pytest.mark.parametrize("name", STRICT)
def test_a_closed_schema_is_strict(name: str) -> None:
    assert is_strict(STRICT[name]), json.dumps(STRICT[name])


@pytest.mark.parametrize("name", OPEN)
def test_any_other_is_not(name: str) -> None:
    assert not is_strict(OPEN[name]), json.dumps(OPEN[name])
