"""Kind `extraction`: reading an answer leniently, with a word on every repair."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError

from row3.kinds.answers import as_model, over_length, read_json
from row3.kinds.base import Parsed, Unusable
from row3.kinds.extraction_structs import usual_answer
from row3.kinds.misfits import describe


def read_answer(model: type[BaseModel], text: str) -> Parsed | Unusable:
    """Read an answer; the quick way first, since most answers are clean JSON of the usual form."""
    if too_long := over_length(text):
        return too_long
    usual = usual_answer(model, text)
    return read_closely(model, text) if usual is None else Parsed(usual)


def read_closely(model: type[BaseModel], text: str) -> Parsed | Unusable:
    """Read an answer of any form, as the model; where it is no clean JSON, by the documented repairs."""
    if "NaN" not in text and "Infinity" not in text:  # which pydantic's parser lets pass in keys it ignores
        with suppress(ValidationError):
            read = model.model_validate_json(text)
            missing = model.model_fields.keys() - read.model_fields_set
            return Parsed(read, _misnamed(missing, json.loads(text)) if missing else ())
    found = read_json(text)
    if isinstance(found, Unusable):
        return found
    return fit(model, found.value, found.repairs)


def fit(model: type[BaseModel], value: Any, repairs: tuple[str, ...]) -> Parsed | Unusable:
    """Validate a JSON value, after harmless differences of shape have been taken out."""
    if isinstance(value, list) and "concepts" in model.model_fields:
        value, repairs = {"concepts": value}, (*repairs, "bare list taken for the concepts")
    elif isinstance(value, list) and "relationships" in model.model_fields:
        value, repairs = {"relationships": value}, (*repairs, "bare list taken for the relationships")
    if not isinstance(value, dict):
        return Unusable(f"the answer is {describe(value)}, not an object")
    concepts = value.get("concepts")
    if isinstance(concepts, list) and any(isinstance(item, str) for item in concepts):
        value = value | {"concepts": [{"label": item} if isinstance(item, str) else item for item in concepts]}
        repairs = (*repairs, "plain strings taken for concept labels")
    if value.get("relationships", ()) is None:
        value = {key: item for key, item in value.items() if key != "relationships"}
    return as_model(model, value, (*repairs, *_misnamed(model.model_fields.keys() - value.keys(), value)))


def _misnamed(missing: Collection[str], value: dict[str, Any]) -> tuple[str, ...]:
    """A word on every field that is missing where a key that is no field looks like it: nothing is taken for it."""
    return tuple(
        f"`{key}` is no field and was left out; `{field}` is missing"
        for field in sorted(missing)
        for key in value
        if key.casefold().strip("_ ").rstrip("s") == field.rstrip("s")
    )
