"""Outputs made elsewhere: `{"caseId": …, "output": {…}}`, one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from row3.domain.counts import nearest
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version
from row3.store.json_lines import LineFile, parse_line

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\s*\{\s*"caseId"\s*:\s*"([^"\\\x00-\x1f\x80-\xff]+)"\s*[,}]')
SHAPE = 'Write one object a line: {"caseId": "…", "output": {…}}'
RECORDING = "the line is a recording, as row3 keeps them"


@dataclass(frozen=True, slots=True)
class Output:
    """What was made for a case: an output (JSON value or raw text), or the reason why there is none."""

    case_id: str
    value: Any
    error: str
    where: str


class _Spot(NamedTuple):
    offset: int
    length: int
    number: int


class OutputIndex:
    """The outputs of a file by case id; each is read from disk when asked for."""

    def __init__(self, path: Path, *, where: str) -> None:
        """Index the file; raises `InvalidFile` for a line without id, for an id twice, and as `LineFile`."""
        self.where = where
        self._file = LineFile(path, where=where, fix=SHAPE, cure="Write the outputs to a file first")
        self._spots: dict[str, _Spot] = {}
        for offset, number, raw in self._file:
            head, place = HEAD.match(raw), f"{where}:{number}"
            if head is not None:
                case_id = head[1].decode("ascii")
            else:
                case_id = case_id_of(parse_line(raw, where=place, shape=SHAPE), where=place)
            if case_id in self._spots:
                # Report first what is no output at all, such as the answers of two prompts.
                read_output(parse_line(raw, where=place, shape=SHAPE), where=place)
                what = f"case `{case_id}` stands twice, in lines {self._spots[case_id].number} and {number}"
                raise InvalidFile(what, where=place, fix="Keep one of them")
            self._spots[case_id] = _Spot(offset, len(raw), number)

    def __len__(self) -> int:
        return len(self._spots)

    def ids(self) -> list[str]:
        """Return the case ids, in file order."""
        return list(self._spots)

    def place(self, case_id: str) -> str:
        """Return file and line of a case's output."""
        return f"{self.where}:{self._spots[case_id].number}"

    def get(self, case_id: str) -> Output | None:
        """Return the output for a case; None where there is none. Raises `InvalidFile` where its line is broken."""
        spot = self._spots.get(case_id)
        if spot is None:
            return None
        where = self.place(case_id)
        raw = self._file.read(spot.offset, spot.length)
        output = read_output(parse_line(raw, where=where, shape=SHAPE), where=where)
        if output.case_id != case_id:
            raise InvalidFile("the file was changed while it was being read", where=where, fix="Run the command again")
        return output

    def refuse_strangers(self, known: Collection[str], hint: Callable[[str, Collection[str]], str]) -> None:
        """Raise `InvalidFile`, with a hint, for the first output whose case is not `known`."""
        strangers = self._spots.keys() - known
        case_id = next((each for each in self._spots if each in strangers), None)
        if case_id is not None:
            what = f"`{case_id}` is no golden case of the suite"
            raise InvalidFile(what, where=self.place(case_id), fix=hint(case_id, known))


def case_id_of(value: dict[str, Any], *, where: str, shape: str = SHAPE) -> str:
    """Return the case id of a line; raises `InvalidFile` with the right `shape`."""
    case_id = value.get("caseId")
    if isinstance(case_id, str) and case_id:
        return case_id
    if "caseId" in value:
        raise InvalidFile("field `caseId` is not a text", where=where, fix=shape)
    near = nearest("caseId", value, 0.5)
    did = f"; did `{near}` mean it?" if near else ""
    raise InvalidFile(f"field `caseId` is missing{did}", where=where, fix=shape)


def read_output(value: dict[str, Any], *, where: str) -> Output:
    """Return the output in a parsed line; ignores unknown keys. Raises `InvalidFile`."""
    check_schema_version(value, SCHEMA_VERSION, where=where)
    case_id = case_id_of(value, where=where)
    error = value.get("error")
    if error is not None and value.get("output") is None:
        return Output(case_id, None, str(error).strip() or "no reason given", where)
    if error is not None:
        what, fix = "the line has an `output` and an `error`", "Keep the output, or the error that prevented it"
    elif "output" in value:
        return Output(case_id, value["output"], "", where)
    elif is_recording(value):
        what, fix = RECORDING, "Run `row3`, which scores what is recorded"
    elif "response" in value:
        what = "the line has a `response`, the raw text of a model, and no `output`"
        fix = "`row3 recordings import FILE` takes such lines, and `row3` scores them"
    else:
        what, fix = "neither field `output` nor field `error` is there", SHAPE
    raise InvalidFile(what, where=where, fix=fix)


def is_recording(value: dict[str, Any]) -> bool:
    """Return whether a parsed line is one of `recordings/`, by its keys."""
    return {"digest", "request", "response"} <= value.keys()
