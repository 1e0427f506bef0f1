"""What an answer is read as: Structs that take it leniently, and the schema that asks for it.

An answer in its usual form is read at once. Any other is brought into that form: other names of keys, keys beside them,
a text where an object should be. What still does not fit makes the answer unusable.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import msgspec
from msgspec import Meta, Struct

from row3.domain.calls import found_at
from row3.domain.matches import TypeMatch, TypeState
from row3.domain.structs import Misfit, choices, describe, item_in, keys_of, misfits, struct_in
from row3.kinds.answers import Parsed, Unusable, over_length, read_json
from row3.matching.variant.forms import category_key

MOST_ITEMS = 5_000
"""Items of a list beyond which an answer is not scored; the longest that anybody asks for have hundreds."""
SHOWN = 80
"""Characters of an object's keys in a message."""
ALSO, ENUM, ASKED = "also", "enum", "asked"
"""Keys of `Meta(extra=…)`: other names of a field, its values, and False where a prompt does not ask for it."""
Reader = Callable[[Any, bool], Any]
"""Brings a value into the usual form; with True it leaves unknown keys in it."""


Fields = Mapping[str, Mapping[str, str]]
"""Where answers have the lists of an output, by key: the path of the `list`, and of fields in its entries."""
NO_FIELDS: Fields = {}
LIST = "list"


