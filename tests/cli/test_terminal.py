"""What a person sees: on a terminal as wide as it is, in a pipe always the same."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.projects import Box

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def seen(box: Box, *args: str, columns: int) -> str:
    """What a command writes to a terminal of that many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "row3", *args],
        cwd=box.root,
        env=box.env | {"TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # Linux says so when the other end is closed
        while chunk := os.read(ours, 65536):
            said += chunk
    os.close(ours)
    process.wait(timeout=60)
    return CODES.sub("", said.decode()).replace("\r\n", "\n")


@pytest.mark.parametrize(
    "args", ["--compare", "--dry-run", "recordings list", "history", "diff baseline latest", "lint"]
)
def test_nothing_is_wider_than_the_terminal_and_a_wide_one_is_used(first: Box, args: str) -> None:
    first.row3("--compare")
    narrow, wide = (seen(first, *args.split(), columns=columns) for columns in (80, 150))
    # Only a path that cannot be broken may be longer.
    assert [line for line in narrow.split("\n") if len(line) > 80 and len(line.split()) > 1] == []
    assert len(wide.split("\n")) <= len(narrow.split("\n"))


def test_the_headline_is_wrapped_on_a_terminal_only(first: Box, tmp_path: Path) -> None:
    narrow, wide = (seen(first, columns=columns).split("\n") for columns in (80, 150))
    piped = first.row3(code=0).out.split("\n")
    first.row3("--out", str(tmp_path / "card.txt"), code=0)
    assert "candidate; promoted v1.0" in piped[0]
    assert piped[0].endswith("replay")
    assert narrow[0] != piped[0]
    assert " ".join(line.strip() for line in narrow[:2]) == piped[0]
    assert wide[0] == piped[0]
    assert (tmp_path / "card.txt").read_text(encoding="utf-8").split("\n")[0] == piped[0]


def test_in_a_pipe_the_width_is_always_the_same(first: Box) -> None:
    args = ("diff", "decompose-concepts-v1.0", "decompose-concepts-v1.1")
    assert first.row3(*args, COLUMNS="200").out == first.row3(*args, COLUMNS="40").out


def test_a_long_history_is_whole_when_verbose(box: Box) -> None:
    entry = box.history()[0]
    box.write("metrics-history.json", "[\n" + ",\n".join([json.dumps(entry)] * 25) + "\n]\n")
    assert "5 earlier (-v shows all)" in box.row3("history", code=0).out
    assert box.row3("history", "-v", code=0).out.count("promotion") == 25
