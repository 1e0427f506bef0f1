"""One writer at a time; a second run waits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from row3.errors import EnvironmentFault
from row3.store.file_lock import FileLock, LockedElsewhereError
from row3.store.files import disk_faults
from row3.store.transaction import FOLDER, MANIFEST, recover

PATIENCE_S = 120.0
GITIGNORE = "*\n"


def local_folder(local: Path) -> Path:
    """Make `.row3/`, which ignores itself in git. Raises `EnvironmentFault`."""
    with disk_faults(".row3"):
        if not local.is_dir():
            local.mkdir(parents=True, exist_ok=True)
        ignore = local / ".gitignore"
        if not ignore.exists():
            ignore.write_text(GITIGNORE, encoding="utf-8")
    return local


@contextlib.contextmanager
def writing(local: Path, *, say: Callable[[str], None] = lambda _: None) -> Iterator[list[str]]:
    """Hold the project's write lock, with nothing half-done left in it; gives the files that were finished first.

    Raises `EnvironmentFault` where another run keeps it longer than `PATIENCE_S` seconds.
    """
    lock = FileLock(local_folder(local) / "lock")
    if not _acquired(lock, 0.05):
        say("another row3 is writing; waiting for it")
    if not lock.held and not _acquired(lock, PATIENCE_S):
        raise EnvironmentFault(
            f"another row3 has been writing for more than {PATIENCE_S:g} s",
            where=".row3/lock",
            fix="Wait for it, or end it",
        )
    try:
        # What a killed command left is finished first, or a file would be read that is about to be replaced.
        yield recover(local.parent, local)
    finally:
        lock.release()


def finish_interrupted(local: Path, *, say: Callable[[str], None] = lambda _: None) -> list[str]:
    """Finish what a killed command left half-done, so that nobody reads a mixture; the files that are in place now.

    Raises `EnvironmentFault`, `InvalidFile`.
    """
    if not (local / FOLDER).exists():
        return []
    with writing(local, say=say) as done:
        pass
    if done:
        say(f"finished what an interrupted command had begun: {', '.join(done)}")
    return done


def tell_interrupted(local: Path, *, say: Callable[[str], None]) -> None:
    """Say that a killed command's change waits, to a command that may write nothing and so cannot finish it."""
    if (local / FOLDER / MANIFEST).exists():
        say("an interrupted command left its files half in place: repeat it (such as row3 promote) to finish them")


def _acquired(lock: FileLock, patience_s: float) -> bool:
    with disk_faults(".row3/lock"):
        try:
            lock.acquire(patience_s)
        except LockedElsewhereError:
            return False
    return True
