"""Output models, which parse answers leniently, and the JSON schema that a prompt asks for.

An answer in the usual form is decoded at once. Any other is first brought into that form: other names of keys, extra
keys, a text in place of an object, a number in place of a text. An item of a list that still does not fit becomes one
that nothing matches; if the rest does not fit, the answer is unusable.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Self

from pydantic import ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic_core import from_json

from row3.domain.calls import found_at
from row3.domain.matches import TypeMatch, TypeState
from row3.domain.misfits import Place, describe, first_misfit
from row3.domain.models import Model, choices, item_in, keys_of, models_in
from row3.domain.words import count
from row3.kinds.answers import MAX_ANSWER, Parsed, Unusable, plain_text, read_json
from row3.matching.variant.forms import category_key

MOST_ITEMS = 5_000
"""Maximum items of a list in an answer that is scored; prompts ask for hundreds at most."""
SHOWN = 80
"""Maximum characters of an object's keys in a message."""
ALSO, ENUM, ASKED = "also", "enum", "asked"
"""Keys of a field's `json_schema_extra`: other names of a field, its values, and whether prompts ask for it."""

Fields = Mapping[str, Mapping[str, str]]
"""Paths in an answer, by key of the output: of the `list`, and of the fields in its entries."""
NO_FIELDS: Fields = {}
LIST = "list"
UNREADABLE = "—"
"""Required text of an item that cannot be read. Reports show it; matchers never match a name without a letter."""


