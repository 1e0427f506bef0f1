"""Where golden cases lie."""

from __future__ import annotations

from row3.store.tree import Tree

GOLDEN = "golden"
ENDING = ".gold.json"
PATTERN = f"*{ENDING}"
BESIDE = ("quarantine.json",)
"""JSON files beside golden cases that are none."""
NESTED = 3
"""Parts of `golden/memory/documents`: from there on a folder is read with those in it."""


def golden_files(tree: Tree, folder: str) -> list[str]:
    """Return the case files of a folder, by name; none where there is no such folder.

    `golden/<suite>/` is read without the folders in it, in which people keep drafts. A folder farther down is one that
    `row3.toml` names, and is read with those in it.
    """
    found = tree.files(folder, deep=folder.count("/") + 1 >= NESTED)
    return sorted((path for path in found if path.endswith(ENDING)), key=lambda path: (name_of(path), path))


def misnamed(tree: Tree, folder: str) -> list[str]:
    """Return the names of the JSON files beside a suite's cases that nothing reads: `rye.json`, `rye.gold.JSON`."""
    names = map(name_of, tree.files(folder))
    return [n for n in names if n.lower().endswith(".json") and not n.endswith(ENDING) and n not in BESIDE]


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]
