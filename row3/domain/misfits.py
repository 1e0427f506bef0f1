"""The message for each wrong field of a value that does not fit its model.

pydantic finds every wrong field at once; its error types are put into row3's words here, with a suggestion for a
misspelt key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time
from functools import cache
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from row3.domain.models import choices, keys_of, models_in
from row3.domain.words import count, nearest

Rule = Literal["unknown-field", "missing-field", "invalid-field"]
Place = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)

SHOWN = 40
"""Longest value, in characters, that a message quotes."""
TYPES = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "an array",
    "tuple_type": "an array",
    "dict_type": "an object",
    "mapping_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "dataclass_exact_type": "an object",
    "none_required": "null",
    "invalid_key": "a string",
}
"""What a field should be, by pydantic's type of error."""
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
BOUNDS = {"greater_than": ">", "greater_than_equal": ">=", "less_than": "<", "less_than_equal": "<="}
LIMITS = {"min_length": "at least", "max_length": "at most"}
PLAIN = {
    "string_unicode": "contains a lone surrogate (`\\ud800` to `\\udfff`), which is not a character",
    "recursion_loop": "is nested too deeply",
}


class Misfit(NamedTuple):
    """A field that does not fit."""

    place: Place
    """Keys and positions, outermost first; empty for the whole value."""
    rule: Rule
    problem: str

    def __str__(self) -> str:
        if not self.place:
            return self.problem
        colon = ":" if self.rule == "invalid-field" else ""
        return f"field `{'.'.join(map(str, self.place))}`{colon} {self.problem}"


class MisfitsError(ValueError):
    """A value that does not fit its model."""

    def __init__(self, found: Sequence[Misfit]) -> None:
        super().__init__("; ".join(map(str, found)))
        self.found = found

    def summary(self, most: int = 5) -> str:
        """Return the first misfits in one line, and the number of further ones."""
        more = [f"and {len(self.found) - most} more"] if len(self.found) > most else []
        return "; ".join([*map(str, self.found[:most]), *more])


def convert(value: Any, model: type[M]) -> M:
    """Return a plain value as a model; raises `MisfitsError`, which names every wrong field."""
    try:
        return model.model_validate(value, by_alias=True, by_name=False)
    except ValidationError as error:
        raise MisfitsError(misfits(error, value, model)) from None
    except (RecursionError, UnicodeEncodeError) as error:
        raise MisfitsError([Misfit((), "invalid-field", str(error))]) from None


def describe(value: Any) -> str:
    """Return the name of a JSON value's type."""
    names = {
        dict: "an object",
        list: "an array" if value else "an empty array",
        str: "a string",
        bool: "a boolean",
        NoneType: "null",
    }
    return names.get(type(value), "a number")


def shown(value: Any) -> str:
    """Return a JSON value quoted for a message, or its type if it is long."""
    if value is None or isinstance(value, dict | list) or len(str(value)) > SHOWN:
        return describe(value)
    if isinstance(value, date | time):
        return f"a date or time, {value}"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


@cache
def _types_of(kind: Any) -> dict[str, Any]:
    """Return the types of a model's or dataclass's fields by their key in files; none for any other type."""
    if is_dataclass(kind):
        types = get_type_hints(kind, include_extras=True)
        return {each.name: types[each.name] for each in fields(kind)}
    return {key: field.annotation for one in models_in(kind) for key, field in keys_of(one).items()}


def misfits(error: ValidationError, value: Any, model: Any) -> list[Misfit]:
    """Return every wrong field of a value, in the value's order, missing ones last."""
    found: dict[Place, list[ErrorDetails]] = {}
    types: dict[Place, Any] = {}
    for each in error.errors(include_url=False):
        place, types[place] = _walk(each, model)
        found.setdefault(place, []).append(each)
    # Where one type of a union fits better, only what is wrong inside it is told.
    deepest = [place for place in found if not any(other[: len(place)] == place for other in found if other != place)]
    ordered = sorted(deepest, key=lambda one: _order(one, value))
    return [_misfit(place, found[place], types[place]) for place in ordered]


def first_misfit(error: Exception, value: Any, model: Any) -> Misfit:
    """Return the first wrong field that an error names, or the error's own message."""
    if isinstance(error, ValidationError):
        return misfits(error, value, model)[0]
    return Misfit((), "invalid-field", str(error))


