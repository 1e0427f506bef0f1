"""JSON and YAML documents: strict parsing, and values as models.

Duplicate keys are refused because they lose data silently; NaN and Infinity because they pass every comparison.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import accumulate
from typing import Any, NoReturn, TypeVar

from pydantic_core import from_json, to_json

from row3.domain.misfits import MisfitsError, convert, shown
from row3.domain.models import Model
from row3.domain.words import marked
from row3.errors import InvalidFile
from row3.kinds.answers import why_no_json
from row3.project.files import decode, refuse_conflicts
from row3.project.once import once
from row3.project.tree import Tree, read_text

M = TypeVar("M", bound=Model)

MOST_NUMBER = 2**63 - 1
MOST_NESTED = 200
"""Levels of JSON and YAML, the most that `from_json` reads; Python ends what is nested in a thousand calls."""
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ESCAPED_COLON = re.compile(rb"\\u003[aA]")
YAML = "tag:yaml.org,2002:"
MERGE = f"{YAML}merge"
MAX_ALIASED, NODE_SIZE = 8_000_000, 8
"""How much the aliases of a YAML text may repeat, and what a node adds to its text, in characters."""


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


CORE: dict[str, tuple[str, Callable[[str], Any]]] = {
    "null": ("null|Null|NULL|~|", {"null": None, "~": None, "": None}.__getitem__),
    "bool": ("true|True|TRUE|false|False|FALSE", {"true": True, "false": False}.__getitem__),
    "int": ("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", lambda text: int(text, 0 if text[:2] in ("0o", "0x") else 10)),
    "float": (r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", _finite),
}
"""Pattern and value of the scalars in YAML 1.2's core schema (https://yaml.org/spec/1.2.2/#103-core-schema); `.inf` and
`.nan`, which JSON lacks, stay texts.
"""

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
        value = from_json(raw, allow_inf_nan=False)
    except RecursionError:
        raise ValueError from None
    written = to_json(value)
    # A duplicate key is dropped with its colon. Only an escaped colon, in a text, could make up for it.
    if raw.count(b":") != written.count(b":") or (b"\\" in raw and ESCAPED_COLON.search(raw)):
        raise ValueError
    if b"Infinity" in written:  # a number such as 1e400, or only a text
        raise ValueError
    return value


def _open_brackets(text: str) -> int:
    """Return the most brackets that are open at once, those in quoted texts included."""
    return max(accumulate(1 if mark in "[{" else -1 for mark in re.findall(r"[][{}]", text)), default=0)


def _slow_json(text: str, where: str, *, surrogates: bool) -> Any:
    fix = "Correct the file"
    try:
        value = _DECODER.decode(text)
        if _open_brackets(QUOTED.sub("", text)) > MOST_NESTED:
            raise RecursionError
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


class Files:
    """The texts and JSON values of a tree's files, each read once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @once
    def text(self, path: str) -> str:
        """Return a file's text. Raises as `read_text`."""
        return read_text(self.tree, path)

    @once
    def json(self, path: str) -> Any:
        """Return a file's JSON value, which nobody changes. Raises as `read_json`."""
        return read_json(self.tree, path)


def read_json(tree: Tree, path: str) -> Any:
    """Return a file's JSON value. Raises as `Tree.read`, `decode` and `parse_json`."""
    where = tree.place(path)
    return parse_json(decode(tree.read(path), where=where), where=where)


def validate(model: type[M], value: Any, *, where: str, fix: str = "Correct it and run `row3 lint`") -> M:
    """Return the value as a model. Raises `InvalidFile` that names every wrong field and suggests known ones."""
    try:
        return convert(json_object(value, where=where), model)
    except MisfitsError as error:
        raise InvalidFile(error.summary(), where=where, fix=fix) from None


def read_model(
    tree: Tree, path: str, model: type[M], version: int, *, fix: str = "Correct it and run `row3 lint`"
) -> M | None:
    """Return a file of a schema version as a model; None if it does not exist. Raises `InvalidFile`."""
    if not tree.exists(path):
        return None
    value, where = read_json(tree, path), tree.place(path)
    check_schema_version(value, version, where=where)
    return validate(model, value, where=where, fix=fix)


def refuse_numbers(value: Any, *, where: str, field: str = "") -> None:
    """Raise `InvalidFile` for a number of a configuration that is not finite or has more than 63 bits."""
    if isinstance(value, int | float) and not -MOST_NUMBER <= value <= MOST_NUMBER:
        what = f"field `{field}`: should be a finite number of at most 63 bits, not {shown(value)}"
        raise InvalidFile(what, where=where, fix="Correct it and run `row3 lint`")
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        refuse_numbers(part, where=where, field=f"{field}.{key}" if field else f"{key}")


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


