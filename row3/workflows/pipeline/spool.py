"""Lines of JSON of a run: in memory while few, on disk when many."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO
from weakref import finalize

from row3.errors import EnvironmentFault

SPOOL_BYTES = 4 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024


class Spool:
    """The lines of a run's cases, in their order."""

    def __init__(self) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - lives as long as the run
        finalize(self, self._file.close)
        self._end = 0
        self._count = 0
        self._was_read = False

    def __len__(self) -> int:
        return self._count

    def add(self, line: bytes) -> None:
        """Keep one line. Raises `EnvironmentFault` where the disk is full."""
        if self._was_read:  # to seek before every line would empty the buffer with every line
            self._file.seek(self._end)
            self._was_read = False
        try:
            self._end += self._file.write(line + b"\n")
        except OSError as error:
            raise EnvironmentFault(
                f"a run's results cannot be kept ({error.strerror or error})",
                where=tempfile.tempdir or "the temporary folder",
                fix="Make room, or set TMPDIR to a folder on another disk",
            ) from None
        self._count += 1

    def __iter__(self) -> Iterator[bytes]:
        at, begun = 0, b""
        while at < self._end:
            self._was_read = True
            self._file.seek(at)
            block = self._file.read(min(self._end - at, BLOCK_BYTES))
            if not block:
                raise OSError(errno.EIO, "a temporary file has lost its end")
            at += len(block)
            *lines, begun = (begun + block).split(b"\n")
            yield from lines
