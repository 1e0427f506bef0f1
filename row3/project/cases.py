"""Golden cases: one file each, or many in a file.

The cases of V7.1's `cases.json` have paths like `…/cases.json#0`, lines `…/a.jsonl#L1` and rows `…/a.parquet, row 1`.
"""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PureWindowsPath
from typing import Any, NamedTuple

from pydantic_core import from_json

from row3.domain.files import MAX_FILE_BYTES, FileInput, FilePart, file_inputs, is_media, media_type_of
from row3.domain.models import keys_of
from row3.domain.requests import digest_json, digest_text, input_digest
from row3.errors import EnvironmentFault, InvalidFile, Row3Error
from row3.kinds.base import EntityNames, Kind
from row3.project.documents import check_schema_version, json_object, parse_json, validate
from row3.project.files import decode
from row3.project.json_lines import ROW, LineIndex, LinePaths, lines_in
from row3.project.once import once
from row3.project.parquet import PARQUET
from row3.project.tree import Tree, same_file

ENDING = ".gold.json"
PATTERN = f"*{ENDING}"
MANY = "cases.json"
"""A file of many cases: `{"version", "cases": […]}`."""
LINES, BEGUN = (".jsonl", PARQUET), (".jsonl#L", f"{PARQUET}{ROW}")
"""Endings of files with a case a line or row; with what stands before the number in the path of such a case."""
OTHER_LINES = ("reviewed.jsonl", "not-imported.jsonl")
"""JSON Lines files in a suite's folder that hold no cases."""
OTHER_FILES = ("quarantine.json", MANY)
"""JSON files in a suite's folder that are not single cases."""
CASE_SCHEMA_VERSION = 1
NO_FILE = "Name a PNG, JPEG, WebP, GIF or PDF file of the project, by its path from row3.toml"
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

    @property
    def whole_digest(self) -> str:
        """Digest of the case and of the files that its input names."""
        variables = self.case.variables()
        return digest_json([self.digest, input_digest(variables)]) if any(file_inputs(variables)) else self.digest


class CaseEntry(NamedTuple):
    """What the index holds of a golden case, of any kind and even if it is invalid."""

    id: str
    """Empty without one, and for an unreadable file."""
    digest: str
    """As that of `StoredCase`."""
    draft: bool
    tags: frozenset[str]
    source: str | None


UNREADABLE = CaseEntry("", "", draft=False, tags=frozenset(), source=None)


