"""JSON and YAML documents: strict parsing, and values as Structs.

Duplicate keys, NaN and Infinity are refused: the first lose data silently, the others slip through every comparison.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any, NoReturn, TypeVar

import msgspec

from row3.domain.counts import marked
from row3.domain.structs import MisfitsError, convert
from row3.errors import InvalidFile
from row3.kinds.answers import why_no_json
from row3.store.files import decode, refuse_conflicts
from row3.store.tree import Tree

Model = TypeVar("Model", bound=msgspec.Struct)

_PLACE = re.compile(r"( starting)? at$")
"""The end of a decoder's message that leads over to a place, which is said before."""
ESCAPED_COLON = re.compile(rb"\\u003[aA]")


class _RefusedError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RefusedError(f"key `{next(key for key in keys if keys.count(key) > 1)}` stands twice in one object")
    return value


def _no_number(text: str) -> NoReturn:
    raise _RefusedError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise _RefusedError(f"{text} is too large for a number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_number, parse_float=_finite)


def parse_json(text: str, *, where: str, surrogates: bool = False) -> Any:
    """Return a text as JSON; `surrogates` allows half of a pair, which models write. Raises `InvalidFile`."""
    try:
        return quick_json(text.encode())
    except ValueError:
        return _slow_json(text, where, surrogates=surrogates)


def quick_json(raw: bytes) -> Any:
    """Return the JSON value of bytes in a fifth of the time; raises `ValueError` for all that needs a closer look."""
    try:
        value = msgspec.json.decode(raw)
    except RecursionError:
        raise ValueError from None
    # Each key has a colon, and to read one that stands twice loses it. Only an escaped one, in a text, is won.
    if raw.count(b":") != msgspec.json.encode(value).count(b":") or (b"\\" in raw and ESCAPED_COLON.search(raw)):
        raise ValueError
    return value


def _slow_json(text: str, where: str, *, surrogates: bool) -> Any:
    fix = "Correct the file"
    try:
        value = _DECODER.decode(text)
        if not surrogates:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except _RefusedError as error:
        what = str(error)
    except json.JSONDecodeError as error:
        refuse_conflicts(text, where=where)
        what = "the file is empty" if not text.strip() else f"not JSON: {_PLACE.sub('', error.msg)}"
        where, fix = f"{where}:{error.lineno}:{error.colno}", "Correct the file, or restore it from git"
    except RecursionError:
        what = "nested too deeply"
    except UnicodeEncodeError:
        what = "a text holds half a surrogate pair (`\\ud800` to `\\udfff`), which is no character"
        fix = "Write the character itself, or both halves"
    except ValueError as error:
        what = f"not JSON: {why_no_json(error)}"
    else:
        return value
    raise InvalidFile(what, where=where, fix=fix)


def read_json(tree: Tree, path: str) -> Any:
    """Return a file's JSON value; raises as `Tree.read`, `decode` and `parse_json` do."""
    where = tree.place(path)
    return parse_json(decode(tree.read(path), where=where), where=where)


def validate(model: type[Model], value: Any, *, where: str, command: str = "row3 lint", fix: str = "") -> Model:
    """Return the value as a Struct; raises `InvalidFile` with every wrong field and what was meant by it."""
    try:
        return convert(json_object(value, where=where), model)
    except MisfitsError as error:
        raise InvalidFile(error.summary(), where=where, fix=fix or f"Correct it and run `{command}`") from None


def json_object(value: Any, *, where: str) -> dict[str, Any]:
    """Return the value, which is an object; raises `InvalidFile`."""
    if not isinstance(value, dict):
        raise InvalidFile("the file holds no JSON object", where=where, fix="Correct the file")
    return value


def check_schema_version(value: Any, known: int, *, where: str) -> int:
    """Return the file's schema version (1 where it says none); raises `InvalidFile` for a newer one than `known`."""
    version = value.get("schemaVersion", 1) if isinstance(value, dict) else 1
    if type(version) is not int or version < 1:
        what = f"schemaVersion {marked(version)} is not a whole number from 1"
        raise InvalidFile(what, where=where, fix="Correct the file")
    if version > known:
        what = f"schemaVersion {version} is newer than this row3 knows ({known})"
        raise InvalidFile(what, where=where, fix="Upgrade row3")
    return version


def dump_line(value: Any) -> str:
    """Return a JSON value in one line, as row3 writes it: no NaN, no escapes but the needed."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:  # a model wrote half a surrogate pair: no text, but JSON can hold it
        line = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(", ", ": "))
    return line


def parse_yaml(text: str, *, where: str, what: str = "the file", above: int = 0) -> Any:
    """Return the value of a YAML text; raises `InvalidFile`, also for a key that stands twice.

    Args:
        what: what messages call the text.
        above: lines of the file above the text.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_yaml_loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        problem, line = _yaml_fault(error, text)
        raise InvalidFile(f"{what} is not YAML: {problem}", where=f"{where}:{line + above}", fix="Correct it") from None


@cache
def _yaml_loader() -> Any:
    """YAML takes the last of two equal keys; with this that is an error. Keys that `<<` merges in are weaker."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        own = [pair for pair in node.value if pair[0].tag != "tag:yaml.org,2002:merge"]
        keys = [loader.construct_object(key, deep=True) for key, _ in own]
        for key in keys:
            if keys.count(key) > 1:
                again = [other for (other, _), same in zip(own, keys, strict=True) if same == key][1]
                raise yaml.constructor.ConstructorError(None, None, f"key `{key}` stands twice", again.start_mark)
        loader.flatten_mapping(node)
        return {
            _yaml_key(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
            for key, value in node.value
        }

    loader: Any = type("NoDuplicates", (base,), {})
    loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return loader


def _yaml_key(value: Any) -> str:
    """Return a key as JSON has it: a number or a date as a text. Raises `TypeError` for a list or a mapping."""
    hash(value)
    return str(value)


def _yaml_fault(error: Exception, text: str) -> tuple[str, int]:
    """Return what is wrong, and the line it is wrong in; the parser may have noticed lines later."""
    position = getattr(error, "position", None)
    if isinstance(position, int):  # a character that YAML does not take
        return "a control character", text.count("\n", 0, position) + 1
    mark = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if began is not None and str(getattr(error, "context", "")).startswith(("while scanning", "while parsing a flow")):
        mark = began  # a quote or bracket that never closes, a key without its colon
    return getattr(error, "problem", None) or str(error), 1 if mark is None else mark.line + 1
