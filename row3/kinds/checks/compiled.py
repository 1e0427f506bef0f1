"""A check's pattern, JSON schema and JSON path, each compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json, to_json

if TYPE_CHECKING:
    import jsonpath
    import jsonschema_rs


def compile_error(compile_: Callable[..., object], *arguments: object) -> str:
    """Return why one of the functions below fails, in one line; empty if it does not."""
    try:
        compile_(*arguments)
    except Exception as error:
        place = ".".join(map(str, getattr(error, "instance_path", ())))
        return f"{place}: {error}".removeprefix(": ").partition("\n")[0] or repr(error)
    return ""


@lru_cache(maxsize=512)
def pattern_of(pattern: str, case: bool) -> Any:
    """Return a compiled regular expression. Raises `regex.error`."""
    import regex

    return regex.compile(pattern, 0 if case else regex.IGNORECASE)


def validator_of(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    """Return a validator for a JSON schema. Raises jsonschema_rs's errors for an invalid one."""
    return _validator(to_json(schema).decode())


def schema_misfit(schema: Mapping[str, Any], value: Any) -> str:
    """Return the first place where a value does not fit a schema and why, `items.0.price: …`; empty if it fits."""
    try:
        error = next(iter(validator_of(schema).iter_errors(value)), None)
    except ValueError as problem:  # nested too deeply, or text that is not Unicode
        return str(problem)
    if error is None:
        return ""
    place = ".".join(map(str, error.instance_path))
    return f"{place}: {error.message}" if place else error.message


@lru_cache(maxsize=256)
def _validator(schema: str) -> jsonschema_rs.Validator:
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"the schema refers to {uri}, and external references are not followed")

    return jsonschema_rs.validator_for(from_json(schema), retriever=refuse)


@lru_cache(maxsize=512)
def path_of(path: str) -> jsonpath.CompoundJSONPath | jsonpath.JSONPath:
    """Return a compiled JSON path; `$.` may be omitted. Raises `jsonpath.JSONPathError`."""
    import jsonpath

    return jsonpath.compile(path if path.startswith("$") else f"$.{path}")