class InputFiles:
    """The files that inputs name in one tree; each is read when it is first needed, and again when it is sent."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def mark(self, value: Any, where: str, place: str = "input") -> Any:
        """Return an input with a `FileInput` for each file in it; the input itself is data, whatever its keys."""
        if isinstance(value, dict):
            if place != "input" and value.keys() == {"file"} and isinstance(value["file"], str):
                return FileInput(value, place, partial(self._part, value["file"], f"{where} field {place}"))
            return {key: self.mark(part, where, f"{place}.{key}") for key, part in value.items()}
        if isinstance(value, list):
            return [self.mark(part, where, f"{place}.{number}") for number, part in enumerate(value)]
        return value

    def _part(self, path: str, where: str) -> FilePart:
        try:
            return self._file(path)
        except Row3Error as error:
            raise InvalidFile(f"the file `{path}`: {error.what}", where=where, fix=NO_FILE) from None

    @once
    def _file(self, path: str) -> FilePart:
        inside = posixpath.normpath(path)
        if inside.startswith(("/", "..")) or "\\" in path or PureWindowsPath(path).drive or "\0" in path:
            raise InvalidFile("the path is outside the project", where=path)
        raw = self._tree.read(inside, limit=MAX_FILE_BYTES)
        media_type = media_type_of(raw)
        if not (media_type and is_media(path)):
            raise InvalidFile("it is not a picture or PDF that can be sent", where=path)
        digest = digest_text(raw)
        return FilePart(inside, media_type, digest, partial(self._same, inside, digest))

    def _same(self, path: str, digest: str) -> bytes:
        raw = self._tree.read(path, limit=MAX_FILE_BYTES)
        if digest_text(raw) == digest:
            return raw
        raise EnvironmentFault("the file was changed while it was being read", where=path, fix="Run the command again")


class Cases:
    """The golden cases of a tree: an index, read once, and bodies, each read when its turn comes and then dropped."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self._files = tree, InputFiles(tree)
        self._latest: tuple[str, Kind, StoredCase] | None = None

    @once
    def paths(self, folder: str) -> Sequence[str]:
        """Return the paths of a folder's cases, by name, then those in files of many; none if there is no folder.

        `golden/<suite>/` is read without subfolders, where people keep drafts. A deeper folder is one that `row3.toml`
        names, and is read with its subfolders. A `cases.json` is read at any depth.
        """
        below, deep = self.tree.files(folder, deep=True), folder.count("/") > 1
        own = [path for path in below if deep or "/" not in path[len(folder) + 1 :]]
        files = sorted((path for path in own if path.endswith(ENDING)), key=lambda path: (name_of(path), path))
        files += [part for path in below if name_of(path) == MANY for part in self._parts(path)]
        lines = [path for path in own if path.endswith(LINES) and name_of(path) not in OTHER_LINES]
        begun = (f"{path}{ROW}" if path.endswith(PARQUET) else f"{path}#L" for path in lines)
        return LinePaths(files, [*zip(begun, map(self._lines, lines), strict=True)]) if lines else files

    @once
    def _lines(self, path: str) -> LineIndex:
        return LineIndex(lines_in(self.tree, path))

    def _line(self, path: str) -> bytes:
        return self._lines(file_of(path)).line(_number(path))

    def _parts(self, path: str) -> list[str]:
        """Return the paths of a file's cases; that of the file if it is broken, so that reading it fails."""
        try:
            count = len(self._many(path))
        except (InvalidFile, EnvironmentFault):
            return [path]
        return [f"{path}#{number}" for number in range(count)]

    @once
    def _many(self, path: str) -> list[Any]:
        where = self.tree.place(path)
        return _listed(parse_value(self.tree.read(path), where), where)

    def value(self, path: str) -> dict[str, Any]:
        """Return the JSON object of a case. Raises `InvalidFile`."""
        where = self.tree.place(path)
        if is_line(path):
            return parse_value(self._line(path), where)
        if place := place_in(path):
            return json_object(self._many(file_of(path))[place[1]], where=where)
        return case_value(self.tree.read(path), path, where)

    def case(self, path: str, kind: Kind) -> StoredCase:
        """Return one golden case, read now unless it was the latest. Raises `InvalidFile`."""
        if self._latest is None or self._latest[:2] != (path, kind):
            self._latest = path, kind, self._case(path, kind)
        return self._latest[2]

    def _case(self, path: str, kind: Kind) -> StoredCase:
        where = self.tree.place(path)
        if not place_in(path):
            stored = parse_case(self.tree.read(path), path, kind, where=where)
        else:
            value = self.value(path)
            stored = StoredCase(validate(kind.case_model, value, where=where), digest_json(value), path)
        case = self.with_files(stored.case, where)
        return stored if case is stored.case else replace(stored, case=case)

    def with_files(self, case: Any, where: str) -> Any:
        """Return a case with the files that its input names, if its kind takes any input."""
        given = self._files.mark(getattr(case, "input", None), where)
        return case.replace(input=given) if any(file_inputs(given)) else case

    def at(self, paths: Iterable[str], kind: Kind) -> Iterator[StoredCase]:
        """Yield the cases at these paths, without drafts. Raises `InvalidFile`."""
        return (stored for stored in (self.case(path, kind) for path in paths) if not stored.case.draft)

    @once
    def declared(self, path: str, kind: Kind) -> Mapping[str, EntityNames]:
        """Return the documents that a case, if no draft, declares, with their entities. Raises `InvalidFile`."""
        if (declares := kind.lint.declares) is None:
            return {}
        return {name: entities for stored in self.at([path], kind) for name, entities in declares(stored.case).items()}

    def read(self, folder: str, kind: Kind) -> Iterator[StoredCase]:
        """Yield the cases of a suite in the order of their files. Raises `InvalidFile`, also if there are none."""
        self.scored(folder)
        return self.unique(folder, kind)

    def unique(self, folder: str, kind: Kind) -> Iterator[StoredCase]:
        """Yield the cases of a folder, if any, without drafts. Raises `InvalidFile` for an id twice."""
        seen = set[int]()
        for stored in self.at(self.paths(folder), kind):
            if (key := hash(stored.id)) in seen:
                earlier = next(each.where for each in self.at(self.paths(folder), kind) if each.id == stored.id)
                if earlier != stored.where:
                    what = f"the id `{stored.id}` is already used by {earlier}"
                    raise InvalidFile(what, where=stored.where, fix="Change one of them")
            seen.add(key)
            yield stored

    @once
    def entry(self, path: str) -> CaseEntry:
        """Return the index entry of a case."""
        with contextlib.suppress(InvalidFile, EnvironmentFault, ValueError, LookupError, TypeError, AttributeError):
            if place := place_in(path):
                value = self.value(path) if is_line(path) else self._many(file_of(path))[place[1]]
                digest = digest_json(value)
            else:
                raw = self.tree.read(path)
                value, digest = from_json(raw), digest_text(decode(raw, where=path))
            tags, source = value.get("tags"), value.get("source")
            return CaseEntry(
                case_id_of(value),
                digest,
                value.get("draft") is True,
                frozenset(tag for tag in (tags if isinstance(tags, list) else ()) if isinstance(tag, str)),
                source if isinstance(source, str) else None,
            )
        return UNREADABLE

    def entries(self, folder: str, *, drafts: bool = False) -> dict[str, CaseEntry]:
        """Return the entries of a folder's cases, or of its `drafts`, by id; files without an id are omitted."""
        found = map(self.entry, self.paths(folder))
        return {each.id: each for each in found if each.id and each.draft == drafts}

    def has(self, folder: str) -> bool:
        """Return whether a folder has a case that is not a draft."""
        return not all(self.entry(path).draft for path in self.paths(folder))

    def scored(self, folder: str) -> Sequence[str]:
        """Return the paths of a suite's cases and drafts. Raises `InvalidFile` if there is no case to score."""
        if not (files := self.paths(folder)):
            what = f"the suite has no golden cases ({PATTERN})"
            what += "".join(f"; {name} does not match" for name in misnamed(self.tree, folder)[:1])
            fix = "Write some (`row3 init` in an empty folder shows examples), or name another suite"
            raise InvalidFile(what, where=self.tree.place(f"{folder}/"), fix=fix)
        if not self.has(folder):
            fix = "Complete one and remove its `draft`"
            where = self.tree.place(f"{folder}/")
            raise InvalidFile("every golden case of the suite is a draft", where=where, fix=fix)
        return files

    def changed(self, folder: str, other: Cases, theirs: str, kind: Kind) -> list[str]:
        """Return the paths of a folder's cases that `theirs`, its folder in another tree, lacks or has other."""
        known = set(other.paths(theirs))
        return [path for path in self.paths(folder) if path not in known or not self._same(path, other, kind)]

    def _same(self, path: str, other: Cases, kind: Kind) -> bool:
        if not same_file(self.tree, other.tree, file_of(path)):
            return bool(place_in(path)) and self.value(path) == other.value(path)
        if "input" in keys_of(kind.case_model):
            raw = self._line(path) if is_line(path) else self.tree.read(file_of(path))
            return b'"file"' not in raw or self.case(path, kind).whole_digest == other.case(path, kind).whole_digest
        return True


