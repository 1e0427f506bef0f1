"""Outputs made elsewhere: `{"caseId": …, "output": {…}}`, one JSON object per line, or row of a Parquet file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from row3.domain.words import nearest
from row3.errors import InvalidFile
from row3.project.cases import LINES
from row3.project.documents import check_schema_version
from row3.project.json_lines import KeyedLines, LineFile, Spot, parse_line

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\s*\{\s*"caseId"\s*:\s*"([^"\\\x00-\x1f\x80-\xff]+)"\s*[,}]')
SHAPE = 'Write one object per line: {"caseId": "…", "output": {…}}'
RECORDING = "the line is a recording of row3"


@dataclass(frozen=True, slots=True)
class Output:
    """The output for a case (JSON value or raw text), or the reason why there is none."""

    case_id: str
    value: Any
    error: str
    where: str


class OutputIndex:
    """The outputs of a file, or of a folder's files, by case id; each is read from disk when needed."""

    def __init__(self, path: Path, *, where: str) -> None:
        """Index the files. Raises `InvalidFile` for a missing or duplicate case id, and as `LineFile`."""
        self.where = where
        self._lines = KeyedLines()
        for each, place in _files(path, where):
            for spot, raw in LineFile(each, where=place, fix=SHAPE, cure="Write the outputs to a file first"):
                self._lines.add(_id_in(spot, raw), spot)
        for first, spot in (map(self._lines.spot, pair) for pair in self._lines.twice()):
            # First report a line that is not an output at all, such as the answers of two prompts.
            case_id = read_output(parse_line(spot.read(), where=spot.place, shape=SHAPE), where=spot.place).case_id
            unit = first.file.unit
            numbers = (
                f"{unit}s {first.number}" if first.file is spot.file else f"{unit} {first.number} of {first.file.where}"
            )
            what = f"case `{case_id}` occurs twice, in {numbers} and {spot.number}"
            raise InvalidFile(what, where=spot.place, fix="Keep one of them")

    def __len__(self) -> int:
        return len(self._lines)

    def case_ids(self) -> Iterator[str]:
        """Yield the ids of the cases that have an output, in order."""
        for place in range(len(self)):
            spot = self._lines.spot(place)
            yield _id_in(spot, spot.read())

    def get(self, case_id: str) -> Output | None:
        """Return the output for a case, or None. Raises `InvalidFile` for a broken line."""
        spot = next(iter(self._lines.spots(case_id)), None)
        if spot is None:
            return None
        output = read_output(parse_line(spot.read(), where=spot.place, shape=SHAPE), where=spot.place)
        if output.case_id != case_id:
            what = "the file was changed while it was being read"
            raise InvalidFile(what, where=spot.place, fix="Run the command again")
        return output

    def refuse_unknown_cases(self, known: Collection[str], hint: Callable[[str, Collection[str]], str]) -> None:
        """Raise `InvalidFile`, with a hint, for the first output whose case is not `known`."""
        for place, case_id in enumerate(self.case_ids()):
            if case_id not in known:
                what = f"`{case_id}` is not a golden case of the suite"
                raise InvalidFile(what, where=self._lines.spot(place).place, fix=hint(case_id, known))


def _files(path: Path, where: str) -> list[tuple[Path, str]]:
    """Return the files of a folder, or the path itself, each with its name in messages."""
    if not path.is_dir():
        return [(path, where)]
    names = sorted(each.name for each in path.iterdir() if each.suffix in LINES and not each.name.startswith("."))
    if not names:
        raise InvalidFile("the folder has no .jsonl file", where=where, fix="Name a file or folder of outputs")
    return [(path / name, f"{where}/{name}") for name in names]


def _id_in(spot: Spot, raw: bytes) -> str:
    if head := HEAD.match(raw):
        return head[1].decode("ascii")
    return case_id_of(parse_line(raw, where=spot.place, shape=SHAPE), where=spot.place)


def case_id_of(value: dict[str, Any], *, where: str, shape: str = SHAPE) -> str:
    """Return the case id of a line. Raises `InvalidFile` that shows the right `shape`."""
    case_id = value.get("caseId")
    if isinstance(case_id, str) and case_id:
        return case_id
    if "caseId" in value:
        raise InvalidFile("field `caseId` is not text", where=where, fix=shape)
    near = nearest("caseId", value, 0.5)
    hint = f"; is it `{near}`?" if near else ""
    raise InvalidFile(f"field `caseId` is missing{hint}", where=where, fix=shape)


def read_output(value: dict[str, Any], *, where: str) -> Output:
    """Return the output of a parsed line; unknown keys are ignored. Raises `InvalidFile`."""
    check_schema_version(value, SCHEMA_VERSION, where=where)
    case_id = case_id_of(value, where=where)
    error = value.get("error")
    if error is not None and value.get("output") is None:
        return Output(case_id, None, str(error).strip() or "no reason given", where)
    if error is not None:
        what, fix = "the line has both an `output` and an `error`", "Keep the output, or the error that prevented it"
    elif "output" in value:
        return Output(case_id, value["output"], "", where)
    elif is_recording(value):
        what, fix = RECORDING, "Run `row3`, which scores recordings"
    elif "response" in value:
        what = "the line has a `response`, the raw text of a model, but no `output`"
        fix = "Import it with `row3 recordings import FILE`; then `row3` scores it"
    else:
        what, fix = "the line has neither an `output` nor an `error`", SHAPE
    raise InvalidFile(what, where=where, fix=fix)


def is_recording(value: dict[str, Any]) -> bool:
    """Return whether a parsed line has the keys of a recording."""
    return {"digest", "request", "response"} <= value.keys()
