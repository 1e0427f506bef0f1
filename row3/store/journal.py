"""Answers as they arrive: one file a run in `.row3/journal/`, flushed line by line.

What was paid for is on disk before the next request is sent. The same command given again finds it there.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

from row3.domain.requests import Answer, Request
from row3.store.files import disk_faults
from row3.store.locks import local_folder
from row3.store.recordings import to_line

FOLDER = "journal"


class Journal:
    """The journal of one run."""

    def __init__(self, local: Path, suite: str, run_id: str) -> None:
        self.path = local_folder(local) / FOLDER / f"{suite}--{run_id}.jsonl"
        self._file: BinaryIO | None = None
        self.count = 0

    def keep(self, request: Request, answer: Answer, *, recorded_at: str) -> None:
        """Write one answer and flush it to disk. Raises `EnvironmentFault`."""
        with disk_faults(".row3/journal"):
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("ab")
            self._file.write(to_line(request, answer, recorded_at=recorded_at).encode("utf-8") + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        self.count += 1

    def close(self) -> None:
        """Close the file; it stays."""
        if self._file is not None:
            self._file.close()
            self._file = None


def journals(local: Path, suite: str) -> list[Path]:
    """What earlier runs of the suite left behind, oldest first."""
    folder = local / FOLDER
    return sorted(folder.glob(f"{suite}--*.jsonl")) if folder.is_dir() else []


def lines_of(path: Path) -> list[str]:
    """The whole lines of a journal; one that was cut off by a crash is left out."""
    raw = path.read_bytes()
    return [line.decode("utf-8") for line in raw.split(b"\n")[:-1] if line.strip()]


def discard(paths: list[Path]) -> None:
    """Remove journals whose answers are in the recordings, or are no longer wanted."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
