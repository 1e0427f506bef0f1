"""The cases that only the change has, among those of the base that judge it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from row3.store.cases import case_files
from row3.store.project import Project


def lay_beside(there: Project, folder: str, old: Collection[str], own: Project, added: Mapping[str, str]) -> None:
    """Put added cases beside the base's, all by their names in the folder, in the place of those of another suite.

    New cases run too, so that they are seen; they are in no baseline, so they move no delta. Two suites may share the
    folder at the base and no longer here: each is then judged with the cases that it has itself.
    """
    for path in case_files(there.tree, folder):
        file = path.removeprefix(f"{folder}/")
        if file not in old and file not in added:
            (there.root / path).unlink()
    for file, path in added.items():
        copy = there.root / folder / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(own.tree.read(path))
