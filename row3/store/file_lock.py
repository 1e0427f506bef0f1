"""A lock on a file that ends with the process that holds it.

`flock` where the system has it: the package filelock does the same there, but brings asyncio and sixty modules more,
which is a tenth of what the gate takes from start to end. Where there is no `flock` (Windows) filelock does it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

POLL_S = 0.05


class LockedElsewhereError(Exception):
    """Another holder kept the lock longer than one was ready to wait."""


class FileLock:
    """An exclusive lock by a file's name; not for several threads at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._release = _nothing

    def acquire(self, timeout_s: float) -> None:
        """Take the lock, trying again until the time is over. Raises `LockedElsewhereError`, `OSError`."""
        try:
            import fcntl
        except ImportError:
            self._acquire_by_package(timeout_s)
            return
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        end = time.monotonic() + timeout_s
        try:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= end:
                        raise LockedElsewhereError(str(self._path)) from None
                    time.sleep(POLL_S)
        except BaseException:
            os.close(handle)
            raise

        def release() -> None:
            # Closing is not enough: a worker process that was forked meanwhile holds the same open file.
            fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)

        self._release = release

    def _acquire_by_package(self, timeout_s: float) -> None:
        import filelock

        lock = filelock.FileLock(str(self._path))
        try:
            lock.acquire(timeout=timeout_s)
        except filelock.Timeout:
            raise LockedElsewhereError(str(self._path)) from None
        self._release = lock.release

    def release(self) -> None:
        """Give up the lock, if it is held."""
        release, self._release = self._release, _nothing
        release()

    @property
    def held(self) -> bool:
        """The lock is ours."""
        return self._release is not _nothing


def _nothing() -> None:
    return None
