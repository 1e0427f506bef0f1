"""Conversion of plain values to Structs, with a message for every wrong field.

msgspec stops at the first wrong field. A file's author needs to see all of them, with suggestions for misspelt keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from row3.domain.counts import nearest

Rule = Literal["unknown-field", "missing-field", "invalid-field"]
Place = tuple[str | int, ...]
Model = TypeVar("Model", bound=msgspec.Struct)

SHOWN = 40
"""Longest value, in characters, that a message quotes."""
MUST = "must"
"""Key of `Meta(extra=…)` for a description of valid values, used in messages instead of a pattern."""
EXPECTED = re.compile(r"Expected `([^`]+)`((?: of length)? [<>]=? [\d.-]+)?")
"""The expected type in msgspec's messages."""
WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "date": "a date like 2026-12-01",
    "null": "null",
}


def worded(pattern: str, must: str) -> msgspec.Meta:
    """Return a rule for texts that match a whole pattern; messages say that they should be `must`."""
    return msgspec.Meta(pattern=f"^{pattern}$(?!\\n)", extra={MUST: must})


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
    """A value that does not fit its Struct."""

    def __init__(self, found: Sequence[Misfit]) -> None:
        super().__init__("; ".join(map(str, found)))
        self.found = found

    def summary(self, most: int = 5) -> str:
        """Return the first misfits in one line, and the number of further ones."""
        more = [f"and {len(self.found) - most} more"] if len(self.found) > most else []
        return "; ".join([*map(str, self.found[:most]), *more])


def convert(value: Any, model: type[Model]) -> Model:
    """Return a plain value as a Struct; raises `MisfitsError`, which names every wrong field."""
    try:
        return msgspec.convert(value, model)
    except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
        raise MisfitsError(misfits(value, model) or [Misfit((), "invalid-field", str(error))]) from None


def misfits(value: Any, model: Any, *, closed: bool = True) -> list[Misfit]:
    """Return the fields that do not fit a Struct, in the value's order; with `closed`, unknown keys too."""
    return list(_misfits(value, model, (), closed=closed))


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
def keys_of(model: type[msgspec.Struct]) -> dict[str, FieldInfo]:
    """Return a Struct's fields by their key in files."""
    return {field.encode_name: field for field in fields(model)}


def choices(annotation: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the type itself, without annotations and None."""
    if get_origin(annotation) is Annotated:
        return choices(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(inner for part in get_args(annotation) if part is not NoneType for inner in choices(part))
    return (annotation,)


def structs_in(annotation: Any) -> list[type[msgspec.Struct]]:
    """Return the Structs of a union, or the Struct itself."""
    return [one for one in choices(annotation) if isinstance(one, type) and issubclass(one, msgspec.Struct)]


def struct_in(annotation: Any, value: Any = None) -> type[msgspec.Struct] | None:
    """Return the Struct that an object of this type is read as; its `type` selects one of several."""
    found = structs_in(annotation)
    if len(found) > 1 and isinstance(value, dict):
        return next((one for one in found if one.__struct_config__.tag == value.get("type")), None)
    return next(iter(found), None)


def item_in(annotation: Any) -> Any:
    """Return the item type of an array type; None for any other type."""
    return next((get_args(one)[0] for one in choices(annotation) if get_origin(one) is list), None)


def _misfits(value: Any, annotation: Any, place: Place, *, closed: bool) -> Iterator[Misfit]:
    struct, item = struct_in(annotation, value), item_in(annotation)
    inner: list[Misfit] = []
    if isinstance(value, dict) and struct is not None:
        inner = list(_of_object(value, struct, place, closed=closed))
    elif isinstance(value, dict) and (
        held := [each for each in choices(annotation) if get_origin(each) in (dict, Mapping)]
    ):
        of_keys, of_values = get_args(held[0])
        for key, part in value.items():
            inner += [*_misfits(key, of_keys, (*place, key), closed=closed)]
            inner += [*_misfits(part, of_values, (*place, key), closed=closed)]
    elif isinstance(value, dict) and len(structs := structs_in(annotation)) > 1:
        tags = [str(one.__struct_config__.tag) for one in structs]
        what = f"should be one of {', '.join(tags)}, not {shown(value.get('type'))}"
        inner = [Misfit((*place, "type"), "invalid-field", what)]
    elif isinstance(value, list) and item is not None:
        inner = [one for at, part in enumerate(value) for one in _misfits(part, item, (*place, at), closed=closed)]
    if inner:
        yield from inner
        return
    try:
        msgspec.convert({"value": value}, _holder(annotation), strict=closed)
    except UnicodeEncodeError:
        yield Misfit(
            place, "invalid-field", "contains a lone surrogate (`\\ud800` to `\\udfff`), which is not a character"
        )
    except msgspec.ValidationError as error:
        message = str(error).partition(" - at `")[0]
        if closed or "unknown field" not in message:
            yield Misfit(place, "invalid-field", _problem(value, annotation, message))


@cache
def _holder(annotation: Any) -> type[msgspec.Struct]:
    """Return a Struct with a field `value` of this type, which is never freed.

    msgspec 0.22 frees a bare union with a pattern twice, which ends the process.
    """
    return msgspec.defstruct("Holder", [("value", annotation)])


def _of_object(value: dict[str, Any], struct: type[msgspec.Struct], place: Place, *, closed: bool) -> Iterator[Misfit]:
    known, config = keys_of(struct), struct.__struct_config__
    for key, part in value.items():
        if key in known:
            yield from _misfits(part, known[key].type, (*place, key), closed=closed)
        elif closed and config.forbid_unknown_fields and key != config.tag_field:
            near = nearest(key, sorted(known))
            hint = f"did you mean `{near}`?" if near else f"known fields: {', '.join(sorted(known))}"
            yield Misfit((*place, key), "unknown-field", f"is unknown; {hint}")
    for key, field in known.items():
        if field.required and key not in value:
            yield Misfit((*place, key), "missing-field", "is missing")


def _problem(value: Any, annotation: Any, message: str) -> str:
    """Return msgspec's message about a value in plain words."""
    if isinstance(value, str) and not value.strip() and "regex" in message:
        return "the text is empty"
    literals = [str(one) for part in choices(annotation) if get_origin(part) is Literal for one in get_args(part)]
    expected = EXPECTED.match(message)
    if not (wanted := _must(annotation)):
        if literals:
            wanted = f"one of {', '.join(literals)}"
        elif "RFC3339" in message:
            wanted = WORDS["date"]
        elif expected is not None:
            wanted = " or ".join(WORDS.get(word, word) for word in expected[1].split(" | ")) + (expected[2] or "")
        else:
            return message
    return f"should be {wanted}, not {shown(value)}"


def _must(annotation: Any) -> str:
    """Return a type's description of its valid values; empty if it has none."""
    if get_origin(annotation) is Annotated:
        inner, *metas = get_args(annotation)
        extras = [meta.extra for meta in metas if isinstance(meta, msgspec.Meta) and meta.extra]
        return next((extra[MUST] for extra in extras if MUST in extra), "") or _must(inner)
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()
    return next((must for part in parts if (must := _must(part))), "")
