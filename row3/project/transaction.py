"""One writer at a time, and changes to several files that happen completely or not at all, even after a kill.

The new contents are written to `transaction/new/` in the project's state first, then a manifest; renaming the manifest
commits the change. Then each file is moved to its place. After a kill, the next command finds the manifest and finishes
the moves, which may safely be repeated. A lock ends with the process that holds it.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from row3.domain.requests import digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.files import disk_faults, read_bytes, sync_folder, write_atomic
from row3.project.local_state import in_state
from row3.project.places import WRITTEN
from row3.project.tree import WorkTree

if TYPE_CHECKING:
    from filelock import BaseFileLock

FOLDER = "transaction"
MANIFEST = "commit.json"
PATIENCE_S = 120.0
AT_ONCE_S = 0.05


def commit(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files, by path in the project, as one change; or change nothing and raise `EnvironmentFault`, or
    `InvalidFile` for a file that row3 does not write, or if it or a folder above it is a symbolic link.
    """
    folder = in_state(root, FOLDER)
    targets = {name: _target(root, name, fix="Correct the name") for name in files}
    recover(root)
    with disk_faults(str(folder)):
        shutil.rmtree(folder, ignore_errors=True)
        entries = []
        for number, (name, content) in enumerate(files.items()):
            write_atomic(folder / "new" / str(number), content, where=f"{folder} for {name}")
            entries.append(
                {"file": name, "new": str(number), "digest": digest_text(content), "was": _digest(targets[name])}
            )
    for name, target in targets.items():
        with disk_faults(name):
            target.parent.mkdir(parents=True, exist_ok=True)
            # Find what cannot be replaced before the commit, which could otherwise never be finished.
            if target.is_dir():
                what = "a folder is in the file's place"
                raise EnvironmentFault(what, where=name, fix="Move it away, then run again")
            with TemporaryFile(dir=target.parent):  # fails if the folder or its disk is read-only
                pass
    write_atomic(folder / MANIFEST, json.dumps({"schemaVersion": 1, "files": entries}), where=str(folder))
    sync_folder(folder)
    recover(root)


def recover(root: Path) -> list[str]:
    """Finish an interrupted change and return its files, or discard an uncommitted one. Raises as `commit`."""
    folder = in_state(root, FOLDER)
    manifest = in_state(root, f"{FOLDER}/{MANIFEST}")
    if not manifest.exists():
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
        return []
    where, again = str(manifest), f"Delete {folder} and run again"
    try:
        entries = json.loads(read_bytes(manifest, where=where, follow=False))["files"]
        moves = [(str(one["file"]), f"{FOLDER}/new/{one['new']}", one["digest"], one.get("was")) for one in entries]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidFile("the manifest is broken", where=where, fix=again) from None
    waiting = []
    for name, new, digest, was in moves:
        target, source = _target(root, name, fix=again), in_state(root, new)
        if not source.exists():
            continue
        waiting.append((name, source, target))
        if _digest(source) != digest:
            raise InvalidFile(f"the new {name} is damaged", where=where, fix=again)
        if was is not None and _digest(target) not in (was, digest):
            what = "the file was edited after an interrupted command, which would replace it"
            fix = f"Delete {folder} to keep the file and discard the rest of that command"
            raise InvalidFile(what, where=name, fix=fix)
    for name, source, target in waiting:
        for left in target.parent.glob(f".{target.name}.*.tmp"):  # of a killed write
            left.unlink(missing_ok=True)
        _move(source, target, name)
    with disk_faults(where):
        manifest.unlink()
        shutil.rmtree(folder, ignore_errors=True)
    return [name for name, *_ in moves]


def _target(root: Path, name: str, *, fix: str) -> Path:
    """Return the place of a file that row3 writes. Raises `InvalidFile` for any other, or a symbolic link."""
    first, *inner = re.split(r"[/\\]", name)
    if first not in WRITTEN or any(part.startswith((".", "git~")) or not part for part in inner):
        raise InvalidFile("no command of row3 writes this file", where=name, fix=fix)
    return WorkTree(root).at(name)


def _digest(path: Path) -> str:
    """Return the digest of a file's bytes; empty if there is no file."""
    return digest_text(path.read_bytes()) if path.is_file() else ""


def _move(source: Path, target: Path, name: str) -> None:
    """Move a new file to its place. A rename needs no space, so a full disk cannot stop it half-way."""
    try:
        with contextlib.suppress(FileNotFoundError):
            source.chmod(target.stat().st_mode & 0o777)
        source.replace(target)
        sync_folder(target.parent)
    except OSError:  # another file system
        try:
            write_atomic(target, source.read_bytes(), where=name)
        except EnvironmentFault:
            what = "cannot be written, and other files of the same change are already in place"
            fix = "Check free space and permissions, then run any command: it finishes the change"
            raise EnvironmentFault(what, where=name, fix=fix) from None
        source.unlink()


def locked(root: Path, name: str, *, timeout_s: float = 0.0) -> BaseFileLock | None:
    """Acquire a lock of the project; None if another process holds it until the timeout. Raises as `in_state`."""
    import filelock  # imports asyncio, which only commands that write need

    path = in_state(root, name)
    lock = filelock.FileLock(path, thread_local=False)
    with disk_faults(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=timeout_s)
        except filelock.Timeout:
            return None
    return lock


@contextlib.contextmanager
def writing(root: Path, *, say: Callable[[str], None] = lambda _: None) -> Iterator[list[str]]:
    """Hold the project's write lock; yield the files of an interrupted change, which is finished first."""
    lock = locked(root, "lock", timeout_s=AT_ONCE_S)
    if lock is None:
        say("another row3 is writing; waiting for it")
        lock = locked(root, "lock", timeout_s=PATIENCE_S)
    if lock is None:
        what = f"another row3 has been writing for more than {PATIENCE_S:g} s"
        raise EnvironmentFault(what, where=str(in_state(root, "lock")), fix="Wait until it is done, or stop it")
    try:
        # Finish what a killed command left first, or a file that is about to be replaced would be read.
        yield recover(root)
    finally:
        lock.release()


def finish_interrupted(root: Path, *, may_write: bool = True, say: Callable[[str], None] = lambda _: None) -> list[str]:
    """Finish an interrupted change and return its files; if `may_write` is false, only report it."""
    if not may_write and in_state(root, f"{FOLDER}/{MANIFEST}").exists():
        say("an interrupted command has not written all its files: run it again (such as row3 promote) to finish")
    if not (may_write and in_state(root, FOLDER).exists()):
        return []
    with writing(root, say=say) as done:
        pass
    if done:
        say(f"finished the changes of an interrupted command: {', '.join(done)}")
    return done
