"""Line numbers of the fields of a project's files, which parsers do not keep.

JSON takes one pass over its tokens: no parse tree, no recursion.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from row3.errors import Row3Error

Path = tuple[str | int, ...]

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]', re.DOTALL)
SPACE = re.compile(r"[ \t\n\r]*")
CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b', re.DOTALL)

WHERE = re.compile(
    r".*?(?:(?::|#L|, row )(?P<line>\d+)(?::\d+)?)?(?: field (?P<field>.*))?(?: case (?P<case>.*))?\Z", re.DOTALL
)
LINE_IN_WORDS = re.compile(r"\b(?:in|at) line (\d+)")
FIELD_IN_WORDS = re.compile(r"\bfield `([^`]+)`|\A(schemaVersion|schema_version)\b")
UNDEFINED = re.compile(r"'(\w+)' is undefined")


def places(error: Row3Error, file: str, text: str) -> list[tuple[str, str, int]]:
    """Return the complaints of an error about a file: message, field, and line, which is looked up if not given."""
    place = WHERE.match(error.where[len(file) :] if error.where.startswith(file) else "")
    assert place is not None
    found = []
    for what in re.split(r"; (?=field `)", error.what):
        named = FIELD_IN_WORDS.search(what)
        field = place["field"] or ((named[1] or named[2]) if named else "")
        if place["line"]:
            found.append((what, field, int(place["line"])))
        else:
            found.append((what, *_looked_up(file, text, what, field, place["case"])))
    return found


def _looked_up(file: str, text: str, what: str, field: str, case: str | None) -> tuple[str, int]:
    if case is not None:
        return f"cases.{case}", line_of_text(text, "id", case)
    if (in_words := LINE_IN_WORDS.search(what)) is not None:
        ends = [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == "---"]  # of front matter
        return field, int(in_words[1]) + (ends[1] if "of its body" in what and len(ends) > 1 else 0)
    if file.endswith(".json"):
        return _in_json(text, what, field)
    if (name := UNDEFINED.search(what)) is not None:
        used = re.search(rf"\{{[{{%][^}}]*\b{name[1]}\b", text)
        return field, _line_at(text, used.start() if used else 0)
    return field, line_in(file, text, tuple(field.split(".")))


def line_in(file: str, text: str, path: Path) -> int:
    """Return the line of a field of a JSON, TOML or prompt file."""
    if file.endswith(".json"):
        return line_of(text, path)
    keys = [str(key) for key in path]
    return line_in_toml(text, keys) if file.endswith(".toml") else line_in_front_matter(text, keys[-1])


def _in_json(text: str, what: str, field: str) -> tuple[str, int]:
    found = None
    if "is not a JSON number" in what:
        found = constant_field(text)
    elif "occurs twice in one object" in what:
        found = duplicate_key(text)
    if found is not None:
        return ".".join(map(str, found[0])), found[1]
    return field, line_of(text, [int(part) if part.isdecimal() else part for part in field.split(".")])


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line of a field of a JSON text, from 1; if it is missing, that of its nearest ancestor."""
    return lines_of(text, [tuple(path)])[tuple(path)]


def lines_of(text: str, paths: Iterable[Path]) -> dict[Path, int]:
    """Return the line of each path, as `line_of`, in one pass over the text."""
    asked = set(paths)
    found = offsets_of(text, asked)
    breaks = [match.start() for match in re.finditer("\n", text)]

    def line(path: Path) -> int:
        while path not in found:
            path = path[:-1]
        return bisect_right(breaks, found[path]) + 1

    return {path: line(path) for path in asked}


