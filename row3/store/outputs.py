"""Outputs made elsewhere: `{"caseId": …, "output": {…}}`, one JSON object a line.

The file is indexed once, without parsing it, and each line is read when its case is scored: a file of many
gigabytes takes no more memory than its ids.
"""

from __future__ import annotations

import difflib
import os
import re
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from weakref import finalize

from row3.errors import EnvironmentFault, InvalidFile
from row3.store.documents import check_schema_version, parse_json, quick_json
from row3.store.files import CONFLICT, NO_PIPE, open_file

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\s*\{\s*"caseId"\s*:\s*"([^"\\\x00-\x1f\x80-\xff]+)"\s*[,}]')
BUFFER = 1 << 18
"""Bytes of one reading: the lines are kilobytes long, and Python's own buffer holds one or two."""
MAX_LINE_BYTES = 32 * 1024 * 1024
BOM = b"\xef\xbb\xbf"
SHAPE = 'Write one object a line: {"caseId": "…", "output": {…}}'
RECORDING = "the line is a recording, as row3 keeps them"
"""What stands in `recordings/`, and goes nowhere else."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a JSON Lines file, with its place."""

    offset: int
    number: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Output:
    """What was made for a case: an output (JSON value or raw text), or the reason why there is none."""

    case_id: str
    value: Any
    error: str
    where: str


def lines_of(path: Path, *, where: str, pipe: bool = False, shape: str = SHAPE) -> Iterator[Line]:
    """The lines of a JSON Lines file that are not blank, without a byte order mark.

    Args:
        path: the file.
        where: its name in messages.
        pipe: take a pipe, too, and wait for what it brings.
        shape: what is to be done about a line that cannot be one.

    Raises:
        InvalidFile: no such file, UTF-16, or a line of more than `MAX_LINE_BYTES`.
        EnvironmentFault: the machine does not let us read it.
    """
    with _opened(path, where=where, buffering=BUFFER, pipe=pipe) as file:
        offset = number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            length = len(raw)
            if length > MAX_LINE_BYTES:
                raise InvalidFile(
                    f"the line has more than {MAX_LINE_BYTES:,} bytes", where=f"{where}:{number}", fix=shape
                )
            if number == 1:
                if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    raise InvalidFile("the file is in UTF-16", where=where, fix="Save it as UTF-8")
                raw = raw.removeprefix(BOM)
            if not raw.isspace() and raw:
                yield Line(offset + length - len(raw), number, raw)
            offset += length


def parse_line(raw: bytes, *, where: str, shape: str = SHAPE) -> dict[str, Any]:
    """The object of one line; raises `InvalidFile` with the right `shape` for anything else, duplicate keys and NaN."""
    try:
        value = quick_json(raw)
    except ValueError:
        value = _slow_value(raw, where, shape)
    if not isinstance(value, dict):
        raise InvalidFile("the line holds no JSON object", where=where, fix=shape)
    return value


def _slow_value(raw: bytes, where: str, shape: str) -> Any:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidFile(
            f"the line is not UTF-8 (byte {raw[error.start]:#04x})", where=where, fix="Save the file as UTF-8"
        ) from None
    if CONFLICT.match(text):
        what = "the file has merge-conflict markers"
        raise InvalidFile(what, where=where, fix="Resolve the conflict, then run again")
    try:
        return parse_json(text.strip(), where=where, surrogates=True)
    except InvalidFile as error:
        raise InvalidFile(error.what, where=where, fix=shape) from None


