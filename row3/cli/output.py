"""Where words go: the result to stdout or a file, everything else to stderr."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

NARROWEST, USUAL = 60, 80
"""Columns below which lines are left to the terminal, and those of one that does not say."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Unread(io.TextIOWrapper):
    """A stdout whose reader may go before the end (`row3 cases | head`).

    Nothing is wrong then, whoever writes: a result, or click its help. What is left goes nowhere, and the exit code
    stays that of the command.
    """

    def __init__(self, stdout: io.TextIOWrapper) -> None:
        buffered = stdout.line_buffering
        super().__init__(stdout.buffer, encoding="utf-8", errors="backslashreplace", line_buffering=buffered)
        self._stdout = stdout  # whose end would close the buffer

    def write(self, text: str, /) -> int:
        """Write the text, if somebody still reads."""
        try:
            return super().write(text)
        except BrokenPipeError:
            _to_nowhere(self)
            return len(text)

    def flush(self) -> None:
        """Write what waits, if somebody still reads."""
        try:
            super().flush()
        except BrokenPipeError:
            _to_nowhere(self)


class Unheard(io.TextIOWrapper):
    """A stderr that may fail: whoever read it has gone, or it goes into a file on a full disk.

    What a command finds, and the exit code that says so, must not depend on who hears its remarks.
    """

    def __init__(self, stderr: io.TextIOWrapper) -> None:
        super().__init__(stderr.buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self._stderr = stderr  # whose end would close the buffer

    def write(self, text: str, /) -> int:
        """Write the text, if that is possible."""
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Write what waits, if that is possible."""
        with contextlib.suppress(OSError):
            super().flush()


def clean(text: str) -> str:
    """Without control characters that could steer a terminal; a message may quote what a model wrote."""
    return CONTROL.sub("�", text)


def note(text: str) -> None:
    """A remark for the person at the terminal."""
    tell(f"note: {text}")


def tell(text: str) -> None:
    """A message on stderr: wrapped on a terminal, one line for a program."""
    text = clean(text)
    if sys.stderr.isatty():
        from row3.reports.style import prose

        text = "\n".join(prose(text, columns(sys.stderr)))
    sys.stderr.write(f"{text}\n")


def columns(terminal: TextIO) -> int:
    """How wide the lines of a terminal may be: as COLUMNS says, else as it is itself."""
    said, wide = os.environ.get("COLUMNS", ""), 0
    with contextlib.suppress(OSError, ValueError):
        wide = int(said) if said.isdecimal() else os.get_terminal_size(terminal.fileno()).columns
    return max(NARROWEST, wide or USUAL)


def _to_nowhere(stdout: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


def emit(pieces: str | Iterable[bytes], out: str | None) -> None:
    """The result: to stdout, or atomically into a file; bytes are UTF-8. Raises `EnvironmentFault`."""
    if isinstance(pieces, str):
        pieces = ((pieces if pieces.endswith("\n") else f"{pieces}\n").encode("utf-8", "backslashreplace"),)
    if out is None:
        try:
            for piece in pieces:
                sys.stdout.write(piece.decode())
            sys.stdout.flush()
        except OSError:
            # What is left in the buffer would be tried again at the end, and its failure be the exit code.
            _to_nowhere(sys.stdout)
            raise
        return
    from row3.store.files import write_atomic

    write_atomic(Path(out), pieces, where=out)
