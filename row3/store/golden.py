"""Where golden cases lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

GOLDEN = "golden"
ENDING = ".gold.json"
PATTERN = f"*{ENDING}"
BESIDE = ("quarantine.json",)
"""What stands beside golden cases as JSON and is none."""
NESTED = 3
"""Parts of `golden/memory/documents`: from there on a folder is read with those in it."""


def golden_files(folder: Path) -> list[Path]:
    """The case files of a folder, by name; none where there is no such folder.

    `golden/<suite>/` is read without the folders in it, in which people keep what is no case yet. A folder farther down
    is one that `row3.toml` names, and is read with those in it.
    """
    return sorted(each_golden_file(folder), key=lambda path: (path.name, path))


def each_golden_file(folder: Path) -> Iterator[Path]:
    """The same one by one and in no order, for who needs only a few of them."""
    return _files(folder, deep=len(Path(shown(folder)).parts) >= NESTED)


def _files(folder: Path, *, deep: bool) -> Iterator[Path]:
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.name.endswith(ENDING):
                yield folder / entry.name
            elif deep and entry.is_dir():
                yield from _files(folder / entry.name, deep=True)


def misnamed(folder: Path) -> list[str]:
    """Names of the JSON files beside a suite's cases that nothing reads: `rye.json`, `rye.gold.JSON`."""
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return sorted(
            entry.name
            for entry in entries
            if not entry.name.endswith(ENDING)
            and entry.name.lower().endswith(".json")
            and not entry.name.startswith(".")
            and entry.name not in BESIDE
            and entry.is_file()
        )


def shown(folder: Path) -> str:
    """A folder of golden cases from the project on: `golden/decomposition`, `golden/memory/documents`."""
    parts = folder.parts
    if GOLDEN not in parts:
        return f"{GOLDEN}/{folder.name}"
    last = len(parts) - 1 - parts[::-1].index(GOLDEN)
    return "/".join(parts[last:])
