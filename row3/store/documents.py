"""JSON and YAML documents: strict parsing, and values as Structs.

Duplicate keys are refused because they lose data silently; NaN and Infinity because they pass every comparison.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
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

ESCAPED_COLON = re.compile(rb"\\u003[aA]")


class _RefusedError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RefusedError(f"key `{next(key for key in keys if keys.count(key) > 1)}` occurs twice in one object")
    return value


def _no_number(text: str) -> NoReturn:
    raise _RefusedError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise _RefusedError(f"{text} is too large for a number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_number, parse_float=_finite)


def parse_json(text: str, *, where: str, surrogates: bool = False) -> Any:
    """Return the JSON value of a text; `surrogates` allows lone ones, which models write. Raises `InvalidFile`."""
    try:
        return quick_json(text.encode())
    except ValueError:
        return _slow_json(text, where, surrogates=surrogates)


def quick_json(raw: bytes) -> Any:
    """Return the JSON value of bytes five times faster. Raises `ValueError` for anything that it might misread."""
    try:
        value = msgspec.json.decode(raw)
    except RecursionError:
        raise ValueError from None
    # A duplicate key is dropped with its colon. Only an escaped colon, in a text, could make up for it.
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
        problem = re.sub(r"( starting)? at$", "", error.msg)  # the position is shown before it
        what = f"not JSON: {problem}" if text.strip() else "the file is empty"
        where, fix = f"{where}:{error.lineno}:{error.colno}", "Correct the file, or restore it from git"
    except RecursionError:
        what = "nested too deeply"
    except UnicodeEncodeError:
        what = "a text contains a lone surrogate (`\\ud800` to `\\udfff`), which is not a character"
        fix = "Write the character itself, or both surrogates"
    except ValueError as error:
        what = f"not JSON: {why_no_json(error)}"
    else:
        return value
    raise InvalidFile(what, where=where, fix=fix)


def read_json(tree: Tree, path: str) -> Any:
    """Return a file's JSON value. Raises as `Tree.read`, `decode` and `parse_json`."""
    where = tree.place(path)
    return parse_json(decode(tree.read(path), where=where), where=where)


def validate(model: type[Model], value: Any, *, where: str, fix: str = "Correct it and run `row3 lint`") -> Model:
    """Return the value as a Struct. Raises `InvalidFile` that names every wrong field and suggests known ones."""
    try:
        return convert(json_object(value, where=where), model)
    except MisfitsError as error:
        raise InvalidFile(error.summary(), where=where, fix=fix) from None


def refuse_duplicates(ids: Iterable[str], *, where: str, fix: str) -> None:
    """Raise `InvalidFile` if the `cases` of a file have an id twice."""
    for case_id in (case_id for case_id, number in Counter(ids).items() if number > 1):
        raise InvalidFile(f"field `cases`: `{case_id}` is listed twice", where=where, fix=fix)


def json_object(value: Any, *, where: str) -> dict[str, Any]:
    """Return the value if it is a JSON object; else raise `InvalidFile`."""
    if not isinstance(value, dict):
        raise InvalidFile("the file is not a JSON object", where=where, fix="Correct the file")
    return value


def check_schema_version(value: Any, known: int, *, where: str) -> int:
    """Return the file's schema version, by default 1. Raises `InvalidFile` for one newer than `known`."""
    version = value.get("schemaVersion", 1) if isinstance(value, dict) else 1
    if type(version) is not int or version < 1:
        what = f"schemaVersion {marked(version)} is not a whole number from 1"
        raise InvalidFile(what, where=where, fix="Correct the file")
    if version > known:
        what = f"schemaVersion {version} is newer than this row3 knows ({known})"
        raise InvalidFile(what, where=where, fix="Upgrade row3")
    return version


def dump_line(value: Any) -> str:
    """Return a JSON value as one line, with only the necessary escapes. Raises `ValueError` for NaN."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, which JSON can escape and UTF-8 cannot hold
        line = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(", ", ": "))
    return line


def parse_yaml(text: str, *, where: str, what: str = "the file", above: int = 0) -> Any:
    """Return the value of a YAML text. Raises `InvalidFile`, also for a duplicate key.

    Args:
        what: name of the text in messages.
        above: number of lines in the file before the text.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_yaml_loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        problem, line = _yaml_fault(error, text)
        raise InvalidFile(f"{what} is not YAML: {problem}", where=f"{where}:{line + above}", fix="Correct it") from None


@cache
def _yaml_loader() -> Any:
    """Return a YAML loader that refuses duplicate keys, except overrides of keys that `<<` merges in."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        seen: list[Any] = []
        for each in [each for each, _ in node.value if each.tag != "tag:yaml.org,2002:merge"]:
            if (key := loader.construct_object(each, deep=True)) in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key `{key}` occurs twice", each.start_mark)
            seen.append(key)
        loader.flatten_mapping(node)
        return {
            _yaml_key(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
            for key, value in node.value
        }

    loader: Any = type("NoDuplicates", (base,), {})
    loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return loader


def _yaml_key(value: Any) -> str:
    """Return a key as text, as JSON would have it. Raises `TypeError` for a list or a mapping."""
    hash(value)
    return str(value)


def _yaml_fault(error: Exception, text: str) -> tuple[str, int]:
    """Return what is wrong and in which line, even if the parser noticed it lines later."""
    position = getattr(error, "position", None)
    if isinstance(position, int):  # a character that YAML does not allow
        return "a control character", text.count("\n", 0, position) + 1
    mark = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if began is not None and str(getattr(error, "context", "")).startswith(("while scanning", "while parsing a flow")):
        mark = began  # a quote or bracket that never closes, a key without its colon
    return getattr(error, "problem", None) or str(error), 1 if mark is None else mark.line + 1
