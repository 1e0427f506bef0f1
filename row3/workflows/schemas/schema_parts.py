"""The parts that the JSON Schemas of several files share."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from pydantic import BaseModel

FRACTION: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
FRACTIONS: dict[str, Any] = {"type": "object", "additionalProperties": FRACTION}
DELTAS: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "number", "minimum": -1, "maximum": 1}}
TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
TEXT_BY_NAME: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}
ZONES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"enum": ["fail", "marginal", "pass", "excellent"]},
}
DIGEST: dict[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
DAY: dict[str, Any] = {"format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
COUNTS: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
COUNT: dict[str, Any] = {"type": ["integer", "null"], "minimum": 0}


def of_model(model: type[BaseModel], description: str) -> dict[str, Any]:
    """The schema of a pydantic model, described in our words."""
    value = model.model_json_schema(by_alias=True)
    return {
        "description": description,
        **{key: part for key, part in value.items() if key not in ("title", "description")},
    }


def of_struct(model: type[Struct]) -> dict[str, Any]:
    """Return the schema of a Struct; its docstring describes it."""
    value = msgspec.json.schema(model, ref_template="#/$defs/{name}")
    parts = value["$defs"]
    own: dict[str, Any] = parts.pop(model.__name__)
    return own | ({"$defs": parts} if parts else {})


def an_object(
    description: str, properties: dict[str, Any], required: list[str], *, closed: bool = True
) -> dict[str, Any]:
    """An object of these properties; a closed one has no others."""
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": not closed,
    }
