"""JSON documents: strict parsing, and pydantic's complaints in row3's words.

Duplicate keys, NaN and Infinity are refused: the first lose data silently, the others slip
through every comparison.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from datetime import date
from typing import Any, NoReturn, TypeVar, cast

from msgspec import Struct
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json, to_json

from row3.domain.spoken import marked
from row3.domain.structs import MisfitsError, convert, describe, shown
from row3.errors import InvalidFile
from row3.kinds.answers import why_no_json
from row3.store.files import decode, refuse_conflicts
from row3.store.tree import Tree
from row3.store.unbuilt import unbuilt

Model = TypeVar("Model", bound=BaseModel | Struct)

_PLACE = re.compile(r"( starting)? at$")
"""The end of a decoder's message that leads over to a place, which is said before."""


OF_SCALARS = ("bool_type", "int_type", "float_type", "string_type", "literal_error", "string_pattern_mismatch")
"""Complaints of pydantic that say what is wanted and not what is there."""
OF_MODELS = ("model_type", "model_attributes_type", "dataclass_type", "is_instance_of")
"""Complaints in which pydantic names a class."""


class _RefusedError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _RefusedError(f"key `{twice}` stands twice in one object")
    return value


def _constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


SPACED_COLON = re.compile(rb'"\s+:')
ESCAPED_COLON = re.compile(rb"\\u003[aA]")
LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_line(text: str, *, where: str) -> Any:
    """The JSON value of a line among many, as `parse_json` gives it, at a fifth of the price.

    Half surrogates may stand in it, as a model wrote them.
    """
    try:
        return quick_json(text.encode())
    except ValueError:
        return parse_json(text, where=where, surrogates=True)


def quick_json(raw: bytes) -> Any:
    """The JSON value of clean bytes; raises `ValueError` for what is not JSON or needs `parse_json`'s closer look."""
    value = from_json(raw, allow_inf_nan=False)
    # Each key has a colon, and to read one that stands twice loses it. Only an escaped one, in a text, is won.
    if raw.count(b":") != to_json(value).count(b":") or (b"\\" in raw and ESCAPED_COLON.search(raw)):
        raise ValueError
    return value


def no_key_twice(raw: bytes, keys: int) -> bool:
    """The text has no more keys than the `keys` that were read from it, so none stands twice.

    Keys are counted by `":`. Where more of these stand in texts, or fewer since somebody wrote `" :`, this cannot be
    told and the answer is no. Only a colon that no quote precedes makes the search for `" :` necessary.
    """
    return raw.count(b'":') == keys and (raw.count(b":") == keys or SPACED_COLON.search(raw) is None)


def parse_json(text: str, *, where: str, surrogates: bool = False) -> Any:
    """The JSON value of a text; raises `InvalidFile` with line and column.

    Half a surrogate pair is no character: only a recording, which keeps what a model really wrote, may hold one.
    """
    try:
        value = _DECODER.decode(text)
    except _RefusedError as error:
        raise InvalidFile(str(error), where=where, fix="Correct the file") from None
    except json.JSONDecodeError as error:
        refuse_conflicts(text, where=where)
        what = "the file is empty" if not text.strip() else f"not JSON: {_PLACE.sub('', error.msg)}"
        raise InvalidFile(
            what, where=f"{where}:{error.lineno}:{error.colno}", fix="Correct the file, or restore it from git"
        ) from None
    except (RecursionError, ValueError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else f"not JSON: {why_no_json(error)}"
        raise InvalidFile(what, where=where, fix="Correct the file") from None
    if not surrogates and LONE_SURROGATE.search(text) is not None:
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidFile(
                "a text holds half a surrogate pair (`\\ud800` to `\\udfff`), which is no character",
                where=where,
                fix="Write the character itself, or both halves",
            ) from None
    return value


def read_json(tree: Tree, path: str) -> tuple[Any, str]:
    """Return a file's JSON value and its text; raises as `Tree.read`, `decode` and `parse_json` do."""
    where = tree.place(path)
    text = decode(tree.read(path), where=where)
    return parse_json(text, where=where), text


def validate(model: type[Model], value: Any, *, where: str, command: str = "row3 lint", fix: str = "") -> Model:
    """The value as a model.

    Raises `InvalidFile` that lists every wrong field, and the near miss of every unknown one.
    """
    if not isinstance(value, dict):
        raise InvalidFile("the file holds no JSON object", where=where, fix="Correct the file")
    try:
        if issubclass(model, Struct):
            return convert(value, model)
        read = unbuilt(model, value)
        return read if read is not None else model.model_validate(value)
    except MisfitsError as error:
        what = error.told()
    except ValidationError as error:
        what = "; ".join(complaints(cast("type[BaseModel]", model), error))
    raise InvalidFile(what, where=where, fix=fix or f"Correct it and run `{command}`")


def complaints(model: type[BaseModel], error: ValidationError, *, most: int = 5) -> list[str]:
    """Pydantic's findings, a line each: field, what is wrong, what may have been meant."""
    lines = []
    found = error.errors(include_url=False, include_input=True)
    for entry in found[:most]:
        place = ".".join(str(part) for part in without_tags(model, entry["loc"]))
        if entry["type"] == "extra_forbidden":
            known = known_keys(model, entry["loc"][:-1])
            near = difflib.get_close_matches(str(entry["loc"][-1]), known, n=1, cutoff=0.6)
            hint = f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(known)}"
            lines.append(f"field `{place}` is unknown{hint}")
        elif entry["type"] == "missing":
            lines.append(f"field `{place}` is missing")
        else:
            told = _told(entry["type"], entry["msg"], entry["input"])
            lines.append(f"field `{place}`: {told}" if place else told)  # of several fields, which name themselves
    if len(found) > most:
        lines.append(f"and {len(found) - most} more")
    return lines


