"""Golden cases: one file each, or V7.1's `cases.json` of many, whose cases have paths like `…/cases.json#0`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json

from row3.domain.requests import digest_json, digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.kinds.base import Kind
from row3.project.documents import check_schema_version, json_object, parse_json, validate
from row3.project.files import decode
from row3.project.tree import Tree

GOLDEN = "golden"
ENDING = ".gold.json"
PATTERN = f"*{ENDING}"
MANY = "cases.json"
"""A file of many cases: `{"version", "cases": […]}`."""
OTHER_FILES = ("quarantine.json", MANY)
"""JSON files in a suite's folder that are not single cases."""
CASE_SCHEMA_VERSION = 1
ID_KEYS = ("id", "document_id", "case_id")
"""Names of the id field in the cases of the kinds."""


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A golden case with its digest."""

    case: Any
    """Instance of the kind's case model."""
    digest: str
    """Digest of its file's text or, in a file of many, of its JSON."""
    where: str

    @property
    def id(self) -> str:
        """The case's id."""
        return str(self.case.id)


class CaseFiles(NamedTuple):
    """The paths of a suite's golden cases in a tree."""

    tree: Tree
    paths: list[str]


def golden_files(tree: Tree, folder: str) -> list[str]:
    """Return the paths of a folder's cases, by name; none if there is no folder.

    `golden/<suite>/` is read without subfolders, where people keep drafts. A deeper folder is one that `row3.toml`
    names, and is read with its subfolders. A `cases.json` is read at any depth.
    """
    below, deep = tree.files(folder, deep=True), folder.count("/") > 1
    files = (path for path in below if path.endswith(ENDING) and (deep or "/" not in path[len(folder) + 1 :]))
    many = (part for path in below if name_of(path) == MANY for part in _parts(tree, path))
    return [*sorted(files, key=lambda path: (name_of(path), path)), *many]


def _parts(tree: Tree, path: str) -> list[str]:
    """Return the paths of a file's cases; that of the file if it is broken, so that reading it fails."""
    try:
        count = len(_many(tree.read(path), tree.place(path)))
    except (InvalidFile, EnvironmentFault):
        return [path]
    return [f"{path}#{number}" for number in range(count)]


@lru_cache(maxsize=8)
def _many(raw: bytes, where: str) -> list[Any]:
    cases = parse_value(raw, where).get("cases")
    if not isinstance(cases, list):
        fix = 'Write {"version": "1.0", "cases": […]}'
        raise InvalidFile("field `cases` is not a list of golden cases", where=where, fix=fix)
    return cases


def file_of(path: str) -> str:
    """Return the path of a case's file."""
    return path.partition("#")[0]


def place_in(path: str) -> tuple[str, int] | tuple[()]:
    """Return the field of a file of many that holds the case; empty for a file of one case."""
    number = path.partition("#")[2]
    return ("cases", int(number)) if number else ()


def object_id(tree: Tree, path: str) -> str:
    """Return an id of a case's content: its file's object id or, in a file of many, its own digest."""
    return digest_json(case_value(tree.read(file_of(path)), path, path)) if place_in(path) else tree.oid(path)


def misnamed(tree: Tree, folder: str) -> list[str]:
    """Return the names of JSON files in a suite's folder that are not read: `rye.json`, `rye.gold.JSON`."""
    folders = tree.folders(folder)
    names = [name for name in map(name_of, tree.files(folder)) if name not in folders and name not in OTHER_FILES]
    return [name for name in names if name.lower().endswith(".json") and not name.endswith(ENDING)]


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def case_files(tree: Tree, folder: str) -> list[str]:
    """Return the paths of a suite's cases and drafts. Raises `InvalidFile` if there is no case to score."""
    files = golden_files(tree, folder)
    if not files:
        what = f"the suite has no golden cases ({PATTERN})"
        what += "".join(f"; {name} does not match" for name in misnamed(tree, folder)[:1])
        fix = "Write some (`row3 init` in an empty folder shows examples), or name another suite"
        raise InvalidFile(what, where=tree.place(f"{folder}/"), fix=fix)
    if all(is_draft(tree, path) for path in files):
        fix = "Complete one and remove its `draft`"
        raise InvalidFile("every golden case of the suite is a draft", where=tree.place(f"{folder}/"), fix=fix)
    return files


