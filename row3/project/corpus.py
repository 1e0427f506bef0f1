"""The corpus that a system is given before its questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from row3.errors import InvalidFile
from row3.project.documents import Files
from row3.project.places import CORPORA
from row3.project.tree import Tree


def read_corpus(files: Files, patterns: Iterable[str], *, where: str) -> list[tuple[str, dict[str, Any]]]:
    """Return path and values of the files that match the patterns, sorted by path. Raises `InvalidFile`.

    The values are the keys of a JSON file or the `text` of another, and `file`, the name up to its first dot.
    """
    names = sorted({path for pattern in patterns for path in _paths(files.tree, pattern, where=where)})
    corpus = ((path, _values(files, path)) for path in names)
    return [(path, values) for path, values in corpus if values.get("draft") is not True]  # golden cases may be drafts


def _paths(tree: Tree, pattern: str, *, where: str) -> list[str]:
    parts = PurePosixPath(pattern).parts
    if len(parts) < 2 or parts[0] not in CORPORA or ".." in parts:
        what = f"`{pattern}` is not under {' or '.join(f'{each}/' for each in CORPORA)}"
        raise InvalidFile(what, where=where, fix="Write it like corpus/*.txt")
    if any("**" in part and part != "**" for part in parts):
        raise InvalidFile(f"in `{pattern}`, `**` is not a whole folder name", where=where, fix="Correct it")
    paths = [path for path in tree.files(parts[0], deep=True) if _matches(path.split("/"), parts)]
    if not paths:
        raise InvalidFile(f"no file matches `{pattern}`", where=where, fix="Correct the pattern")
    return paths


def _matches(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether a path matches a pattern, part by part; `**` matches any number of folders."""
    if not (names and parts):
        return not (names or parts)
    if parts[0] == "**" and _matches(names, parts[1:]):
        return True
    return fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts if parts[0] == "**" else parts[1:])


def _values(files: Files, path: str) -> dict[str, Any]:
    values: dict[str, Any] = {"file": path.rpartition("/")[2].partition(".")[0]}
    if not path.endswith(".json"):
        return values | {"text": files.text(path)}
    value = files.json(path)
    if not isinstance(value, dict):
        fix = "Correct it, or the pattern of `for_each`"
        raise InvalidFile("the file is not a JSON object", where=files.tree.place(path), fix=fix)
    return values | value
