"""JSON Lines files: indexed line by line, and each line read again when it is needed.

So a file of many gigabytes needs only as much memory as the index of its lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from weakref import finalize

from row3.errors import InvalidFile
from row3.project.documents import M, check_schema_version, parse_json, quick_json, validate
from row3.project.files import CONFLICT, NO_PIPE, open_file, read_faults
from row3.project.tree import Tree

BUFFER = 1 << 18
"""Read buffer in bytes. Lines are kilobytes long, and Python's default buffer holds only one or two."""
MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_BYTES = 2**32
BOM = b"\xef\xbb\xbf"


class Spot(NamedTuple):
    """Where a line is, to read it later."""

    file: LineFile
    offset: int
    length: int
    number: int

    @property
    def place(self) -> str:
        """File and line, as messages name them."""
        return f"{self.file.where}:{self.number}"

    def read(self) -> bytes:
        """Return the line."""
        return self.file.read(self.offset, self.length)


class LineFile:
    """An open file: its lines stay those that were indexed, even if the file is replaced."""

    def __init__(
        self,
        source: Path | bytes,
        *,
        where: str,
        fix: str = "Split it",
        cure: str = NO_PIPE,
        pipe: bool = False,
        follow: bool = True,
    ) -> None:
        """Open a path, or content in memory, that messages call `where`. Raises `InvalidFile`, `EnvironmentFault`.

        `fix` says what to do about a line that is too long, `cure` about a pipe, which only `pipe` allows; `follow`
        allows a symbolic link.
        """
        self.where, self._fix = where, fix
        with read_faults(where):
            if isinstance(source, bytes):
                self._file: BinaryIO = BytesIO(source)
            elif pipe:
                self._file = source.open("rb", BUFFER)
            else:
                self._file = open_file(source, where=where, buffering=BUFFER, fix=cure, follow=follow)
        finalize(self, self._file.close)

    def __iter__(self) -> Iterator[tuple[Spot, bytes]]:
        """Yield place and bytes of each line that is not blank. Raises `InvalidFile` for UTF-16 or an overlong line."""
        offset = number = 0
        with read_faults(self.where):
            while raw := self._file.readline(MAX_LINE_BYTES + 1):
                number += 1
                length = len(raw)
                if length > MAX_LINE_BYTES:
                    what = f"the line has more than {MAX_LINE_BYTES:,} bytes"
                    raise InvalidFile(what, where=f"{self.where}:{number}", fix=self._fix)
                if number == 1:
                    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                        raise InvalidFile("the file is in UTF-16", where=self.where, fix="Save it as UTF-8")
                    raw = raw.removeprefix(BOM)
                if raw and not raw.isspace():
                    yield Spot(self, offset + length - len(raw), len(raw), number), raw
                offset += length

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file, if possible without moving its position, which forked workers share."""
        if not isinstance(self._file, BytesIO) and hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        self._file.seek(offset)
        return self._file.read(length)


def lines_in(tree: Tree, path: str) -> LineFile:
    """Open a JSON Lines file of a project. Raises as `LineFile`."""
    source = tree.on_disk(path) or tree.read(path, limit=MAX_BYTES)
    return LineFile(source, where=tree.place(path), follow=False)


def decode_line(raw: bytes, where: str, *, fix: str = "Restore the file from git") -> str:
    """Return the text of a line. Raises `InvalidFile` if it is not UTF-8 or a merge-conflict marker."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"the line is not UTF-8 (byte {raw[error.start]:#04x})"
        raise InvalidFile(what, where=where, fix=fix) from None
    if CONFLICT.match(text) is not None:
        cure = "Keep the lines of both sides, without the markers"
        raise InvalidFile("the file has merge-conflict markers", where=where, fix=cure)
    return text


def parse_line(raw: bytes, *, where: str, shape: str) -> dict[str, Any]:
    """Return the JSON object of a line. Raises `InvalidFile` that shows the right `shape`."""
    try:
        value = quick_json(raw)
    except ValueError:
        text = decode_line(raw, where, fix="Save the file as UTF-8")
        try:
            value = parse_json(text.strip(), where=where, surrogates=True)
        except InvalidFile as error:
            raise InvalidFile(error.what, where=where, fix=shape) from None
    if not isinstance(value, dict):
        raise InvalidFile("the line is not a JSON object", where=where, fix=shape)
    return value


def parse_model(line: str, model: type[M], version: int, *, where: str, fix: str) -> M:
    """Return a line as a model of a schema version. Raises `InvalidFile`."""
    value = parse_line(line.encode("utf-8", "surrogatepass"), where=where, shape=fix)
    check_schema_version(value, version, where=where)
    return validate(model, value, where=where, fix=fix)


def parse_models(text: str, model: type[M], version: int, *, where: str, fix: str) -> Iterator[M]:
    """Yield the lines of a small file, as `parse_model`."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield parse_model(line, model, version, where=f"{where}:{number}", fix=fix)