def is_draft(tree: Tree, path: str) -> bool:
    """Return whether a golden case is marked as a draft; False if it is unreadable."""
    with contextlib.suppress(InvalidFile, EnvironmentFault):
        raw = tree.read(file_of(path))
        return b'"draft"' in raw and case_value(raw, path, path).get("draft") is True
    return False


def read_case(tree: Tree, path: str, kind: Kind) -> StoredCase:
    """Return one golden case. Raises `InvalidFile`."""
    return parse_case(tree.read(file_of(path)), path, kind, where=tree.place(path))


def parse_case(raw: bytes, path: str, kind: Kind, *, where: str) -> StoredCase:
    """Return the golden case in a file's bytes; `where` names the file in messages. Raises `InvalidFile`."""
    value = case_value(raw, path, where)
    case = validate(kind.case_model, value, where=where)
    return StoredCase(case, digest_json(value) if place_in(path) else digest_text(decode(raw, where=where)), path)


def case_value(raw: bytes, path: str, where: str) -> dict[str, Any]:
    """Return the JSON object of a case in its file's bytes. Raises `InvalidFile`."""
    if name_of(file_of(path)) != MANY:
        return parse_value(raw, where)
    cases, place = _many(raw, file_of(where)), place_in(path)
    return json_object(cases[place[1]] if place else None, where=where)


def parse_value(raw: bytes, where: str) -> dict[str, Any]:
    """Return the JSON object of a case file's bytes. Raises `InvalidFile`."""
    value = parse_json(decode(raw, where=where), where=where)
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    return json_object(value, where=where)


def cases_in(tree: Tree, paths: Iterable[str], kind: Kind) -> Iterator[StoredCase]:
    """Return the cases at these paths, without drafts. Raises `InvalidFile`."""
    return (stored for stored in (read_case(tree, path, kind) for path in paths) if not stored.case.draft)


def read_cases(tree: Tree, folder: str, kind: Kind) -> Iterator[StoredCase]:
    """Return the cases of a suite in the order of their files. Raises `InvalidFile`, also if there are none."""
    return unique_cases(tree, case_files(tree, folder), kind)


def case_id_of(value: Mapping[str, Any]) -> str:
    """Return the id in a case's JSON value; empty if there is none."""
    return str(next((value[key] for key in ID_KEYS if isinstance(value.get(key), str)), ""))


def ids_of(tree: Tree, folder: str, *, drafts: bool = False) -> list[str]:
    """Return the ids of a folder's cases, even invalid ones, or of its `drafts`. Unreadable files are omitted."""
    return [case_id for value in _objects(tree, folder, drafts=drafts) if (case_id := case_id_of(value))]


def tags_of(tree: Tree, folder: str) -> dict[str, frozenset[str]]:
    """Return the tags of each case by id. Unreadable files are omitted."""
    found = ((case_id_of(value), value.get("tags")) for value in _objects(tree, folder))
    return {
        case_id: frozenset(tag for tag in (tags if isinstance(tags, list) else ()) if isinstance(tag, str))
        for case_id, tags in found
        if case_id
    }


def sources_of(tree: Tree, folder: str) -> dict[str, str]:
    """Return the source of each case that names one, by case id. Unreadable files are omitted."""
    found = ((case_id_of(value), value.get("source")) for value in _objects(tree, folder))
    return {case_id: source for case_id, source in found if isinstance(source, str)}


def _objects(tree: Tree, folder: str, *, drafts: bool = False) -> Iterator[dict[str, Any]]:
    for path in golden_files(tree, folder):
        with contextlib.suppress(InvalidFile, EnvironmentFault, ValueError, LookupError, TypeError, AttributeError):
            value = from_json(tree.read(file_of(path)))
            one = value["cases"][place[1]] if (place := place_in(path)) else value
            if (one.get("draft") is True) == drafts:
                yield one


def unique_cases(tree: Tree, files: Iterable[str], kind: Kind) -> Iterator[StoredCase]:
    """Yield the cases at these paths, without drafts. Raises `InvalidFile` for a duplicate id."""
    seen: dict[str, str] = {}
    for stored in cases_in(tree, files, kind):
        if (earlier := seen.setdefault(stored.id, stored.where)) != stored.where:
            what = f"the id `{stored.id}` is already used by {earlier}"
            raise InvalidFile(what, where=stored.where, fix="Change one of them")
        yield stored


def source_of(case: Any) -> str | None:
    """Return the source that a case names; None if it is missing or blank."""
    return (getattr(case, "source", None) or "").strip() or None