def offsets_of(text: str, paths: Iterable[Path]) -> dict[Path, int]:
    """Return the offsets of these fields and their ancestors, if present: a member of an object begins at its key."""
    wanted = {path[:length] for path in paths for length in range(1, len(path) + 1)}
    longest = max(map(len, wanted), default=0)
    found: dict[Path, int] = {(): _begin(text, 0)}
    for path, offset in _fields(text):
        if len(found) > len(wanted):
            break
        if len(path) <= longest and (key := tuple(path)) in wanted and key not in found:
            begin = _begin(text, offset)
            if not text.startswith("]", begin):
                found[key] = begin
    return found


def line_of_text(text: str, key: str, value: str) -> int:
    """Return the first line on which the key has this text; 1 if there is none."""
    row = re.search(rf'"{re.escape(key)}":\s*{re.escape(json.dumps(value, ensure_ascii=False))}', text)
    return _line_at(text, row.start() if row else 0)


def duplicate_key(text: str) -> tuple[Path, int] | None:
    """Return path and line of the first duplicate key."""
    seen: list[set[str | int]] = []
    for path, offset in _fields(text):
        # Deeper levels belong to objects that have ended.
        del seen[len(path) :]
        seen.extend(set() for _ in range(len(path) - len(seen)))
        if path[-1] in seen[-1] and isinstance(path[-1], str):
            return tuple(path), _line_at(text, offset)
        seen[-1].add(path[-1])
    return None


def constant_field(text: str) -> tuple[Path, int]:
    """Return path and line of the first NaN or Infinity; `()` and 1 if there is none."""
    at = next((match.start() for match in CONSTANT.finditer(text) if match[0][0] != '"'), 0)
    held: Path = ()
    for path, offset in _fields(text):
        if offset > at:
            break
        held = tuple(path)
    return held, _line_at(text, at)


def _begin(text: str, at: int) -> int:
    space = SPACE.match(text, at)
    return at if space is None else space.end()


def _fields(text: str) -> Iterator[tuple[list[str | int], int]]:
    """Yield every field in document order: its path (one list, which changes with each step) and its offset.

    A member of an object begins at its key, an item of an array right after its bracket or comma; an empty array yields
    one item.
    """
    path: list[str | int] = []
    in_object: list[bool] = []
    expects_key = False
    for match in TOKEN.finditer(text):
        first = match[0][0]
        if first == '"':
            if expects_key and path:
                path[-1] = _unescaped(match[0])
                expects_key = False
                yield path, match.start()
        elif first in "{[":
            in_object.append(first == "{")
            path.append(0 if first == "[" else "")
            expects_key = first == "{"
            if first == "[":
                yield path, match.end()
        elif not path:
            continue
        elif first == ",":
            expects_key = in_object[-1]
            last = path[-1]
            if not expects_key and isinstance(last, int):
                path[-1] = last + 1
                yield path, match.end()
        else:
            path.pop()
            in_object.pop()
            expects_key = False


def _unescaped(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token[1:-1]


def line_in_toml(text: str, path: Sequence[str]) -> int:
    """Return the line of a key in a TOML text, or of the nearest table around it; else 1."""
    best, best_length, table = 1, 0, []
    arrays: Counter[tuple[str, ...]] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("["):
            table = _toml_key(bare.strip("[]").split("]")[0])
            if bare.startswith("[["):
                arrays[array := tuple(table)] += 1
                table.append(str(arrays[array] - 1))
            key = table
        else:
            name, equals, _ = bare.partition("=")
            if not equals or bare.startswith("#"):
                continue
            key = [*table, *_toml_key(name)]
        if best_length < len(key) <= len(path) and list(path[: len(key)]) == key:
            best, best_length = number, len(key)
    return best


def _toml_key(text: str) -> list[str]:
    return [part.strip().strip("\"'") for part in text.split(".")]


def line_in_front_matter(text: str, key: str) -> int:
    """Return the line of a key in the YAML front matter of a Markdown text; 1 if it is missing."""
    for number, line in enumerate(text.split("\n")[1:], 2):
        if line.strip() == "---":
            break
        if line.partition(":")[0].strip("\"' ") == key:
            return number
    return 1
