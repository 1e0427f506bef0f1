"""One writer at a time; a second run waits. A lock ends with the process that holds it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from row3.errors import EnvironmentFault
from row3.store.files import disk_faults
from row3.store.transaction import FOLDER, MANIFEST, recover

if TYPE_CHECKING:
    from filelock import BaseFileLock

PATIENCE_S = 120.0
AT_ONCE_S = 0.05
GITIGNORE = "*\n"


def local_folder(local: Path) -> Path:
    """Make `.row3/`, which ignores itself in git. Raises `EnvironmentFault`."""
    with disk_faults(".row3"):
        local.mkdir(parents=True, exist_ok=True)
        ignore = local / ".gitignore"
        if not ignore.exists():
            ignore.write_text(GITIGNORE, encoding="utf-8")
    return local


def locked(path: Path, *, timeout_s: float = 0.0) -> BaseFileLock | None:
    """Return a file's lock, held; None where another process keeps it that long. Raises `EnvironmentFault`."""
    import filelock  # brings asyncio: only a command that writes pays for it

    lock = filelock.FileLock(path, thread_local=False)
    with disk_faults(f".row3/{path.name}"):
        try:
            lock.acquire(timeout=timeout_s)
        except filelock.Timeout:
            return None
    return lock


@contextlib.contextmanager
def writing(local: Path, *, say: Callable[[str], None] = lambda _: None) -> Iterator[list[str]]:
    """Hold the project's write lock; give the files of an interrupted change that were finished first."""
    path = local_folder(local) / "lock"
    lock = locked(path, timeout_s=AT_ONCE_S)
    if lock is None:
        say("another row3 is writing; waiting for it")
        lock = locked(path, timeout_s=PATIENCE_S)
    if lock is None:
        what = f"another row3 has been writing for more than {PATIENCE_S:g} s"
        raise EnvironmentFault(what, where=".row3/lock", fix="Wait for it, or end it")
    try:
        # What a killed command left is finished first, or a file would be read that is about to be replaced.
        yield recover(local.parent, local)
    finally:
        lock.release()


def finish_interrupted(local: Path, *, say: Callable[[str], None] = lambda _: None) -> list[str]:
    """Finish what a killed command left half-done, and return the files that are in place now."""
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