def _listed(value: dict[str, Any], where: str) -> list[Any]:
    if isinstance(cases := value.get("cases"), list):
        return cases
    fix = 'Write {"version": "1.0", "cases": […]}'
    raise InvalidFile("field `cases` is not a list of golden cases", where=where, fix=fix)


def file_of(path: str) -> str:
    """Return the path of a case's file."""
    return path.rpartition(ROW)[0] if BEGUN[1] in path else path.partition("#")[0]


def place_in(path: str) -> tuple[str, int] | tuple[()]:
    """Return the field of a file of many that holds the case, or its line from 0; empty for a file of one case."""
    if is_line(path):
        return "cases", _number(path) - 1
    number = path.partition("#")[2]
    return ("cases", int(number)) if number else ()


def is_line(path: str) -> bool:
    """Return whether a case is a line of a file, or a row."""
    return BEGUN[0] in path or BEGUN[1] in path


def _number(path: str) -> int:
    return int(path.replace("#L", " ").rpartition(" ")[2])


def misnamed(tree: Tree, folder: str) -> list[str]:
    """Return the names of JSON files in a suite's folder that are not read: `rye.json`, `rye.gold.JSON`."""
    folders = tree.folders(folder)
    names = [name for name in map(name_of, tree.files(folder)) if name not in folders and name not in OTHER_FILES]
    return [name for name in names if name.lower().endswith(".json") and not name.endswith(ENDING)]


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def parse_case(raw: bytes, path: str, kind: Kind, *, where: str) -> StoredCase:
    """Return the golden case in a file's bytes; `where` names the file in messages. Raises `InvalidFile`."""
    value = case_value(raw, path, where)
    case = validate(kind.case_model, value, where=where)
    return StoredCase(case, digest_json(value) if place_in(path) else digest_text(decode(raw, where=where)), path)


def case_value(raw: bytes, path: str, where: str) -> dict[str, Any]:
    """Return the JSON object of a case in its file's bytes. Raises `InvalidFile`."""
    if name_of(file_of(path)) != MANY:
        return parse_value(raw, where)
    cases, place = _listed(parse_value(raw, where), file_of(where)), place_in(path)
    return json_object(cases[place[1]] if place else None, where=where)


def parse_value(raw: bytes, where: str) -> dict[str, Any]:
    """Return the JSON object of a case file's bytes. Raises `InvalidFile`."""
    value = parse_json(decode(raw, where=where), where=where)
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    return json_object(value, where=where)


def case_id_of(value: Mapping[str, Any]) -> str:
    """Return the id in a case's JSON value; empty if there is none."""
    return str(next((value[key] for key in ID_KEYS if isinstance(value.get(key), str)), ""))


def source_of(case: Any) -> str | None:
    """Return the source that a case names; None if it is missing or blank."""
    return (getattr(case, "source", None) or "").strip() or None