def _told(kind: str, text: str, value: Any) -> str:
    """Return pydantic's message with the value that it is about, in row3's words where it names a class."""
    if kind == "value_error":
        return text.removeprefix("Value error, ")
    if kind in OF_MODELS:
        return f"Input should be an object, and is {describe(value)}"
    if kind == "string_pattern_mismatch" and isinstance(value, str) and not value.strip():
        return "the text is empty"
    return f"{text}, and is {shown(value)}" if kind in OF_SCALARS else text


def without_tags(model: type[BaseModel], place: Sequence[str | int]) -> list[str | int]:
    """A field's place without the tags that pydantic puts in to say which model of a union it took."""
    current: Any = model
    kept: list[str | int] = []
    for part in place:
        if not (isinstance(current, tuple) and part in _tagged(current)):
            kept.append(part)
        current = None if current is None else _inner(current, part)
    return kept


def known_keys(model: type[BaseModel], place: Sequence[str | int]) -> list[str]:
    """The keys that a model, or a model inside it, takes."""
    current: Any = model
    for part in place:
        current = _inner(current, part)
        if current is None:
            return []
    fields = getattr(current, "model_fields", {})
    return sorted(field.alias or name for name, field in fields.items())


def _inner(model: Any, part: str | int) -> Any:
    if isinstance(model, tuple):
        return _tagged(model).get(part)
    fields = getattr(model, "model_fields", None)
    if fields is None:
        return None
    if isinstance(part, int):
        return model
    for name, field in fields.items():
        if part in (name, field.alias):
            return _model_in(field.annotation)
    return model  # a key of a mapping of models


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = [found for part in getattr(annotation, "__args__", ()) if (found := _model_in(part)) is not None]
    if len(inner) > 1 and len(_tagged(tuple(inner))) == len(inner):
        return tuple(inner)
    return inner[0] if inner else None


def _tagged(models: tuple[Any, ...]) -> dict[str | int, Any]:
    """The models of a union by the one value that each takes as its `type`."""
    types = {model: getattr(model, "model_fields", {}).get("type") for model in models}
    return {field.annotation.__args__[0]: model for model, field in types.items() if field is not None}


def check_schema_version(value: Any, known: int, *, where: str) -> int:
    """The file's schema version (1 where it says none).

    Raises `InvalidFile` for one that this program does not know.
    """
    version = value.get("schemaVersion", 1) if isinstance(value, dict) else 1
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidFile(
            f"schemaVersion {marked(version)} is not a whole number from 1", where=where, fix="Correct the file"
        )
    if version > known:
        raise InvalidFile(
            f"schemaVersion {version} is newer than this row3 knows ({known})", where=where, fix="Upgrade row3"
        )
    return version


def day(text: str) -> str:
    """A date as files spell it; raises `ValueError` for anything else."""
    try:
        right = date.fromisoformat(text).isoformat() == text
    except ValueError:
        right = False
    if not right:
        raise ValueError("is no date like 2026-12-01")
    return text


def dump_line(value: Any) -> str:
    """One JSON value in one line, as row3 writes it: no NaN, no escapes but the needed."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:  # a model wrote half a surrogate pair: no text, but JSON can hold it
        line = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(", ", ": "))
    return line
