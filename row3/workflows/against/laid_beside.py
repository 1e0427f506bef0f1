"""The cases that only the change has, among those of the base that judge it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from row3.store.cases import case_bytes, case_files


def lay_beside(folder: Path, old: Collection[str], added: Mapping[str, Path]) -> None:
    """Put added cases beside the base's, all by their names in the folder, in the place of those of another suite.

    New cases run too, so that they are seen; they are in no baseline, so they move no delta. Two suites may share the
    folder at the base and no longer here: each is then judged with the cases that it has itself.
    """
    for path in case_files(folder):
        file = path.relative_to(folder).as_posix()
        if file not in old and file not in added:
            path.unlink()
    for file, path in added.items():
        copy = folder / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(case_bytes(path))
