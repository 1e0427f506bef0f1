"""The project as a commit or the index of its repository has it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from row3.store.config import read_config
from row3.store.project import READ_PATHS, Project
from row3.store.tree import GitTree

if TYPE_CHECKING:
    from row3.vcs.repository import Repository


def project_at(repository: Repository, root: Path, commit: str | None, *, label: str = "") -> Project:
    """Return the project of a commit, or of the index where it is None, read in memory.

    Args:
        repository: that of the project.
        root: the project's folder in the work tree.
        commit: any name that git knows.
        label: what messages call the commit; its name where none is given.

    Raises `UsageError` for an unknown commit, `InvalidFile` for its `row3.toml`.
    """
    ids, differing = repository.contents(commit, root, READ_PATHS)
    tree = GitTree(root, label or commit or "the index", ids, differing)
    return Project(root, read_config(tree), tree)
