"""Golden cases: one file each, read one at a time."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from row3.domain.requests import digest_json, digest_text
from row3.errors import InvalidFile, UsageError
from row3.kinds.base import Kind
from row3.store.documents import check_schema_version, no_key_twice, parse_json, validate
from row3.store.files import decode, read_bytes
from row3.store.golden import PATTERN, golden_files, shown

CASE_SCHEMA_VERSION = 1
MUCH = 1 << 16
"""Bytes of one reading: a golden case has fewer."""
ID_KEYS = ("id", "document_id", "case_id")
"""What a kind may call the id of its cases."""
SHORT = 8
"""Hexadecimal digits of a demand's digest: 32 bits tell a few hundred demands of one case apart."""


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A golden case with the digest of its file's text."""

    case: Any
    digest: str
    where: str

    @property
    def id(self) -> str:
        """The case's id."""
        return str(self.case.id)


def case_files(folder: Path) -> list[Path]:
    """The suite's case files, by name. Raises `InvalidFile` where the suite is empty."""
    files = golden_files(folder)
    if not files:
        raise InvalidFile(
            f"the suite has no golden cases ({PATTERN})",
            where=f"{shown(folder)}/",
            fix="Add some, or run `row3 init` for a starter",
        )
    return files


def read_case(path: Path, kind: Kind) -> StoredCase:
    """One golden case; raises `InvalidFile`."""
    where = f"{shown(path.parent)}/{path.name}"
    raw = read_bytes(path, where=where)
    case = _quick(raw, kind.case_model)
    if case is not None:
        return StoredCase(case, digest_text(raw), where)
    text = decode(raw, where=where)
    value = parse_json(text, where=where)
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    return StoredCase(validate(kind.case_model, value, where=where), digest_text(text), where)


def _quick(raw: bytes, model: type[BaseModel]) -> BaseModel | None:
    """The case, read without Python's JSON parser; None where the file needs a closer look.

    That parser is the only one that can see duplicate keys. Here they are seen by counting: a file with one has more
    keys than the model has fields that were set. What could be miscounted is left to the closer look, as is every
    error.
    """
    if b"\r" in raw or raw.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        case = model.model_validate_json(raw)
    except ValidationError:
        return None
    if getattr(case, "schema_version", 1) > CASE_SCHEMA_VERSION:
        return None
    return case if no_key_twice(raw, _keys_set(case)) else None


def _keys_set(model: BaseModel) -> int:
    keys = model.__pydantic_fields_set__
    count = len(keys)
    for name in keys:
        value = getattr(model, name)
        if type(value) is list and value and isinstance(value[0], BaseModel):
            # Items of a list are flat in every case model; a nested one only sends the file to the closer look.
            count += sum([len(item.__pydantic_fields_set__) for item in value])
        elif type(value) is list and value and type(value[0]) is dict:
            count += sum([len(item) for item in value])  # what the kind does not look at
        elif isinstance(value, BaseModel):
            count += _keys_set(value)
    return count


def read_cases(folder: Path, kind: Kind, pattern: str | None = None) -> Iterator[StoredCase]:
    """All cases of a suite, one at a time, in the order of their files.

    Raises `InvalidFile` for a wrong file and for an id that stands in two files; `UsageError` where no case
    fits the pattern.
    """
    seen: dict[str, str] = {}
    fits = 0
    for path in case_files(folder):
        stored = read_case(path, kind)
        if stored.id in seen:
            raise InvalidFile(
                f"the id `{stored.id}` is also that of {seen[stored.id]}", where=stored.where, fix="Give it another"
            )
        seen[stored.id] = stored.where
        if pattern is None or fnmatch.fnmatchcase(stored.id, pattern):
            fits += 1
            yield stored
    if not fits:
        raise UsageError(f"no case fits `{pattern}`", where=f"{shown(folder)}/", fix="See the ids with `row3 -v`")


def case_id_of(value: Mapping[str, Any]) -> str:
    """The id of a case in the JSON value of its file; empty where it has none."""
    return str(next((value[key] for key in ID_KEYS if isinstance(value.get(key), str)), ""))


def sources_of(folder: Path) -> dict[str, str]:
    """By case id, what its text was taken from, where the case names it. A file that cannot be read is left out."""
    named: dict[str, str] = {}
    for path in golden_files(folder):
        try:
            raw = _whole(path)
        except OSError:
            continue
        # Every relationship has a source and a predicate; one source more is the case's own.
        if raw.count(b'"source"') == raw.count(b'"predicate"'):
            continue
        try:
            value = from_json(raw)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("source"), str):
            named[case_id_of(value)] = value["source"]
    return named


def _whole(path: Path) -> bytes:
    """A small file in one call: ten thousand of them are read for a summary."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        pieces = []
        while piece := os.read(descriptor, MUCH):
            pieces.append(piece)
            if len(piece) < MUCH:
                break
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def refuse_twice(files: Iterable[Path], kind: Kind) -> None:
    """Raise `InvalidFile` that names the two files with one id."""
    seen: dict[str, str] = {}
    for path in files:
        stored = read_case(path, kind)
        if stored.id in seen:
            raise InvalidFile(
                f"the id `{stored.id}` is also that of {seen[stored.id]}", where=stored.where, fix="Give it another"
            )
        seen[stored.id] = stored.where


def content_digest(case: Any) -> str:
    """Digest of all in a case that can move its score: input and expectations, not its dates and notes."""
    value = case.model_dump(
        mode="json", exclude={"schema_", "schema_version", "created", "version", "history", "origin"}
    )
    return digest_json(value)


def demands(kind: Kind, case: Any) -> str:
    """Short digests of all that a case demands, sorted and joined: enough to see that one is gone.

    That it is critical is a demand; and what it shares a source with, since other clusters make other intervals.
    """
    lines = [*kind.expectations(case), f"source {getattr(case, 'source', None) or ''}"]
    if getattr(case, "critical", False):
        lines.append("critical")
    return "".join(sorted(digest_text(line)[:SHORT] for line in lines))


def gone_demands(before: str, kind: Kind, case: Any) -> int:
    """How many of the earlier demands the case no longer makes."""
    now = demands(kind, case)
    held = [now[i : i + SHORT] for i in range(0, len(now), SHORT)]
    old = [before[i : i + SHORT] for i in range(0, len(before), SHORT)]
    return sum(1 for one in set(old) if old.count(one) > held.count(one))