def _walk(error: ErrorDetails, model: Any) -> tuple[Place, Any]:
    """Return an error's place in the value, and its type; for an unknown key the type that lacks it.

    pydantic names the member of a union too, by its tag, the model's name or the type.
    """
    place: list[str | int] = []
    at: Any = model
    location = [part for part in error["loc"] if part != "[key]"]
    while location:
        if len(members := choices(at)) > 1:
            label = str(location.pop(0))
            at = _member(members, label) if location else at
            if not location:
                break
            continue
        part = location.pop(0)
        place.append(part)
        if not location and error["type"] in UNKNOWN:
            break
        at = _inside(members[0], part)
    if error["type"].startswith("union_tag"):
        place.append("type")
    return tuple(place), at


def _member(members: Sequence[Any], label: str) -> Any:
    """Return the member of a union that pydantic calls so."""
    for one in members:
        tag = one.model_fields.get("type") if isinstance(one, type) and issubclass(one, BaseModel) else None
        if label in (getattr(one, "__name__", ""), *(get_args(tag.annotation) if tag is not None else ())):
            return one
    return next((one for one in members if label.startswith(getattr(get_origin(one), "__name__", "?"))), members[0])


def _inside(annotation: Any, part: str | int) -> Any:
    if known := _types_of(annotation):
        return known.get(str(part), Any)
    inner = get_args(annotation)
    return inner[-1] if inner and get_origin(annotation) is not Literal else Any


def _order(place: Place, value: Any) -> list[int]:
    """Return the positions along a place, by which misfits are sorted."""
    found = []
    for part in place:
        if isinstance(value, Mapping):
            found.append(next((at for at, key in enumerate(value) if key == part), len(value)))
            value = value.get(part)
        else:
            found.append(part if isinstance(part, int) else 0)
            value = value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None
    return found


def _misfit(place: Place, errors: list[ErrorDetails], annotation: Any) -> Misfit:
    first, *_ = errors = [each for each in errors if each["loc"][-1:] == ("[key]",)] or errors
    kind, wrong = first["type"], first["input"]
    if kind in ("missing", "union_tag_not_found"):
        return Misfit(place, "missing-field", "is missing")
    if kind in UNKNOWN:
        types = {key: inner for one in choices(annotation) for key, inner in _types_of(one).items()}
        known = sorted(types)
        inside = [f"{key}.*.{one}" for key in known for one in _types_of(_inside(choices(types[key])[0], ""))]
        near = nearest(str(place[-1]), [*known, *inside])
        hint = f"did you mean `{near}`?" if near else f"known fields: {', '.join(known)}"
        return Misfit(place, "unknown-field", f"is unknown; {hint}")
    if stated := next((each["ctx"]["error"] for each in errors if each["type"] == "value_error"), None):
        return Misfit(place, "invalid-field", str(stated))
    if isinstance(wrong, str) and re.search("[\ud800-\udfff]", wrong):
        kind = "string_unicode"
    if kind in PLAIN:
        return Misfit(place, "invalid-field", PLAIN[kind])
    if isinstance(wrong, str) and not wrong.strip() and any(each["type"] == "worded" for each in errors):
        return Misfit(place, "invalid-field", "the text is empty")
    if kind.startswith("union_tag"):
        wrong = wrong.get("type") if isinstance(wrong, Mapping) else wrong
    if key := next((key for key in LIMITS if key in first.get("ctx", {})), ""):
        noun = "character" if isinstance(wrong, str) else "key" if isinstance(wrong, Mapping) else "item"
        allowed = count(first["ctx"][key], noun)
        return Misfit(place, "invalid-field", f"should have {LIMITS[key]} {allowed}, not {len(wrong)}")
    wanted = list(dict.fromkeys(text for each in errors for text in _wanted(each, annotation)))
    if NoneType in get_args(annotation) and wanted and wanted[0] in TYPES.values():
        wanted.append("null")
    problem = f"should be {' or '.join(wanted)}, not {shown(wrong)}" if wanted else first["msg"]
    return Misfit(place, "invalid-field", problem)


def _wanted(error: ErrorDetails, annotation: Any) -> Iterator[str]:
    kind, context = error["type"], error.get("ctx", {})
    number = "a whole number" if int in choices(annotation) else "a number"
    if kind == "worded":
        yield context["must"]
    elif kind in TYPES:
        yield number if kind in ("int_type", "float_type") else TYPES[kind]
    elif kind in ("literal_error", "union_tag_invalid"):
        names = re.findall(r"'((?:[^'\\]|\\.)*)'|(\w+)", context.get("expected") or context["expected_tags"])
        yield f"one of {', '.join(quoted or bare for quoted, bare in names if bare != 'or')}"
    elif kind in BOUNDS:
        yield f"{number} {BOUNDS[kind]} {next(iter(context.values()))}"
    elif kind.startswith("date"):
        yield "a date like 2026-12-01"
