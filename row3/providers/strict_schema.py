"""The JSON schemas that OpenAI accepts as strict, so that a model can give no answer that does not fit.

Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS = frozenset({"type", "enum", "const", "anyOf", "$ref"})
"""Keywords of which each part has one."""
NOTES = frozenset({"title", "description", "$schema", "$id", "$comment"})
KEYWORDS = KINDS | NOTES | frozenset({
    "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "pattern", "format",
    "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "$defs", "definitions",
})  # fmt: skip
FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether a valid JSON schema may be sent as strict: an object, in which each object is closed."""
    return schema.get("type") == "object" and _is_strict(schema)


def _is_strict(schema: Any) -> bool:
    if not isinstance(schema, Mapping) or not schema.keys() <= KEYWORDS or not schema.keys() & KINDS:
        return False
    if "$ref" in schema:  # OpenAI refuses any other key beside it
        return len(schema) == 1
    types, own = schema.get("type"), schema.get("properties", {})
    types = types if isinstance(types, list) else [types]
    if "array" in types and "items" not in schema:
        return False
    closed = schema.get("additionalProperties") is False and {*schema.get("required", ())} == own.keys()
    if ("object" in types or own) and not closed:
        return False
    if schema.get("format", "date") not in FORMATS:
        return False
    items = [schema["items"]] if "items" in schema else []
    named = (schema.get("$defs", {}), schema.get("definitions", {}), own)
    return all(map(_is_strict, [*items, *schema.get("anyOf", ()), *(part for each in named for part in each.values())]))
