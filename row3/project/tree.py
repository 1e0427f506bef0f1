"""Where a project's files are read from: the work tree, the index or a commit.

Paths are relative to the project's folder, with forward slashes. Listings omit files and folders whose names begin with
a dot. Symbolic links inside the project are never followed: git's commits have no file there either.
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from row3.errors import InvalidFile
from row3.project.files import MAX_TEXT_BYTES, decode, link_at, read_bytes, read_faults, refuse_conflicts

ALL = "\U0010ffff"
"""Sorts after every path."""


@dataclass(frozen=True)
class WorkTree:
    """The project's folder on disk."""

    root: Path
    label: ClassVar[str] = ""
    _folders: set[str] = field(default_factory=lambda: {""}, repr=False, compare=False)
    """Folders already checked: no link leads to them."""

    def at(self, path: str) -> Path:
        """Return a file's path on disk. Raises `InvalidFile` if it or a folder above it is a symbolic link."""
        if Path(path).is_absolute() or ".." in path.split("/"):
            raise InvalidFile("the path is outside the project", where=path, fix="Correct the name")
        place = self.root / path
        self._check_folders(path)
        if place.is_symlink():
            raise link_at(path)
        return place

    def _check_folders(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            self.at(folder)
            self._folders.add(folder)

    def read(self, path: str, *, limit: int = MAX_TEXT_BYTES) -> bytes:
        """Return a file's bytes. Raises as `at` and `read_bytes`."""
        self._check_folders(path)
        return read_bytes(f"{self.root}/{path}", where=path, limit=limit, follow=False)  # faster than a `Path`

    def exists(self, path: str) -> bool:
        """Return whether a file or folder with this path exists. Raises as `at`."""
        return self.at(path).exists()

    def files(self, folder: str, *, deep: bool = False) -> list[str]:
        """Return the sorted paths of a folder's files, with those below it if `deep`; empty if there is no folder."""
        with read_faults(folder):
            return sorted(self._files(folder, deep=deep))

    def _files(self, folder: str, *, deep: bool) -> Iterator[str]:
        for entry in self._entries(folder):
            # A folder named like a file is listed, so that reading it fails instead of missing a case.
            if not entry.is_dir() or entry.name.endswith((".json", ".jsonl", ".parquet")):
                yield f"{folder}/{entry.name}"
            elif deep:
                yield from self._files(f"{folder}/{entry.name}", deep=True)

    def folders(self, folder: str) -> list[str]:
        """Return the sorted names of the folders directly inside a folder."""
        with read_faults(folder):
            return sorted(entry.name for entry in self._entries(folder) if entry.is_dir())

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        path = self.at(folder)
        if not path.is_dir():
            return []
        with os.scandir(path) as entries:
            found = [entry for entry in entries if not entry.name.startswith(".")]
        if (link := next((entry for entry in found if entry.is_symlink()), None)) is not None:
            raise link_at(f"{folder}/{link.name}")
        return found

    def links(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the symbolic links at or below these paths, in order."""
        for path in paths:
            place = self.root / path
            if place.is_symlink():
                yield path
            elif place.is_dir():
                with os.scandir(place) as entries:
                    deeper = [f"{path}/{entry.name}" for entry in entries if entry.is_symlink() or entry.is_dir()]
                yield from self.links(sorted(deeper))

    def held(self, path: str) -> str:
        """Return the object id of contents that are held in memory; empty for a file that is read from disk."""
        return ""

    def on_disk(self, path: str) -> Path | None:
        """Return the path on disk, or None if the contents are held only in memory. Raises as `at`."""
        return self.at(path)

    def place(self, path: str) -> str:
        """Return the file's name in messages: its path, and the label of a commit or the index."""
        return path


@dataclass(frozen=True, eq=False)
class GitTree:
    """A commit or the index: all its file names, and the contents that differ from the work tree.

    Its methods are those of `WorkTree`.
    """

    root: Path
    """The project's folder in the work tree."""
    label: str
    """Name in messages, such as `main`."""
    ids: Mapping[str, str]
    """Object id by path, of every file."""
    contents: Mapping[str, bytes]
    """Bytes by path; files that are not listed are the same in the work tree."""
    elsewhere: Callable[[str], bytes | None] = lambda path: None
    """Returns the bytes of a file that is not in `ids`, such as a picture in a folder of its own; None without it."""

    @cached_property
    def _work_tree(self) -> WorkTree:
        return WorkTree(self.root)

    @cached_property
    def _names(self) -> list[str]:
        return sorted(self.ids)

    def read(self, path: str, *, limit: int = MAX_TEXT_BYTES) -> bytes:
        raw = self.contents.get(path) if path in self.ids else self.elsewhere(path)
        if raw is None and path not in self.ids:
            what = "this is a folder, not a file" if self._below(path) else "the file does not exist"
            raise InvalidFile(what, where=self.place(path), fix="Correct the name")
        if raw is None:
            return self._work_tree.read(path, limit=limit)
        if len(raw) > limit:
            what = f"the file has {len(raw):,} bytes, more than {limit:,}"
            raise InvalidFile(what, where=self.place(path), fix="Split it or remove it")
        return raw

    def exists(self, path: str) -> bool:
        return path in self.ids or bool(self._below(path))

    def files(self, folder: str, *, deep: bool = False) -> list[str]:
        inner = ((path, path[len(folder) + 1 :]) for path in self._below(folder))
        return [path for path, rest in inner if (deep or "/" not in rest) and "/." not in f"/{rest}"]

    def folders(self, folder: str) -> list[str]:
        inner = (path[len(folder) + 1 :].split("/") for path in self._below(folder))
        return sorted({parts[0] for parts in inner if len(parts) > 1 and not parts[0].startswith(".")})

    def _below(self, folder: str) -> list[str]:
        start = bisect_left(self._names, f"{folder}/")
        return self._names[start : bisect_left(self._names, f"{folder}/{ALL}", start)]

    def held(self, path: str) -> str:
        return self.ids[path] if path in self.contents else ""

    def on_disk(self, path: str) -> Path | None:
        return self._work_tree.at(path) if path in self.ids and path not in self.contents else None

    def place(self, path: str) -> str:
        return f"{path} at {self.label}" if self.label else path


Tree = WorkTree | GitTree
"""The files of a project in the work tree, the index or a commit."""


def read_text(tree: Tree, path: str) -> str:
    """Return a file's text. Raises as `Tree.read`, `decode` and `refuse_conflicts`."""
    where = tree.place(path)
    text = decode(tree.read(path), where=where)
    refuse_conflicts(text, where=where)
    return text


def same_file(one: Tree, other: Tree, path: str) -> bool:
    """Return whether a file exists in both trees with the same contents, as git knows without reading it."""
    return one.exists(path) and other.exists(path) and one.held(path) == other.held(path)


def folder_digest(tree: Tree, folder: str) -> str:
    """Return a digest of the files in a folder, but for the contents that the tree holds in memory."""
    digest = hashlib.sha256()
    for path in tree.files(folder, deep=True):
        digest.update(path.encode("utf-8", "surrogatepass") + b"\0")
        if (place := tree.on_disk(path)) is not None and place.is_file():
            with read_faults(path), place.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
