"""Answers of runs, on disk from when they arrive: an interrupted run continues from its journal."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from row3.domain.requests import Answer, Request, digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.files import disk_faults, no_follow, read_bytes
from row3.project.json_lines import MAX_BYTES, LineFile
from row3.project.local_state import in_state
from row3.project.recording_lines import to_line
from row3.project.recordings import open_journal
from row3.project.transaction import locked

if TYPE_CHECKING:
    import asyncio

    from filelock import BaseFileLock

FOLDER = "journal"
ENDED = ".ended.jsonl"
"""End of the names of journals that only `--continue` reads."""
POLL_S = 0.2
"""Seconds between two checks whether another run has finished."""


class Journal:
    """The journal of one run; runs only continue from journals of their `kind`."""

    def __init__(self, root: Path, suite: str, kind: str, run_id: str) -> None:
        self._root, self._run = root, f"{suite}--{kind}"
        self.path = in_state(root, f"{FOLDER}/{self._run}--{run_id}.jsonl")
        self._lock = locked(root, f"{FOLDER}/{_lock_of(self.path).name}")
        self._turns: list[BaseFileLock] = []
        self._file: BinaryIO | None = self._opened()  # a run that waits for this one finds it from now on
        self._queue: list[tuple[Request, Answer, str]] = []
        self._commit: asyncio.Future[None] | None = None
        self._writing = threading.Lock()  # an interruption does not end the writing thread
        self._queued = self._written = 0

    def _opened(self) -> BinaryIO:
        with disk_faults(str(self.path)):
            return open(self.path, "ab", opener=no_follow)

    def take_turn(self, models: Iterable[str], say: Callable[[str], None]) -> list[LineFile]:
        """Wait until no other run asks these models about the suite; return the journals of those under way.

        So identical requests are paid once. A killed run ends its turn. Raises `EnvironmentFault`.
        """
        others: dict[Path, LineFile | None] = {}  # kept open, to be readable after their run removes them
        for model in sorted(set(models)):
            name = f"{FOLDER}/{self._run}--{digest_text(model)[:16]}.lock"
            waits = False
            while (turn := locked(self._root, name)) is None:
                if not waits:
                    say(f"another row3 is asking {model} about these cases; waiting for its answers")
                self._open(others)
                waits = True
                time.sleep(POLL_S)
            self._turns.append(turn)
        self._open(others)  # one may have asked everything, but not yet ended
        return [other for other in others.values() if other is not None]

    def _open(self, others: dict[Path, LineFile | None]) -> None:
        """Open the journals of other runs under way; None stands for one that is over."""
        for path in {*self.path.parent.glob(f"{self._run}--*.jsonl")}.difference(others, [self.path]):
            others[path] = None
            if not path.name.endswith(ENDED) and not _is_over(self._root, path):
                with contextlib.suppress(InvalidFile):
                    others[path] = open_journal(path)

    def end_turn(self) -> None:
        """Let waiting runs begin."""
        for turn in self._turns:
            turn.release()

    async def keep(self, request: Request, answer: Answer, *, recorded_at: str) -> None:
        """Write an answer to disk, together with others that arrive meanwhile. Raises `EnvironmentFault`."""
        import asyncio

        self._queue.append((request, answer, recorded_at))
        self._queued += 1
        number = self._queued
        while self._written < number:
            if self._commit is None or self._commit.done():
                self._commit = asyncio.ensure_future(asyncio.to_thread(self._write))
            await asyncio.shield(self._commit)

    def end(self) -> None:
        """Write any answers still queued and close the file. Raises as `keep`."""
        self._write()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self) -> None:
        with self._writing, disk_faults(str(self.path)):
            group, self._queue = self._queue, []
            if not group:
                return
            if self._file is None:
                self._file = self._opened()
            lines = (to_line(request, answer, recorded_at=at).encode() for request, answer, at in group)
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._written += len(group)

    def close(self) -> None:
        """Close the file and release the lock; remove the file if it is empty."""
        self.end()
        if self.path.exists() and not self.path.stat().st_size:
            discard([self.path])
        if self._lock is not None:
            self._lock.release()


def abandoned(root: Path, suite: str, kind: str, *, also_ended: bool = False) -> list[Path]:
    """Return the journals of interrupted runs, or also of those that ended without all answers, oldest first."""
    folder = in_state(root, FOLDER)
    found = sorted(folder.glob(f"{suite}--{kind}--*.jsonl")) if folder.is_dir() else []
    left = [path for path in found if (also_ended or not path.name.endswith(ENDED)) and _is_over(root, path)]
    return [in_state(root, f"{FOLDER}/{path.name}") for path in left]


def _is_over(root: Path, path: Path) -> bool:
    """Return whether no process writes a journal any more."""
    with contextlib.suppress(EnvironmentFault):
        if (lock := locked(root, f"{FOLDER}/{_lock_of(path).name}")) is not None:
            lock.release()
            return True
    return False


def lines_of(path: Path) -> list[str]:
    """Return the complete lines of a journal, without one cut off by a crash."""
    if not path.exists():
        return []
    raw = read_bytes(path, where=f"journal {path.name}", limit=MAX_BYTES, follow=False)
    return [line.decode("utf-8") for line in raw.split(b"\n")[:-1] if line.strip()]


def discard(paths: Iterable[Path]) -> None:
    """Remove journals and their locks."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
            _lock_of(path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")
