"""Bytes and text on disk: strict reading, atomic writing.

All text is UTF-8, whatever the locale. A byte order mark and CRLF line ends are accepted; any other encoding is an
error that names the file. Writing goes through a temporary file in the same directory, fsync and rename, so a reader
sees either the old or the new contents.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from row3.errors import EnvironmentFault, InvalidFile

MAX_TEXT_BYTES = 64 * 1024 * 1024
NO_PIPE = "Remove or rename it"
CONFLICT = re.compile(r"^(<{7}|>{7}|\|{7}|={7})( |$)", re.MULTILINE)


def link_at(where: str) -> InvalidFile:
    """Return the error for a symbolic link inside a project."""
    what, fix = "this is a symbolic link, which row3 does not follow", "Put the file or folder itself there"
    return InvalidFile(what, where=where, fix=fix)


def no_follow(path: str, flags: int) -> int:
    """Open a file of a project. Raises `OSError` for a symbolic link if the system supports that."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def open_file(
    path: Path | str, *, where: str, buffering: int = -1, fix: str = NO_PIPE, follow: bool = True
) -> BinaryIO:
    """Open a file for reading. Raises `InvalidFile` for a pipe, a device, or a link unless `follow`."""
    mode = os.stat(path, follow_symlinks=follow).st_mode  # noqa: PTH116 - a suite has thousands of files
    if stat.S_ISLNK(mode):
        raise link_at(where)
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InvalidFile("this is a pipe, a socket or a device, not a file", where=where, fix=fix)
    return open(path, "rb", buffering, opener=None if follow else no_follow)


def read_bytes(path: Path | str, *, where: str, limit: int = MAX_TEXT_BYTES, follow: bool = True) -> bytes:
    """Return the file's bytes. Raises as `open_file` and `read_faults`, and `InvalidFile` for more than `limit`."""
    with read_faults(where), open_file(path, where=where, buffering=0, follow=follow) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            what = f"the file has {size:,} bytes, more than {limit:,}"
            raise InvalidFile(what, where=where, fix="Split it or remove it")
        return file.read()


def decode(raw: bytes, *, where: str) -> str:
    """Return the text of UTF-8 bytes without a byte order mark, with LF line ends. Raises `InvalidFile`."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InvalidFile("the file is in UTF-16", where=where, fix="Save it as UTF-8")
    try:
        text = raw.decode().removeprefix("\ufeff")  # eight times as fast as the codec that does both
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        what = f"the file is not UTF-8 (byte {raw[error.start]:#04x} in line {line})"
        raise InvalidFile(what, where=where, fix="Save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def refuse_conflicts(text: str, *, where: str) -> None:
    """Raise `InvalidFile` if git left conflict markers in the text."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return
    found = CONFLICT.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        fix = (
            "Resolve them; if row3 wrote the file, take the other branch's and run your command again (`row3 docs ci`)"
        )
        raise InvalidFile("the file has merge-conflict markers", where=f"{where}:{line}", fix=fix)


@contextlib.contextmanager
def read_faults(where: str) -> Iterator[None]:
    """Turn system errors while reading into `InvalidFile` or `EnvironmentFault`."""
    try:
        yield
    except FileNotFoundError:
        raise InvalidFile("the file does not exist", where=where, fix="Create it, or correct the name") from None
    except IsADirectoryError:
        fix = "Name a file, or remove the folder"
        raise InvalidFile("this is a folder, not a file", where=where, fix=fix) from None
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise EnvironmentFault(what, where=where, fix="Check the file's permissions") from None


@contextlib.contextmanager
def disk_faults(where: str) -> Iterator[None]:
    """Turn system errors while writing into `EnvironmentFault`."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written ({error.strerror or error}); nothing was changed"
        raise EnvironmentFault(what, where=where, fix="Check free space and permissions, then run again") from None


def write_atomic(path: Path, content: str | bytes | Iterable[bytes], *, where: str | None = None) -> None:
    """Replace a file, or leave it unchanged and raise `EnvironmentFault`."""
    write_all({path: content}, where=where or path.name)


def write_all(files: Mapping[Path, str | bytes | Iterable[bytes] | None], *, where: str) -> None:
    """Replace several files, and remove those with None; or leave all unchanged and raise `EnvironmentFault`.

    All contents are on disk before the first file is replaced; a kill after that can leave some new and some old.
    """
    staged: list[tuple[Path, Path]] = []
    os.umask(umask := os.umask(0o022))
    with disk_faults(where):
        try:
            for path, content in files.items():
                if content is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
                    staged.append((Path(name), path))
                    with os.fdopen(descriptor, "wb") as file:
                        pieces = [content] if isinstance(content, str | bytes) else content
                        file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
                        file.flush()
                        os.fsync(file.fileno())
                    Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
            for temporary, target in staged:
                temporary.replace(target)
        except BaseException:
            for temporary, _ in staged:
                temporary.unlink(missing_ok=True)
            raise
        for path, content in files.items():
            if content is None:
                path.unlink(missing_ok=True)
        for folder in dict.fromkeys(path.parent for path in files):
            sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make renames in the folder survive a power failure, if the system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
