"""Lines of JSON of a run: in memory while few, on disk when many, written by whichever process makes them."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, ClassVar, NamedTuple, Protocol
from weakref import WeakValueDictionary, finalize

from row3.errors import EnvironmentFault

SPOOL_BYTES = 4 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
BETWEEN = b",\n"
"""Between two lines, so that many can be copied into a JSON array at once; no line has a line end inside."""


class Readable(Protocol):
    """A file of lines."""

    def read(self, start: int, size: int) -> bytes:
        """That many bytes from there, fewer at its end."""
        ...


class SharedFile:
    """A file without a name, into which one forked process writes and from which its parent reads.

    It is gone when no process has it open, however that ends. Sent from one of the two to the other, it is the same
    file there.
    """

    _open: ClassVar[WeakValueDictionary[int, SharedFile]] = WeakValueDictionary()
    _numbers: ClassVar[Iterator[int]] = count()

    def __init__(self) -> None:
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - lives as long as somebody refers to its lines
        finalize(self, self._file.close)
        self._number = next(self._numbers)
        self._end = 0
        self._open[self._number] = self

    def write(self, lines: Sequence[bytes]) -> list[Place]:
        """Write lines; where each of them is. Raises `EnvironmentFault`."""
        places, end = [], self._end
        for line in lines:
            start, end = end, end + len(line)
            places.append(Place(self, start, end))
            end += len(BETWEEN)
        left = memoryview(b"".join([line + BETWEEN for line in lines]))
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _full(error) from None
        self._end = end
        return places

    def read(self, start: int, size: int) -> bytes:
        """That many bytes from there; where the writing process is, its place in the file stays as it is."""
        return os.pread(self._file.fileno(), size, start)

    def __reduce__(self) -> tuple[object, ...]:
        return _same_file, (self._number,)


def _full(error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"what is found of the cases cannot be kept there ({error.strerror or error})",
        where=tempfile.tempdir or "the temporary folder",
        fix="Make room, or set TMPDIR to a folder on another disk",
    )


def _same_file(number: int) -> SharedFile:
    return SharedFile._open[number]


class Place(NamedTuple):
    """Where a line is."""

    file: Readable
    start: int
    end: int


class _OwnFile:
    """What the process that reads has written itself; in memory until it is large."""

    def __init__(self) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - lives as long as the run
        finalize(self, self._file.close)
        self._end = 0
        self._was_read = False

    def write(self, line: bytes) -> Place:
        """Write a line; where it is. Raises `EnvironmentFault`."""
        if self._was_read:  # to seek before every line would empty the buffer with every line
            self._file.seek(self._end)
            self._was_read = False
        place = Place(self, self._end, self._end + len(line))
        try:
            self._end += self._file.write(line + BETWEEN)
        except OSError as error:
            raise _full(error) from None
        return place

    def read(self, start: int, size: int) -> bytes:
        self._was_read = True
        self._file.seek(start)
        return self._file.read(size)


class Spool:
    """The lines of a run's cases, in their order."""

    def __init__(self) -> None:
        self._own = _OwnFile()
        self._parts: list[Place] = []
        """Where they are, each part with a `BETWEEN` after every line."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, line: bytes | Place) -> None:
        """Keep one line, which may be in a file already."""
        file, start, end = self._own.write(line) if isinstance(line, bytes) else line
        last = self._parts[-1] if self._parts else None
        if last is not None and last.file is file and last.end == start:
            self._parts[-1] = Place(file, last.start, end + len(BETWEEN))
        else:
            self._parts.append(Place(file, start, end + len(BETWEEN)))
        self._count += 1

    def __iter__(self) -> Iterator[bytes]:
        for block in self.joined():
            *lines, last = block.split(b"\n")  # a single byte is looked for ten times as fast as two
            for line in lines:
                yield line[:-1]
            if last:
                yield last

    def joined(self) -> Iterator[bytes]:
        """All lines with a comma and a line end between them, as few large pieces that end where a line does."""
        begun = b""
        for block in self._blocks():
            end = block.rfind(BETWEEN) + len(BETWEEN)
            if end < len(BETWEEN):
                begun += block
                continue
            yield begun + block[:end]
            begun = block[end:]
        if begun:
            yield begun

    def _blocks(self) -> Iterator[bytes]:
        """The bytes as they come, without what stands after the last line."""
        for number, (file, start, stop) in enumerate(self._parts, 1):
            end = stop - len(BETWEEN) if number == len(self._parts) else stop
            at = start
            while at < end:
                block = file.read(at, min(end - at, BLOCK_BYTES))
                if not block:
                    raise OSError(errno.EIO, "a temporary file has lost its end")
                at += len(block)
                yield block
