"""The files of a project that a memory is given before it is asked: one set of values a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from row3.errors import InvalidFile
from row3.store.documents import read_json
from row3.store.tree import Tree, read_text

CORPORA = ("golden", "corpus")
"""Folders that files may come from: those that the hook watches and lays out, so that it asks the same questions."""


def read_corpus(tree: Tree, patterns: Iterable[str], *, where: str) -> list[tuple[str, dict[str, Any]]]:
    """The files that the patterns name, each once, in the order of their paths: their names and values.

    A JSON file gives its keys, any other its text as `text`; all give `file`, the name up to its first dot.
    Raises `InvalidFile`: no file fits, a pattern leads out of the project, a file cannot be read.
    """
    names = sorted({path for pattern in patterns for path in _paths(tree, pattern, where=where)})
    return [(path, _values(tree, path)) for path in names]


def _paths(tree: Tree, pattern: str, *, where: str) -> list[str]:
    parts = PurePosixPath(pattern).parts
    if len(parts) < 2 or parts[0] not in CORPORA or ".." in parts:
        raise InvalidFile(
            f"`{pattern}` names no files under {' or '.join(f'{each}/' for each in CORPORA)}",
            where=where,
            fix="Write it like corpus/*.txt",
        )
    if any("**" in part and part != "**" for part in parts):
        raise InvalidFile(f"`{pattern}` is no pattern: `**` is a whole part", where=where, fix="Correct it")
    paths = [path for path in tree.files(parts[0], deep=True) if _fits(path.split("/"), parts)]
    if not paths:
        raise InvalidFile(f"no file fits `{pattern}`", where=where, fix="Correct the pattern")
    return paths


def _fits(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether the parts of a path fit those of a pattern, in which `**` stands for any number of folders."""
    if not (names and parts):
        return not (names or parts)
    if parts[0] == "**" and _fits(names, parts[1:]):
        return True
    return fnmatchcase(names[0], parts[0]) and _fits(names[1:], parts if parts[0] == "**" else parts[1:])


def _values(tree: Tree, path: str) -> dict[str, Any]:
    values: dict[str, Any] = {"file": path.rpartition("/")[2].partition(".")[0]}
    if not path.endswith(".json"):
        return values | {"text": read_text(tree, path)}
    value = read_json(tree, path)
    if not isinstance(value, dict):
        raise InvalidFile(
            "the file holds no JSON object", where=tree.place(path), fix="Correct it, or the pattern of `for_each`"
        )
    return values | value
