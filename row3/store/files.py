"""Bytes and text on disk: strict reading, atomic writing.

All text is UTF-8 whatever the locale says. A byte order mark and CRLF line ends are taken; any other encoding is
an error that names the file. Writing goes through a temporary file in the same directory, fsync and
rename, so a reader sees the old or the new contents and never a part.
"""

from __future__ import annotations

import contextlib
import errno
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
AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""To open a pipe without waiting for who writes into it; of a file it changes nothing."""
CONFLICT = re.compile(r"^(<{7}|>{7}|\|{7}|={7})( |$)", re.MULTILINE)


def open_file(path: Path, *, where: str, buffering: int = -1, fix: str = NO_PIPE) -> BinaryIO:
    """The file, open for reading.

    Raises:
        InvalidFile: it is a pipe, a socket or a device, which may never begin or never end.
        OSError: the machine does not let us open it.
    """
    try:
        file = _opened(path, buffering)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise _special(where, fix) from None
        raise
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise _special(where, fix)
    return file


def _opened(path: Path, buffering: int) -> BinaryIO:
    return open(path, "rb", buffering, opener=_at_once)  # `Path.open` takes no opener


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | AT_ONCE)


def _special(where: str, fix: str) -> InvalidFile:
    return InvalidFile("this is a pipe, a socket or a device, not a file", where=where, fix=fix)


def read_bytes(path: Path, *, where: str, limit: int = MAX_TEXT_BYTES) -> bytes:
    """The file's bytes.

    Raises:
        InvalidFile: it does not exist, is no regular file, or is larger than `limit` bytes.
        EnvironmentFault: the machine does not let us read it.
    """
    try:
        with open_file(path, where=where) as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise InvalidFile(
                    f"the file has {size:,} bytes, more than {limit:,}", where=where, fix="Split it or remove it"
                )
            raw = file.read(size + 1)
            if len(raw) > size:  # it has grown, or does not say its size
                raw += file.read(limit)
            if len(raw) > limit:
                raise InvalidFile(f"there are more than {limit:,} bytes", where=where, fix="Split it or remove it")
            return raw
    except FileNotFoundError:
        raise InvalidFile("the file does not exist", where=where, fix="Create it, or correct the name") from None
    except IsADirectoryError:
        raise InvalidFile("this is a folder, not a file", where=where, fix="Remove or rename it") from None
    except OSError as error:
        raise EnvironmentFault(
            f"cannot be read ({error.strerror})", where=where, fix="Check the file's permissions"
        ) from None


def decode(raw: bytes, *, where: str) -> str:
    """Text of UTF-8 bytes, without a byte order mark, line ends as LF.

    Raises `InvalidFile` for another encoding.
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InvalidFile("the file is in UTF-16", where=where, fix="Save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InvalidFile(
            f"the file is not UTF-8 (byte {raw[error.start]:#04x} in line {line})", where=where, fix="Save it as UTF-8"
        ) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


CONFLICT_CURES = (
    (
        "baselines/",
        "Take the other branch's (`git checkout BRANCH -- baselines`), save yours again (`row3 --baseline`)",
    ),
    ("prompts/promoted.json", "Take the other branch's files (docs/ci.md has the command), promote yours again"),
    (
        "metrics-history.json",
        "Keep the lines of both sides (`metrics-history.json merge=union` in .gitattributes does)",
    ),
)
"""What resolves the conflict of a file that row3 makes, by how its path begins."""


def refuse_conflicts(text: str, *, where: str) -> None:
    """Raise `InvalidFile` where git left conflict markers in the text."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return
    found = CONFLICT.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        fix = next((cure for begun, cure in CONFLICT_CURES if where.startswith(begun)), "Resolve the conflict")
        raise InvalidFile("the file has merge-conflict markers", where=f"{where}:{line}", fix=f"{fix}, then run again")


@contextlib.contextmanager
def read_faults(where: str) -> Iterator[None]:
    """Turn the machine's refusals while reading into one clear message."""
    try:
        yield
    except IsADirectoryError:
        raise InvalidFile("this is a folder, not a file", where=where, fix="Remove or rename it") from None
    except OSError as error:
        raise EnvironmentFault(
            f"cannot be read ({error.strerror or error})", where=where, fix="Check the file's permissions"
        ) from None


@contextlib.contextmanager
def disk_faults(where: str) -> Iterator[None]:
    """Turn the machine's refusals while writing into one clear message."""
    try:
        yield
    except OSError as error:
        raise EnvironmentFault(
            f"cannot be written ({error.strerror or error}); nothing was changed",
            where=where,
            fix="Check free space and permissions, then run again",
        ) from None


def write_atomic(path: Path, content: str | bytes | Iterable[bytes], *, where: str | None = None) -> None:
    """Replace the file as a whole; raises `EnvironmentFault`, and then the old contents still stand."""
    write_all({path: content}, where=where or path.name)


def write_all(files: Mapping[Path, str | bytes | Iterable[bytes] | None], *, where: str) -> None:
    """Replace several files, or remove those with None; raises `EnvironmentFault`, and then all stand as they were.

    Everything is on the disk before the first file is replaced, so a full disk stops it before anything has changed. A
    kill between two of them leaves the files before it new and the others old.
    """
    staged: list[tuple[Path, Path]] = []
    with disk_faults(where):
        try:
            for path, content in files.items():
                if content is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    target = path.resolve() if path.is_symlink() else path
                    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
                    staged.append((Path(name), target))
                    _fill(descriptor, content)
                    Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            for temporary, target in staged:
                temporary.replace(target)
        except BaseException:
            for temporary, _ in staged:
                temporary.unlink(missing_ok=True)
            raise
        for path, content in files.items():
            if content is None:
                path.unlink(missing_ok=True)
        for folder in dict.fromkeys(path.parent for path in [*files, *(target for _, target in staged)]):
            sync_folder(folder)


def _fill(descriptor: int, content: str | bytes | Iterable[bytes]) -> None:
    with os.fdopen(descriptor, "wb") as file:
        if isinstance(content, str | bytes):
            file.write(content.encode() if isinstance(content, str) else content)
        else:
            file.writelines(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a rename in the folder survive a loss of power, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _umask() -> int:
    value = os.umask(0o022)
    os.umask(value)
    return value
