"""Saved runs: baselines, and the local log of every run.

A JSON object whose `cases` stand one a line, so that ten thousand of them are read and written one at a time, and a
git diff of a baseline shows the cases that moved.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, parse_json, validate
from row3.store.files import decode, read_bytes, refuse_conflicts, write_atomic
from row3.store.run_records import SCHEMA_VERSION, CaseRecord, RunHeader, parse_record
from row3.store.tree import Tree

MAX_BYTES = 2**30
MARK = b'"cases": [\n'
END = b"\n]}\n"
LINES_AT_ONCE = 64
"""Written in one piece."""
FIRST = b'{"id":"'
ID_WITHIN = 600
"""Bytes of a line in which its id is looked for."""


class SavedRun:
    """A saved run that is read case by case.

    One text and where its lines are, not a text a line: what worker processes inherit they share only as long as
    nobody touches it, and to look at an object is to touch it.
    """

    def __init__(self, header: RunHeader, text: bytes, places: Mapping[str, tuple[int, int]], where: str) -> None:
        """`places` are, by case id, where the record begins and ends in `text`."""
        self.header = header
        self._text, self._where = text, where
        self._number = {case_id: number for number, case_id in enumerate(places)}
        self._bounds = array("Q", [bound for place in places.values() for bound in place])

    def __len__(self) -> int:
        return len(self._number)

    def ids(self) -> list[str]:
        """Ids of all its cases."""
        return list(self._number)

    def record(self, case_id: str) -> CaseRecord | None:
        """The record of a case; None where the run did not have it. Raises `InvalidFile`."""
        number = self._number.get(case_id)
        if number is None:
            return None
        line = self._text[self._bounds[2 * number] : self._bounds[2 * number + 1]]
        return parse_record(line, where=f"{self._where} case {case_id}")

    def records(self) -> Iterator[CaseRecord]:
        """All records, in file order."""
        for case_id in self._number:
            record = self.record(case_id)
            assert record is not None
            yield record


def read_run(tree: Tree, path: str) -> SavedRun:
    """Return a saved run; raises `InvalidFile`."""
    return parse_run(tree.read(path, limit=MAX_BYTES), where=tree.place(path))


def read_log(path: Path, *, where: str = "") -> SavedRun:
    """Return the run of a local log, or of any file on disk that is named `where`; raises `InvalidFile`."""
    where = where or f".row3/runs/{path.name}"
    return parse_run(read_bytes(path, where=where, limit=MAX_BYTES), where=where)


def parse_run(raw: bytes, *, where: str) -> SavedRun:
    """A saved run from its bytes; raises `InvalidFile`."""
    start = raw.find(MARK)
    if start >= 0 and raw.endswith(END):
        value = parse_json(decode(raw[:start], where=where) + '"cases": []}', where=where)
        text, start, end = raw, start + len(MARK), len(raw) - len(END)
    else:  # reformatted by hand or by a tool: read it whole
        whole = decode(raw, where=where)
        refuse_conflicts(whole, where=where)
        value = parse_json(whole, where=where)
        if not isinstance(value, dict) or not isinstance(value.get("cases"), list):
            raise InvalidFile("field `cases` is missing", where=where, fix="Restore the file from git")
        text = b"\n".join([json.dumps(case).encode() for case in value["cases"]])
        start, end = 0, len(text)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    value.pop("cases", None)
    fix = "Correct it, restore it with `git checkout`, or make a new one with `row3 --baseline`"
    header = validate(RunHeader, value, where=where, fix=fix)
    return SavedRun(header, text, _places(text, start, end, where), where)


def _places(text: bytes, start: int, end: int, where: str) -> dict[str, tuple[int, int]]:
    """By case id, where its line begins and ends, without the comma after it."""
    places: dict[str, tuple[int, int]] = {}
    while start < end:
        stop = text.find(b"\n", start, end)
        stop = end if stop < 0 else stop
        last = stop - 1 if text[stop - 1 : stop] == b"," and stop > start else stop
        case_id: str | None = _id_at(text, start, min(last, start + ID_WITHIN))
        if not case_id:
            beginning = text[start : min(last, start + ID_WITHIN)]
            if beginning.startswith((b"<<<<<<<", b">>>>>>>", b"=======")):
                raise InvalidFile(
                    "the file has merge-conflict markers",
                    where=where,
                    fix="Take one side (`git checkout --ours` or `--theirs`), then run `row3 --compare`",
                )
            case_id = parse_record(text[start:last], where=where).id if beginning.strip() else None
        if case_id is not None:
            if case_id in places:
                raise InvalidFile(f"the case `{case_id}` stands twice", where=where, fix="Restore the file from git")
            places[case_id] = start, last
        start = stop + 1
    return places


def _id_at(text: bytes, start: int, end: int) -> str:
    """The id, which comes first in every line row3 writes; "" for one that cannot be cut out."""
    if not text.startswith(FIRST, start, end):
        return ""
    start += len(FIRST)
    stop = text.find(b'"', start, end)
    return text[start:stop].decode("utf-8", "replace") if stop > start and text.find(b"\\", start, stop) < 0 else ""


def run_bytes(header: RunHeader, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The file of a saved run, piece by piece."""
    yield json.dumps(header.plain(), ensure_ascii=False, allow_nan=False, indent=1)[:-2].encode()
    yield b",\n " + MARK
    left, between = iter(lines), b""
    while some := list(islice(left, LINES_AT_ONCE)):
        yield between + b",\n".join(some)
        between = b",\n"
    yield END


def write_run(path: Path, header: RunHeader, lines: Iterable[bytes]) -> None:
    """Write a saved run; raises `EnvironmentFault`, and then nothing has changed."""
    write_atomic(path, run_bytes(header, lines), where=path.name)


def latest_runs(folder: Path) -> list[Path]:
    """The local run logs, newest first."""
    return sorted(folder.glob("*.json"), reverse=True) if folder.is_dir() else []
