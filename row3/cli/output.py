"""Output streams: the result goes to stdout or a file, everything else to stderr."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from row3.reports.terminal import prose

NARROWEST, USUAL = 60, 80
"""Columns: the minimum, and the default for a terminal of unknown width."""
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
BREAK = re.compile(r"\s*[\n\u2028\u2029]\s*")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class SafeStream(io.TextIOWrapper):
    """A stream that drops what it cannot write, so that the exit code does not depend on the reader."""

    def __init__(self, stream: io.TextIOWrapper, dropped: type[OSError], *, by_line: bool) -> None:
        super().__init__(stream.buffer, encoding="utf-8", errors="backslashreplace", line_buffering=by_line)
        self._dropped = dropped
        self._stream = stream  # kept alive, as its deletion closes the buffer

    def write(self, text: str, /) -> int:
        """Write the text if possible."""
        try:
            return super().write(text)
        except OSError as error:
            self._failed(error)
            return len(text)

    def flush(self) -> None:
        """Flush the buffer if possible."""
        try:
            super().flush()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        # At exit, the interpreter would write the rest again and fail with its own exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        if not isinstance(error, self._dropped):
            error.filename = "standard output"
            raise error


def make_streams_safe() -> None:
    """Let stdout survive a closed pipe (`row3 cases | head`), and stderr any failure such as a full disk."""
    if sys.stdout is None or sys.stderr is None:  # closed by the caller
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(ValueError):  # closed
            sys.stdout = SafeStream(sys.stdout, BrokenPipeError, by_line=sys.stdout.line_buffering)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = SafeStream(sys.stderr, OSError, by_line=True)


def note(text: str) -> None:
    """Write a note to stderr."""
    tell(f"note: {text}")


def tell(text: str) -> None:
    """Write a message to stderr: wrapped on a terminal, one line for a program."""
    # Quoted text must not look like a message of its own.
    text = inert(CONTROL.sub("�", BREAK.sub(" ", text)))
    if sys.stderr.isatty():
        text = "\n".join(prose(text, columns(sys.stderr)))
    sys.stderr.write(f"{text}\n")


def columns(terminal: TextIO) -> int:
    """Return the width of a terminal: COLUMNS, else its own."""
    given, width = os.environ.get("COLUMNS", ""), 0
    with contextlib.suppress(OSError, ValueError):
        width = int(given) if given.isdecimal() else os.get_terminal_size(terminal.fileno()).columns
    return max(NARROWEST, width or USUAL)


def inert(text: str) -> str:
    """Defuse workflow commands of GitHub's runner in a text (`::add-mask::`, `##[error]`)."""
    if "GITHUB_ACTIONS" not in os.environ:
        return text
    return COMMAND.sub(lambda found: f"{found[0][:-1]}\u200b{found[0][-1]}", text)


def emit(pieces: str | Iterable[bytes], out: str | None, *, commands: bool = False) -> None:
    """Write a result to stdout, or atomically to a file; bytes are UTF-8. Raises `EnvironmentFault`.

    Args:
        commands: keep workflow commands of GitHub's runner; otherwise they are defused.
    """
    if isinstance(pieces, str):
        pieces = ((pieces if pieces.endswith("\n") else f"{pieces}\n").encode("utf-8", "backslashreplace"),)
    if out is not None:
        from row3.project.files import write_atomic
        from row3.project.root import own_file

        write_atomic(own_file(Path(out)), pieces, where=out)
        return
    for piece in pieces:
        sys.stdout.write(piece.decode() if commands else inert(piece.decode()))
    sys.stdout.flush()


def append_summary(markdown: str) -> bool:
    """Append to the step summary on GitHub; returns whether there is one."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(f"{markdown}\n")
    return bool(target)