class OutputIndex:
    """The outputs of a file by case id; each is read from disk when asked for."""

    def __init__(self, path: Path, *, where: str) -> None:
        """Index the file.

        Args:
            path: the file.
            where: its name in messages.

        Raises `InvalidFile` for a line without a case id, for an id that stands twice, and as `lines_of` does.
        """
        self.where = where
        # Open from now on, so that a file that is replaced while its cases are scored stays the one that was indexed.
        self._file = _opened(path, where=where, buffering=0, fix="Write the outputs to a file first")
        finalize(self, self._file.close)
        self._order: dict[str, int] = {}
        self._offsets, self._lengths, self._numbers = array("Q"), array("Q"), array("Q")
        for line in lines_of(path, where=where):
            head = HEAD.match(line.raw)
            case_id = head[1].decode("ascii") if head is not None else self._slow_id(line)
            earlier = self._order.setdefault(case_id, len(self._order))
            if earlier != len(self._numbers):
                # What is no output at all, such as answers of two prompts, is to be told before that it stands twice.
                read_output(parse_line(line.raw, where=f"{where}:{line.number}"), where=f"{where}:{line.number}")
                raise InvalidFile(
                    f"case `{case_id}` stands twice, in lines {self._numbers[earlier]} and {line.number}",
                    where=f"{where}:{line.number}",
                    fix="Keep one of them",
                )
            self._offsets.append(line.offset)
            self._lengths.append(len(line.raw))
            self._numbers.append(line.number)

    def __len__(self) -> int:
        return len(self._order)

    def ids(self) -> list[str]:
        """Case ids, in file order."""
        return list(self._order)

    def place(self, case_id: str) -> str:
        """File and line of a case's output."""
        return f"{self.where}:{self._numbers[self._order[case_id]]}"

    def get(self, case_id: str) -> Output | None:
        """The output for a case; None where there is none. Raises `InvalidFile` where its line is broken."""
        position = self._order.get(case_id)
        if position is None:
            return None
        where, raw = self.place(case_id), self._read(position)
        output = read_output(parse_line(raw, where=where), where=where)
        if output.case_id != case_id:
            raise InvalidFile("the file was changed while it was being read", where=where, fix="Run the command again")
        return output

    def _slow_id(self, line: Line) -> str:
        where = f"{self.where}:{line.number}"
        return case_id_of(parse_line(line.raw, where=where), where=where)

    def _read(self, position: int) -> bytes:
        offset, length = self._offsets[position], self._lengths[position]
        if hasattr(os, "pread"):  # forked workers share the file's position, so it must not be moved
            return os.pread(self._file.fileno(), length, offset)
        self._file.seek(offset)
        return self._file.read(length)

    def refuse_strangers(
        self,
        known: Collection[str],
        hint: Callable[[str, Collection[str]], str],
        *,
        among: Collection[str] | None = None,
    ) -> None:
        """Raise `InvalidFile` for the first output whose case is not `known`, with what to do about it.

        Args:
            known: ids of the golden cases.
            hint: what to do, by an id and those that are known.
            among: look at these ids only; None for all.
        """
        strangers = self._order.keys() - known  # in one go: nearly always there are none
        for case_id in self._order if strangers else ():
            if case_id not in strangers or (among is not None and case_id not in among):
                continue
            what = f"`{case_id}` is no golden case of the suite"
            raise InvalidFile(what, where=self.place(case_id), fix=hint(case_id, known))


def case_id_of(value: dict[str, Any], *, where: str, shape: str = SHAPE) -> str:
    """The case id of a line; raises `InvalidFile` with the right `shape`."""
    case_id = value.get("caseId")
    if isinstance(case_id, str) and case_id:
        return case_id
    if "caseId" in value:
        raise InvalidFile("field `caseId` is not a text", where=where, fix=shape)
    near = difflib.get_close_matches("caseId", value, n=1, cutoff=0.5)
    raise InvalidFile(
        "field `caseId` is missing" + (f"; did `{near[0]}` mean it?" if near else ""), where=where, fix=shape
    )


def read_output(value: dict[str, Any], *, where: str) -> Output:
    """The output in a parsed line; unknown keys are left alone. Raises `InvalidFile`."""
    check_schema_version(value, SCHEMA_VERSION, where=where)
    case_id = case_id_of(value, where=where)
    error = value.get("error")
    if error is not None and value.get("output") is None:
        text = error if isinstance(error, str) else str(error)
        return Output(case_id, None, text.strip() or "no reason given", where)
    if "output" not in value and is_recording(value):
        raise InvalidFile(RECORDING, where=where, fix="Run `row3`, which scores what is recorded")
    if "output" not in value and "response" in value:
        what = "the line has a `response`, the raw text of a model, and no `output`"
        raise InvalidFile(
            what, where=where, fix="`row3 recordings import FILE` takes such lines, and `row3` scores them"
        )
    if error is not None:
        what = "the line has an `output` and an `error`"
        raise InvalidFile(what, where=where, fix="Keep the output, or the error that kept it from being made")
    if "output" not in value:
        raise InvalidFile("neither field `output` nor field `error` is there", where=where, fix=SHAPE)
    return Output(case_id, value["output"], "", where)


def is_recording(value: dict[str, Any]) -> bool:
    """Whether a parsed line is one of `recordings/`, by its keys."""
    return {"digest", "request", "response"} <= value.keys()


def _opened(path: Path, *, where: str, buffering: int, pipe: bool = False, fix: str = NO_PIPE) -> BinaryIO:
    try:
        return path.open("rb", buffering) if pipe else open_file(path, where=where, buffering=buffering, fix=fix)
    except FileNotFoundError:
        raise InvalidFile("the file does not exist", where=where, fix="Create it, or correct the name") from None
    except IsADirectoryError:
        raise InvalidFile("this is a folder, not a file", where=where, fix="Name a JSON Lines file") from None
    except OSError as error:
        raise EnvironmentFault(
            f"cannot be read ({error.strerror})", where=where, fix="Check the file's permissions"
        ) from None