class Output(Model):
    """An answer, or part of one; what a prompt asks for is described in each field, not in its docstring."""

    model_config = ConfigDict(allow_inf_nan=True)

    @classmethod
    def empty(cls) -> Self:
        """Return an answer whose first list is empty."""
        return cls(**{next(iter(cls.model_fields)): []})

    @classmethod
    def read(cls, text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Parse a model's answer, with the documented repairs."""
        return read_text(cls, text, fields)

    @classmethod
    def unknown(cls, text: str) -> Any:
        """Return an answer that stands for one that is not known yet, of which a judge grades all that it ever does."""
        read = cls.read(text)
        assert isinstance(read, Parsed)
        return read.value

    def plain(self) -> dict[str, Any]:
        """Return the answer as JSON, with every field."""
        return self.model_dump(mode="json")

    def answer_json(self) -> Any:
        """Return the answer as plain values, without empty fields and those that prompts do not ask for."""
        return answer_values(self, without_none=True)

    def context(self, name: str) -> dict[str, Any]:
        """Return the variables that the answer, the output of this name, gives the templates of later prompts."""
        return {name: answer_values(self)[name]}

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Return a value in this part's usual form."""
        return value


def meta(description: str = "", *also: str, **more: Any) -> Any:
    """Return the metadata of an output's field: its description, other accepted names and further values."""
    return Field(description=description or None, json_schema_extra={ALSO: also, **more})


def read_text(model: type[Output], text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
    """Parse an answer, by the documented repairs unless it is JSON in the usual form."""
    if not fields and len(text) <= MAX_ANSWER:
        try:
            return _bounded(_valid(model, from_json(text.encode(), allow_inf_nan=False)))
        except (ValueError, RecursionError):  # pydantic's errors are `ValueError`s
            pass
    found = read_json(text)
    return found if isinstance(found, Unusable) else fit(model, found.value, found.repairs, fields)


def fit(
    model: type[Output], value: Any, repairs: tuple[str, ...] = (), fields: Fields = NO_FIELDS
) -> Parsed | Unusable:
    """Return a JSON value as an output, or the first misfit in it. A bare list is taken for the first field."""
    if own := {key: fields[key] for key in keys_of(model) if key in fields}:
        value = _by_fields(value, own)
        if isinstance(value, Unusable):
            return value
    if isinstance(value, list):
        only = next(iter(keys_of(model)))
        value, repairs = {only: value}, (*repairs, f"bare list taken for the {only}")
    if not isinstance(value, dict):
        return Unusable(f"the answer is {describe(value)}, not an object")
    with contextlib.suppress(ValueError, RecursionError):  # most are in the usual form
        return _bounded(_valid(model, value), repairs)
    wrong: list[str] = []
    usual = _usual(model, value, wrong)
    notes = (*repairs, f"{count(len(wrong), 'item')} cannot be read: {wrong[0]}") if wrong else repairs
    try:
        return _bounded(_valid(model, usual), notes)
    except (ValueError, RecursionError) as error:
        return Unusable(f"the answer does not fit: {_misfit_text(value | usual, model, error)}")


def _valid(model: type[Output], value: Any) -> Output:
    return model.model_validate(value, by_alias=True, by_name=False)


def _bounded(output: Output, repairs: tuple[str, ...] = ()) -> Parsed | Unusable:
    """Return an output, or `Unusable` if scoring its many items would take minutes."""
    for name in type(output).model_fields:
        part = getattr(output, name)
        if isinstance(part, list) and len(part) > MOST_ITEMS:
            return Unusable(f"the answer lists {len(part):,} {name}, more than {MOST_ITEMS:,}")
    return Parsed(output, repairs)


def _by_fields(value: Any, fields: Fields) -> Any:
    """Return an answer with the values at the given paths moved to the kind's keys; `Unusable` if one is missing."""
    usual = {**value} if isinstance(value, dict) else {}
    for key, names in fields.items():
        entry = {**names}
        bare = isinstance(value, list) and LIST not in entry
        place = entry.pop(LIST, key)
        found = value if bare else _at(value, place)
        if found is None:
            what = f"`fields.{key}` in row3.toml points to `{place}`, which the answer lacks"
            return Unusable(f"{what}; {_found_keys(value) or 'it is empty'}")
        if isinstance(found, list):
            for name, path in entry.items():
                if found and all(_at(item, path) is None for item in found):
                    what = f"`fields.{key}.{name}` in row3.toml points to `{path}`, which no entry has"
                    return Unusable(f"{what}; {_found_keys(found[0]) or 'the first is empty'}")
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


def _found_keys(value: Any) -> str:
    """Return which keys a value has, for a message; empty for an empty object."""
    if not isinstance(value, dict):
        return f"found {describe(value)}"
    keys = " ".join(", ".join(f"`{key}`" for key in value).split())
    return f"found {keys if len(keys) <= SHOWN else f'{keys[:SHOWN]}…'}" if keys else ""


@cache
def _parts(model: type[Output]) -> list[tuple[str, tuple[str, ...], Any, Any, bool, bool]]:
    """Return each key with all names for it, the models of its value and of a list's items, and if it is a text.

    Last comes whether it is a number.
    """
    return [
        (
            key,
            (key, *_extra(field, ALSO, ())),
            _model_in(of),
            _model_in(item_in(of)),
            str in choices(of),
            bool({int, float} & {*choices(of)}),
        )
        for key, field, of in ((key, field, field.annotation) for key, field in keys_of(model).items())
    ]


def _usual(model: type[Output], value: Any, wrong: list[str]) -> Any:
    """Return a value in the usual form, without unknown keys; adds why items cannot be read to `wrong`."""
    value = model.reshape(as_text(value))
    if not isinstance(value, dict):
        return value
    usual: dict[str, Any] = {}
    for key, names, inner, item, text, number in _parts(model):
        name = next((name for name in names if name in value), None)
        if name is None:
            continue
        part = as_text(value[name]) if text else as_number(value[name]) if number else value[name]
        if isinstance(part, list) and item is not None:
            several = enumerate(map(as_text, part))
            part = [e if text and isinstance(e, str) else _item(item, e, (key, at), wrong) for at, e in several]
        elif inner is not None:
            part = _usual(inner, part, wrong)
        usual[key] = part
    return usual


def _item(model: type[Output], value: Any, place: Place, wrong: list[str]) -> Any:
    """Return an item of a list in the usual form; one that cannot be read as an item that nothing matches."""
    usual = _usual(model, value, [])
    try:
        _valid(model, usual)
    except (ValueError, RecursionError) as error:
        kept = value | usual if isinstance(value, dict) and isinstance(usual, dict) else usual
        wrong.append(_misfit_text(kept, model, error, place))
        required = [key for key, field in keys_of(model).items() if field.is_required()] or [*keys_of(model)][:1]
        texts = {key: usual[key] for key in required if isinstance(usual, dict) and isinstance(usual.get(key), str)}
        return dict.fromkeys(required, UNREADABLE) | (texts if len(texts) < len(required) else {})
    return usual


def as_text(value: Any) -> Any:
    """Return a number as its text, and any other value as it is."""
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def as_number(value: Any) -> Any:
    """Return a text that is a JSON number or null as its value, a whole number as `int`, and any other as it is."""
    found = value
    if isinstance(value, str):
        with contextlib.suppress(ValueError, TypeError):
            found = from_json(value)
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if found is None or type(found) in (int, float) else value


def _misfit_text(value: Any, model: type[Output], error: Exception, place: Place = ()) -> str:
    """Return the first misfit in a value; for a missing key also which keys the model wrote instead."""
    first = first_misfit(error, value, model)
    text = str(first._replace(place=(*place, *first.place)))
    return f"{text}; {_found_keys(value) or 'the object is empty'}" if first.rule == "missing-field" else text


def answer_values(value: Any, *, without_none: bool = False) -> Any:
    """Return an output as plain values, without the fields that prompts do not ask for."""
    if isinstance(value, Output):
        fields = type(value).model_fields.items()
        parts = {str(of.alias or name): getattr(value, name) for name, of in fields if _extra(of, ASKED, True)}
        return {
            k: answer_values(v, without_none=without_none) for k, v in parts.items() if not (without_none and v is None)
        }
    return [answer_values(part, without_none=without_none) for part in value] if isinstance(value, list) else value


def answer_schema(
    model: type[Output], allowed: Mapping[str, Sequence[str]], *, without: Collection[str] = ()
) -> dict[str, Any]:
    """Return the JSON schema of a prompt's answer, derived from the output model.

    It uses only what every structured-output endpoint accepts (no references, all keys required, no others). As part of
    every request's digest, it must not depend on a library's release. `allowed` has the suite's values by field, in
    place of the model's; fields in `without` are left out.
    """
    properties: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        key, of = str(field.alias or name), field.annotation
        if key in without or not _extra(field, ASKED, True):
            continue
        item = item_in(of) if len(choices(of)) == 1 else None
        if item is not None:
            inner = _model_in(item)
            items = {"type": "string"} if inner is None else answer_schema(inner, allowed, without=without)
            properties[key] = {"type": "array", "items": items}
        else:
            properties[key] = {"type": "integer" if int in choices(of) else "string"}
        if field.description:
            properties[key]["description"] = field.description
        if values := allowed.get(name, _extra(field, ENUM, ())):
            properties[key]["enum"] = list(values)
    return closed_object(properties)


def closed_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _extra(field: FieldInfo, key: str, otherwise: Any) -> Any:
    given = field.json_schema_extra
    return given.get(key, otherwise) if isinstance(given, dict) else otherwise


def _model_in(annotation: Any) -> type[Output] | None:
    return next((one for one in models_in(annotation) if issubclass(one, Output)), None)


MOST_GIVEN = 80
"""Maximum characters of a type given in an answer."""


def type_of(value: Any) -> str:
    """Return a type given as text, as an object with a name, or as a list of either; empty for none."""
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
    """Return how a given type compares to the expected one, exactly or by `category_key`."""
    expected = " ".join(expected.split())
    state: TypeState = "wrong"
    if not given:
        state = "missing"
    elif given == expected:
        state = "exact"
    elif (key := category_key(given)) and key == category_key(expected):
        state = "normalised"
    return TypeMatch(given, expected, state)


class Found(Output):
    """What a system found for a question, which a prompt then answers or ranks."""

    value: Any

    @classmethod
    def read(cls, text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Take JSON, or else the text without reasoning."""
        plain = plain_text(text)
        if isinstance(plain, Unusable):
            return plain
        found = read_json(text)
        return Parsed(cls(value=plain.value if isinstance(found, Unusable) else found.value))

    def context(self, name: str) -> dict[str, Any]:
        """Return what was found."""
        return {"found": self.value}
