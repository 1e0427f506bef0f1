"""What `.row3/` keeps: every run, as a header and a line for each case; and scores, by content, safe to delete."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field, to_builtins
from msgspec.json import Decoder, encode

from row3.domain.requests import digest_json, digest_text
from row3.domain.runs import SCHEMA_VERSION, RunHeader
from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault, InvalidFile
from row3.store.documents import check_schema_version, parse_json, validate
from row3.store.files import decode, read_bytes, write_atomic
from row3.store.tree import WorkTree

RUNS = "runs"
"""Folder of the run logs in `.row3/`."""
MAX_BYTES = 2**30
MAX_CACHE_BYTES = 2**26
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
    problem: str = ""
    """Why a bad answer could not be used, or why there is none; empty in older runs."""

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


def answers_beside(log: Path) -> Path:
    """Return the file beside a run log with the answers that no recording keeps: those of a live run."""
    return log.with_suffix(".answers.jsonl")


def context_beside(log: Path) -> Path:
    """Return the file beside a run log with what a sink needs to know of it: an experiment's name and items."""
    return log.with_suffix(".context.jsonl")


def latest_runs(local: Path) -> list[Path]:
    """Return the run logs in `.row3/`, newest first. Raises `InvalidFile` for a symbolic link."""
    folder = f"{local.name}/{RUNS}"
    tree = WorkTree(local.parent)
    return [tree.at(path) for path in reversed(tree.files(folder)) if path.endswith(".json")]


KEPT_SCORES = 4000
"""Scores that a file holds; beyond it the oldest go."""


class ScoreCache:
    """Scores by golden case and answers, under one scorer and one set of rules."""

    def __init__(self, local: Path, name: str) -> None:
        self._tree, self._path = WorkTree(local.parent), f"{local.name}/scores/{name}.msgpack"
        self._scores: dict[str, CaseScore] = {}
        self._new = False
        with suppress(InvalidFile, EnvironmentFault, msgspec.DecodeError):  # a broken file is as good as none
            if self._tree.exists(self._path):
                raw = self._tree.read(self._path, limit=MAX_CACHE_BYTES)
                self._scores = msgspec.msgpack.decode(raw, type=dict[str, CaseScore])

    def get(self, case: str, answers: Sequence[str]) -> CaseScore | None:
        """Return the score of these answers' texts to the case of that digest, without its explanation."""
        return self._scores.get(_key(case, answers))

    def put(self, case: str, answers: Sequence[str], score: CaseScore) -> None:
        """Take in a score; `found` has to say what its explanation says of missed and extra items."""
        self._scores[_key(case, answers)] = msgspec.structs.replace(score, explanation=None, output=None)
        self._new = True

    def save(self) -> None:
        """Write what is new; a folder that cannot be written to keeps nothing."""
        if not self._new:
            return
        kept = dict(list(self._scores.items())[-KEPT_SCORES:])
        with suppress(InvalidFile, EnvironmentFault, UnicodeEncodeError):  # an answer may hold half a surrogate pair
            write_atomic(self._tree.at(self._path), msgspec.msgpack.encode(kept))
        self._new = False


def _key(case: str, answers: Sequence[str]) -> str:
    return digest_json([case, [digest_text(text) for text in answers]])