class Output(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An answer, or a part of one."""

    @classmethod
    def usual(cls, value: Any) -> Any:
        """Return a value in the form that this part usually has."""
        return value


def meta(description: str = "", *also: str, **more: Any) -> Meta:
    """Return what a field of an output says of itself: its description and other names that it is read by."""
    return Meta(description=description or None, extra={ALSO: also, **more})


@cache
def _decoder(model: type[Output]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(model)


def read_text(model: type[Output], text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
    """Return an answer as an output. Most are JSON in the usual form; the others are read by the documented repairs."""
    if too_long := over_length(text):
        return too_long
    if not fields:
        try:
            return _bounded(_decoder(model).decode(text))
        except (ValueError, RecursionError):  # all that msgspec finds wrong is a `ValueError`
            pass
    found = read_json(text)
    return found if isinstance(found, Unusable) else fit(model, found.value, found.repairs, fields)


def fit(
    model: type[Output], value: Any, repairs: tuple[str, ...] = (), fields: Fields = NO_FIELDS
) -> Parsed | Unusable:
    """Return a JSON value as an output, or the first thing in it that does not fit. A bare list is its first field."""
    if own := {key: fields[key] for key in keys_of(model) if key in fields}:
        value = _by_fields(value, own)
        if isinstance(value, Unusable):
            return value
    if isinstance(value, list):
        only = next(iter(keys_of(model)))
        value, repairs = {only: value}, (*repairs, f"bare list taken for the {only}")
    if not isinstance(value, dict):
        return Unusable(f"the answer is {describe(value)}, not an object")
    with contextlib.suppress(ValueError, RecursionError):  # as most are, in the usual form
        return _bounded(msgspec.convert(value, model), repairs)
    read = _object(model)
    try:
        return _bounded(msgspec.convert(read(value, False), model, strict=False), repairs)
    except (ValueError, RecursionError) as error:
        whole = read(value, True)
        wrong = misfits(whole, model, closed=False)
        return Unusable(f"the answer does not fit: {_told(wrong[0], whole)}" if wrong else str(error))


def _bounded(output: Output, repairs: tuple[str, ...] = ()) -> Parsed | Unusable:
    """Return an output; one of more items than anybody asks for is unusable, since scoring it would take minutes."""
    for name in output.__struct_fields__:
        part = getattr(output, name)
        if isinstance(part, list) and len(part) > MOST_ITEMS:
            return Unusable(f"the answer lists {len(part):,} {name}, more than {MOST_ITEMS:,}")
    return Parsed(output, repairs)


def _by_fields(value: Any, fields: Fields) -> Any:
    """Return an answer with what `fields` name put where the kind has it; `Unusable` where the answer lacks it."""
    usual = {**value} if isinstance(value, dict) else {}
    for key, names in fields.items():
        entry = {**names}
        bare = isinstance(value, list) and LIST not in entry
        place = entry.pop(LIST, key)
        found = value if bare else _at(value, place)
        if found is None:
            there = _there(value) or "the answer is empty"
            return Unusable(f"`fields.{key}` of row3.toml looks at `{place}`, and {there}")
        if isinstance(found, list):
            for name, path in entry.items():
                if found and all(_at(item, path) is None for item in found):
                    what = f"`fields.{key}.{name}` of row3.toml looks at `{path}`, which no entry has"
                    return Unusable(f"{what}; {_there(found[0]) or 'the first is empty'}")
            found = [_renamed(item, entry) for item in found]
        usual[key] = found
    return usual


def _renamed(item: Any, names: Mapping[str, str]) -> Any:
    parts = {name: part for name, path in names.items() if (part := _at(item, path)) is not None}
    return item | parts if isinstance(item, dict) else item


def _at(value: Any, path: str) -> Any:
    try:
        return found_at(value, path)
    except KeyError:
        return None


def _there(value: Any) -> str:
    """Return which keys a value has, for a message; empty for none."""
    if not isinstance(value, dict):
        return f"there is {describe(value)}"
    keys = " ".join(", ".join(f"`{key}`" for key in value).split())
    return f"there is {keys if len(keys) <= SHOWN else f'{keys[:SHOWN]}…'}" if keys else ""


@cache
def _object(struct: type[Output]) -> Reader:
    table = [(key, (key, *_extra(field.type, ALSO, ())), _reader(field.type)) for key, field in keys_of(struct).items()]

    def read(value: Any, whole: bool) -> Any:
        value = struct.usual(value)
        if not isinstance(value, dict):
            return value
        usual: dict[str, Any] = {}
        taken = set()
        for key, names, inner in table:
            name = next((name for name in names if name in value), None)
            if name is not None:
                taken.add(name)
                usual[key] = value[name] if inner is None else inner(value[name], whole)
        if whole:
            usual |= {key: part for key, part in value.items() if key not in taken and key not in usual}
        return usual

    return read


def _reader(annotation: Any) -> Reader | None:
    struct, item = struct_in(annotation), item_in(annotation)
    inner = None if item is None else _reader(item)
    if struct is None and inner is None:
        return None
    whole_object = None if struct is None else _object(struct)

    def read(value: Any, whole: bool) -> Any:
        if isinstance(value, list) and inner is not None:
            return [inner(part, whole) for part in value]
        return value if whole_object is None else whole_object(value, whole)

    return read


def _told(misfit: Misfit, value: Any) -> str:
    """Return what is wrong; of a missing key also which keys there are: a model may have written any."""
    if misfit.rule != "missing-field":
        return str(misfit)
    for part in misfit.place[:-1]:
        value = value[part]
    return f"{misfit}; {_there(value) or 'the object is empty'}"


def plain(value: Any, *, without_none: bool = False) -> Any:
    """Return an output as plain values by its keys, without fields that a prompt does not ask for."""
    if isinstance(value, Struct):
        parts = {key: getattr(value, field.name) for key, field in keys_of(type(value)).items() if _asked(field.type)}
        return {k: plain(v, without_none=without_none) for k, v in parts.items() if not (without_none and v is None)}
    return [plain(part, without_none=without_none) for part in value] if isinstance(value, list) else value


def answer_schema(
    model: type[Struct], allowed: Mapping[str, Sequence[str]], *, without: Collection[str] = ()
) -> dict[str, Any]:
    """Return the JSON schema that a prompt asks its answer to fit, derived from the output model.

    Reduced to what every structured-output endpoint accepts (no references, all keys required, nothing beside them),
    and so that no release of a library can move it, since it is part of every request's digest. `allowed` has, by
    field, the values that the suite allows, over what the model says; fields in `without` are not asked for.
    """
    properties: dict[str, Any] = {}
    for key, field in keys_of(model).items():
        if key in without or not _asked(field.type):
            continue
        item = item_in(field.type) if len(choices(field.type)) == 1 else None
        if item is not None and (inner := struct_in(item)) is not None:
            properties[key] = {"type": "array", "items": answer_schema(inner, allowed, without=without)}
            continue
        if item is not None:
            properties[key] = {"type": "array", "items": {"type": "string"}}
        else:
            properties[key] = {"type": "integer" if int in choices(field.type) else "string"}
        if description := next((one.description for one in _metas(field.type) if one.description), ""):
            properties[key]["description"] = description
        if values := allowed.get(field.name, _extra(field.type, ENUM, ())):
            properties[key]["enum"] = list(values)
    return closed_object(properties)


def closed_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with these properties, all of them and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _metas(annotation: Any) -> list[Meta]:
    return [one for one in getattr(annotation, "__metadata__", ()) if isinstance(one, Meta)]


def _extra(annotation: Any, key: str, otherwise: Any) -> Any:
    return next((one.extra[key] for one in _metas(annotation) if one.extra and key in one.extra), otherwise)


def _asked(annotation: Any) -> bool:
    return bool(_extra(annotation, ASKED, True))


MOST_GIVEN = 80


def type_of(value: Any) -> str:
    """Return the type in any of the accepted forms: a text, an object with a name, a list of these; empty for none."""
    if isinstance(value, str):
        text = value if value.isascii() else value.encode("utf-8", "replace").decode()
        return " ".join(text.split())[:MOST_GIVEN]
    if isinstance(value, dict):
        value = [value.get(key) for key in ("name", "type", "label")]
    if isinstance(value, list):
        return next((text for one in value if isinstance(one, str) and (text := type_of(one))), "")
    return ""


@lru_cache(maxsize=4096)
def compare_types(given: str, expected: str) -> TypeMatch:
    """Return how a given type compares: as it is written, or as one of the ways to write it; see `category_key`."""
    expected = " ".join(expected.split())
    state: TypeState = "wrong"
    if not given:
        state = "missing"
    elif given == expected:
        state = "exact"
    elif (key := category_key(given)) and key == category_key(expected):
        state = "normalised"
    return TypeMatch(given, expected, state)