def parse_yaml(text: str, *, where: str, what: str = "the file", above: int = 0, core: bool = True) -> Any:
    """Return the JSON value of a YAML text. Raises `InvalidFile`, also for a duplicate key and aliases that explode.

    Args:
        what: name of the text in messages.
        above: number of lines in the file before the text.
        core: whether the core rules of YAML 1.2 hold, or those of 1.1, in which `yes` is true and `0123` is 83.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_yaml_loader(core))  # noqa: S506 - a safe loader
    except (yaml.YAMLError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        problem, line = _yaml_fault(error, text)
        raise InvalidFile(f"{what} is not YAML: {problem}", where=f"{where}:{line + above}", fix="Correct it") from None


@cache
def _yaml_loader(core: bool) -> Any:
    """Return a YAML loader that refuses duplicate keys, except overrides of keys that `<<` merges in."""
    import yaml

    # C reads the text, but Python builds the nodes: in C, deep nesting ends the process.
    fast = hasattr(yaml, "CSafeLoader")
    bases: Any = (yaml.composer.Composer, yaml.CSafeLoader) if fast else (yaml.SafeLoader,)

    def init(loader: Any, text: str) -> None:
        bases[-1].__init__(loader, text)
        loader.anchors = {}

    def single_node(loader: Any) -> Any:
        node, sizes = bases[0].get_single_node(loader), {0: 0}
        if node is not None and _yaml_size(node, sizes) - sizes[0] > MAX_ALIASED:
            raise ValueError(f"its aliases repeat more than {MAX_ALIASED:,} characters")
        return node

    def mapping(loader: Any, node: Any) -> dict[str, Any]:
        seen = set()
        for each in [each for each, _ in node.value if each.tag != MERGE]:
            if (key := _yaml_key(loader.construct_object(each, deep=True))) in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key `{key}` occurs twice", each.start_mark)
            seen.add(key)
        loader.flatten_mapping(node)
        return {
            _yaml_key(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
            for key, value in node.value
        }

    def scalar(read: Callable[[str], Any], loader: Any, node: Any) -> Any:
        try:
            return read(loader.construct_scalar(node).lower())
        except (LookupError, ValueError):
            problem = f"`{node.value:.40}` is not a value of {node.tag}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None

    own: dict[str, Any] = {"__init__": init, "get_single_node": single_node}
    if core:
        plain = {tag: yaml.SafeLoader.yaml_constructors[tag] for tag in (None, f"{YAML}str", f"{YAML}seq")}
        own |= {"yaml_implicit_resolvers": {}, "yaml_constructors": plain}
    loader: Any = type("Loader", bases, own)
    loader.add_constructor(f"{YAML}map", mapping)
    if core:
        loader.add_implicit_resolver(MERGE, re.compile(r"<<\Z"), ["<"])
        for tag, (pattern, read) in CORE.items():
            loader.add_implicit_resolver(YAML + tag, re.compile(rf"(?:{pattern})\Z"), None)
            loader.add_constructor(YAML + tag, partial(scalar, read))
    return loader


def _yaml_size(node: Any, sizes: dict[int, int], level: int = 0) -> int:
    """Return about how many characters a node has with its aliases written out.

    `sizes` collects the size of each node and, with key 0, that of all nodes without aliases. Raises `ValueError` for a
    circle, `RecursionError` below `MOST_NESTED` levels.
    """
    if id(node) not in sizes:
        sizes[id(node)] = -1
        whole = isinstance(node.value, str)
        if level > MOST_NESTED - 1 + whole:
            raise RecursionError
        parts = (
            () if whole else (part for each in node.value for part in (each if isinstance(each, tuple) else (each,)))
        )
        sizes[0] += (own := NODE_SIZE + whole * len(node.value))
        sizes[id(node)] = own + sum(_yaml_size(part, sizes, level + 1) for part in parts)
    if sizes[id(node)] < 0:
        raise ValueError("part of it contains itself")
    return sizes[id(node)]


def _yaml_key(value: Any) -> str:
    """Return a key as text, as JSON would have it. Raises `TypeError` for a list or a mapping."""
    hash(value)
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _yaml_fault(error: Exception, text: str) -> tuple[str, int]:
    """Return what is wrong and in which line, even if the parser noticed it lines later."""
    position = getattr(error, "position", None)
    if isinstance(position, int):  # a character that YAML does not allow
        return "a control character", text.count("\n", 0, position) + 1
    mark = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if began is not None and str(getattr(error, "context", "")).startswith(("while scanning", "while parsing a flow")):
        mark = began  # a quote or bracket that never closes, a key without its colon
    problem = (
        "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "problem", None) or str(error)
    )
    return problem, 1 if mark is None else mark.line + 1
