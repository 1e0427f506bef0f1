"""The files of a project that a memory is given before it is asked: one set of values a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from row3.errors import InvalidFile
from row3.store.documents import read_json
from row3.store.files import read_text

CORPORA = ("golden", "corpus")
"""Folders that files may come from: those that the hook watches and lays out, so that it asks the same questions."""


def read_corpus(root: Path, patterns: Iterable[str], *, where: str) -> list[tuple[str, dict[str, Any]]]:
    """The files that the patterns name, each once, in the order of their paths: their names and values.

    A JSON file gives its keys, any other its text as `text`; all give `file`, the name up to its first dot.
    Raises `InvalidFile`: no file fits, a pattern leads out of the project, a file cannot be read.
    """
    names = sorted({path for pattern in patterns for path in _paths(root, pattern, where=where)})
    return [(path.relative_to(root).as_posix(), _values(root, path)) for path in names]


def _paths(root: Path, pattern: str, *, where: str) -> list[Path]:
    parts = PurePosixPath(pattern).parts
    if len(parts) < 2 or parts[0] not in CORPORA or ".." in parts:
        raise InvalidFile(
            f"`{pattern}` names no files under {' or '.join(f'{each}/' for each in CORPORA)}",
            where=where,
            fix="Write it like corpus/*.txt",
        )
    try:
        paths = [path for path in root.glob(pattern) if path.is_file()]
    except (ValueError, NotImplementedError, OSError) as error:
        raise InvalidFile(f"`{pattern}` is no pattern: {error}", where=where, fix="Correct it") from None
    if not paths:
        raise InvalidFile(f"no file fits `{pattern}`", where=where, fix="Correct the pattern")
    return paths


def _values(root: Path, path: Path) -> dict[str, Any]:
    name = path.relative_to(root).as_posix()
    values: dict[str, Any] = {"file": path.name.partition(".")[0]}
    if path.suffix != ".json":
        return values | {"text": read_text(path, where=name)}
    value, _ = read_json(path, where=name)
    if not isinstance(value, dict):
        raise InvalidFile("the file holds no JSON object", where=name, fix="Correct it, or the pattern of `for_each`")
    return values | value
