"""A row3 command on a terminal of its own, with keys pressed as a person would."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from tests.projects import Box

PATIENCE_S = 60.0
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"


class Terminal:
    """A command whose stdin and stderr are a terminal; its stdout too, unless it is piped."""

    def __init__(
        self, box: Box, *args: str, columns: int = 80, piped: bool = False, env: Mapping[str, str] | None = None
    ) -> None:
        self._master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.seen = ""
        """All that the terminal was sent, colours and all."""
        self._out: BinaryIO | None = None
        out = self._slave
        if piped:
            read, out = os.pipe()
            self._out = open(read, "rb")  # noqa: SIM115 - closed in `close`
        given = box.env | {"TERM": "xterm-256color"} | dict(env or {})
        self._process = subprocess.Popen(
            [sys.executable, "-m", "row3", *args],
            stdin=self._slave,
            stdout=out,
            stderr=self._slave,
            cwd=box.root,
            env=given,
            start_new_session=True,
        )
        if piped:
            os.close(out)

    @property
    def text(self) -> str:
        """The same without colours."""
        return COLOURS.sub("", self.seen).replace("\r\n", "\n")

    @property
    def screen(self) -> str:
        """The last item that was shown, and what came after it."""
        return self.text[self.text.rfind("\n── ") + 1 :]

    def _read(self, patience_s: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], patience_s)
        if ready:
            self.seen += os.read(self._master, 65536).decode("utf-8", "replace")
        return bool(ready)

    def _waits_for_a_key(self) -> bool:
        return not termios.tcgetattr(self._slave)[3] & termios.ICANON

    def until_asked(self) -> None:
        """Wait until the command waits for a key, with everything read that it wrote before."""
        until = time.monotonic() + PATIENCE_S
        while not self._waits_for_a_key():
            self._read(0.01)
            assert self._process.poll() is None, self.text
            assert time.monotonic() < until, self.text
        while self._read(0.0):
            pass

    def type(self, key: str) -> None:
        """Press a key when it is asked for, and do not wait for what it brings."""
        self.until_asked()
        os.write(self._master, key.encode())

    def line(self, text: str) -> None:
        """Type a line and press Enter."""
        os.write(self._master, f"{text}\n".encode())

    def until_read(self) -> None:
        """Wait until the command has taken in every key that was pressed."""
        until = time.monotonic() + PATIENCE_S
        while struct.unpack("i", fcntl.ioctl(self._slave, termios.FIONREAD, b"\0" * 4))[0]:
            self._read(0.02)
            assert time.monotonic() < until, self.text

    def until(self, words: str) -> None:
        """Wait until these words were written."""
        until = time.monotonic() + PATIENCE_S
        while words not in self.text:
            self._read(0.02)
            assert time.monotonic() < until, self.text

    def press(self, *keys: str) -> str:
        """Press keys one after the other, each when it is asked for; what they brought, up to the next question."""
        before = len(self.text)
        for key in keys:
            self.type(key)
            size = len(self.seen)
            until = time.monotonic() + PATIENCE_S
            while len(self.seen) == size and self._process.poll() is None:
                self._read(0.02)
                assert time.monotonic() < until, self.text
        if self._process.poll() is None:
            self.until_asked()
        return self.text[before:]

    def end(self, *keys: str) -> tuple[int, str]:
        """Press the last keys; the exit code, and stdout where it is piped."""
        for key in keys:
            self.type(key)
        until = time.monotonic() + PATIENCE_S
        while self._process.poll() is None:
            self._read(0.02)
            assert time.monotonic() < until, self.text
        while self._read(0.05):
            pass
        out = "" if self._out is None else self._out.read().decode("utf-8")
        assert "Traceback" not in self.text
        return self._process.wait(), out

    def interrupt(self) -> None:
        """Ctrl-C where the command waits for no key."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End the command at once, as `kill -9` does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the command if it still runs, and give the terminal back."""
        if self._process.poll() is None:
            self.kill()
        if self._out is not None:
            self._out.close()
        os.close(self._master)
        os.close(self._slave)


@contextmanager
def terminal(
    box: Box, *args: str, columns: int = 80, piped: bool = False, env: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """A command on a terminal, ended at the end."""
    one = Terminal(box, *args, columns=columns, piped=piped, env=env)
    try:
        yield one
    finally:
        one.close()
