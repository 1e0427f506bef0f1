"""A check's pattern, schema or path, which can itself be invalid; each is compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import jsonpath
    import jsonschema_rs


@lru_cache(maxsize=512)
def pattern_of(pattern: str, case: bool) -> Any:
    """Return a regular expression. Raises `regex.error`."""
    import regex

    return regex.compile(pattern, 0 if case else regex.IGNORECASE)


def pattern_problem(pattern: str, case: bool = False) -> str:
    """Return why a regular expression cannot be used; empty for one that can."""
    import regex

    try:
        pattern_of(pattern, case)
    except regex.error as error:
        return str(error)
    return ""


def validator_of(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    """Return a validator for a JSON schema. Raises jsonschema_rs's errors for an invalid one."""
    return _validator(msgspec.json.encode(schema).decode())


@lru_cache(maxsize=256)
def _validator(schema: str) -> jsonschema_rs.Validator:
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"the schema refers to {uri}, and references outside it are not followed")

    return jsonschema_rs.validator_for(msgspec.json.decode(schema), retriever=refuse)


def schema_problem(schema: Mapping[str, Any]) -> str:
    """Return why a JSON schema cannot be used; empty for one that can."""
    try:
        validator_of(schema)
    except Exception as error:
        return str(error).splitlines()[0]
    return ""


@lru_cache(maxsize=512)
def path_of(path: str) -> jsonpath.CompoundJSONPath | jsonpath.JSONPath:
    """Return a JSON path; `$.` may be left out. Raises `jsonpath.JSONPathError`."""
    import jsonpath

    return jsonpath.compile(path if path.startswith("$") else f"$.{path}")


def path_problem(path: str) -> str:
    """Return why a JSON path cannot be used; empty for one that can."""
    import jsonpath

    try:
        path_of(path)
    except jsonpath.JSONPathError as error:
        return str(error).splitlines()[0]
    return ""
