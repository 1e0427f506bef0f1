"""JSON Lines files: found line by line, and each line read again when it is wanted.

A file of many gigabytes takes no more memory than what is kept of its lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from weakref import finalize

from row3.errors import InvalidFile
from row3.store.documents import parse_json, quick_json
from row3.store.files import CONFLICT, NO_PIPE, open_file, read_faults
from row3.store.tree import Tree

BUFFER = 1 << 18
"""Bytes of one reading: the lines are kilobytes long, and Python's own buffer holds one or two."""
MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_BYTES = 2**32
BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line, with its place in the file."""

    offset: int
    number: int
    raw: bytes


class LineFile:
    """A file that stays open, so that its lines are those that were found, even if the file is replaced."""

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
        """Open a path, or content that is in memory, which messages call `where`; a `pipe` only where it may be one.

        `fix` is what to do about a line that is too long, `cure` about a pipe; a link is followed outside a project
        only. Raises `InvalidFile`, `EnvironmentFault`.
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

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines that are not blank; raises `InvalidFile` for UTF-16 and too long a line."""
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
                    yield Line(offset + length - len(raw), number, raw)
                offset += length

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file; where the system can, without moving its position, which forked workers share."""
        if not isinstance(self._file, BytesIO) and hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        self._file.seek(offset)
        return self._file.read(length)


def lines_in(tree: Tree, path: str) -> LineFile:
    """Open a JSON Lines file of a project. Raises as `LineFile`."""
    source = tree.on_disk(path) or tree.read(path, limit=MAX_BYTES)
    return LineFile(source, where=tree.place(path), follow=False)


def decoded(raw: bytes, where: str, *, fix: str = "Restore the file from git") -> str:
    """Return the text of a line; raises `InvalidFile` where it is not UTF-8 or marks a merge conflict."""
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
    """Return the object of a line; raises `InvalidFile` with the right `shape`, duplicate keys and NaN included."""
    try:
        value = quick_json(raw)
    except ValueError:
        text = decoded(raw, where, fix="Save the file as UTF-8")
        try:
            value = parse_json(text.strip(), where=where, surrogates=True)
        except InvalidFile as error:
            raise InvalidFile(error.what, where=where, fix=shape) from None
    if not isinstance(value, dict):
        raise InvalidFile("the line holds no JSON object", where=where, fix=shape)
    return value
