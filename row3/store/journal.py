"""Answers as they arrive: one file a run in `.row3/journal/`, flushed line by line.

What was paid for is on disk before the next request is sent. The same command given again finds it there. A run holds
a lock on its journal as long as it lives, so that nobody takes a journal from under a run that is still writing it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from row3.domain.requests import Answer, Request
from row3.errors import EnvironmentFault
from row3.store.files import disk_faults
from row3.store.locks import local_folder, locked
from row3.store.recording_lines import to_line

FOLDER = "journal"


class Journal:
    """The journal of one run; `kind` keeps those that will be saved apart from those that will not."""

    def __init__(self, local: Path, suite: str, kind: str, run_id: str) -> None:
        folder = local_folder(local) / FOLDER
        with disk_faults(".row3/journal"):
            folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{suite}--{kind}--{run_id}.jsonl"
        self._lock = locked(_lock_of(self.path))
        self._file: BinaryIO | None = None

    def keep(self, request: Request, answer: Answer, *, recorded_at: str) -> None:
        """Write one answer and flush it to disk. Raises `EnvironmentFault`."""
        with disk_faults(".row3/journal"):
            if self._file is None:
                self._file = self.path.open("ab")
            self._file.write(to_line(request, answer, recorded_at=recorded_at).encode("utf-8") + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file and give up the lock; the file stays."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._lock is not None:
            self._lock.release()


def abandoned(local: Path, suite: str, kind: str) -> list[Path]:
    """What earlier runs left behind and no living run holds, oldest first."""
    folder = local / FOLDER
    left = []
    for path in sorted(folder.glob(f"{suite}--{kind}--*.jsonl")) if folder.is_dir() else ():
        with contextlib.suppress(EnvironmentFault):
            if (lock := locked(_lock_of(path))) is not None:
                lock.release()
                left.append(path)
    return left


def lines_of(path: Path) -> list[str]:
    """The whole lines of a journal; one that was cut off by a crash is left out."""
    if not path.exists():
        return []
    return [line.decode("utf-8") for line in path.read_bytes().split(b"\n")[:-1] if line.strip()]


def discard(paths: Iterable[Path]) -> None:
    """Remove journals whose answers are in the recordings, or are no longer wanted."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
            _lock_of(path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")
