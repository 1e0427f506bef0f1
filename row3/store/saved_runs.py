"""Saved runs, the local log of every run: a header, and a record of each case on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, field, to_builtins
from msgspec.json import Decoder, encode

from row3.domain.runs import SCHEMA_VERSION, RunHeader
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, parse_json, validate
from row3.store.files import decode, read_bytes, write_atomic

MAX_BYTES = 2**30
LINES_AT_ONCE = 64
"""Written in one piece."""
Fraction = Annotated[float, Meta(ge=0, le=1)]
Digests = tuple[str, ...]


class CaseRecord(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """One case of a saved run."""

    id: str
    digest: str
    """Of the golden case's file."""
    status: str
    metrics: Mapping[str, Fraction]
    found: Mapping[str, tuple[str, ...]]
    said: str = field(default="", name="answers")
    """Short digest of all answers joined; empty for outputs made elsewhere."""
    spread: Mapping[str, Annotated[float, Meta(ge=0)]] = {}
    """Standard deviation over the repeats, by metric; empty where the case was asked once."""
    tally: Mapping[str, Mapping[str, Annotated[int, Meta(ge=0)]]] = {}
    """What became of the items, counted; empty in runs older than it."""
    requests: Digests = ()
    """Digests of the requests, stage by stage, repeat by repeat; empty in older runs and for outputs made elsewhere."""
    answers: Digests = field(default=(), name="answerDigests")
    """SHA-256 of each answer's text, in the order of the requests; one fewer where the last had no answer."""

    def line(self) -> bytes:
        """Return the record as JSON."""
        try:
            return encode(self)
        except UnicodeEncodeError:  # half a surrogate pair, which a model can write and UTF-8 cannot
            return json.dumps(to_builtins(self), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


_DECODER = Decoder(CaseRecord)


def parse_record(line: bytes | str, *, where: str) -> CaseRecord:
    """Return a case record from its line; raises `InvalidFile`."""
    try:
        return _DECODER.decode(line)
    except ValueError:
        raise InvalidFile("a case record is broken", where=where, fix="Restore the file from git") from None


class _File(RunHeader, frozen=True, kw_only=True):
    schema_: str | None = field(default=None, name="$schema")
    cases: list[CaseRecord]


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as it was saved."""

    header: RunHeader
    cases: Mapping[str, CaseRecord]
    """By id, in the order of the run."""


def read_log(path: Path, *, where: str = "") -> SavedRun:
    """Return the run of a local log, or of any file on disk that is named `where`; raises `InvalidFile`."""
    where = where or f".row3/runs/{path.name}"
    return parse_run(read_bytes(path, where=where, limit=MAX_BYTES), where=where)


def parse_run(raw: bytes, *, where: str) -> SavedRun:
    """Return a saved run from its bytes; raises `InvalidFile`."""
    value = parse_json(decode(raw, where=where), where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    file = validate(_File, value, where=where, fix="Delete the file, or restore it")
    cases = {record.id: record for record in file.cases}
    if len(cases) < len(file.cases):
        ids = [record.id for record in file.cases]
        twice = next(case_id for case_id in ids if ids.count(case_id) > 1)
        raise InvalidFile(f"the case `{twice}` is listed twice", where=where, fix="Delete the file, or restore it")
    header = {key: getattr(file, key) for key in RunHeader.__struct_fields__}
    return SavedRun(RunHeader(**header), cases)


def run_bytes(header: RunHeader, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Return the file of a saved run, piece by piece."""
    yield json.dumps(header.plain(), ensure_ascii=False, allow_nan=False, indent=1)[:-2].encode()
    yield b',\n "cases": [\n'
    left, between = iter(lines), b""
    while some := list(islice(left, LINES_AT_ONCE)):
        yield between + b",\n".join(some)
        between = b",\n"
    yield b"\n]}\n"


def write_run(path: Path, header: RunHeader, lines: Iterable[bytes]) -> None:
    """Write a saved run; raises `EnvironmentFault`, and then nothing has changed."""
    write_atomic(path, run_bytes(header, lines), where=path.name)


def latest_runs(folder: Path) -> list[Path]:
    """Return the local run logs, newest first."""
    return sorted(folder.glob("*.json"), reverse=True) if folder.is_dir() else []
