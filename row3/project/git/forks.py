"""Where the work left the protected branch, as the hook judges it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from row3.errors import UsageError
from row3.project.places import FILE
from row3.project.tree import GitTree, Tree, WorkTree

if TYPE_CHECKING:
    from row3.project.git.repository import Repository


def inside_of(repository: Repository, root: Path) -> str:
    """Return the project's folder in the repository, empty or ending in a slash."""
    relative = repository.relative(root)
    return "" if relative in ("", ".") else f"{relative}/"


def fork_of_work(repository: Repository, root: Path, head: str) -> str:
    """Return the commit where the work left the protected branch; in a merge, the latest of these."""
    base = _fork(repository, root, head)
    for other in repository.merging():
        theirs = _fork(repository, root, other)
        if repository.merge_base(base, theirs) == base:
            base = theirs
    return base


def _fork(repository: Repository, root: Path, commit: str) -> str:
    """Return where a commit's branch left the protected branch; the commit itself on that branch."""
    protected = protected_branch(repository, root)
    if protected is None:
        return commit
    base = repository.merge_base(commit, protected)
    if base is None:  # unrelated histories
        return repository.resolve(protected)
    # A clone has the branch as fetched and as a local branch; use whichever the work left later.
    _, slash, local = protected.partition("/")
    if slash:
        try:
            nearer = repository.merge_base(commit, repository.resolve(local))
        except UsageError:
            return base
        if nearer is not None and repository.merge_base(base, nearer) == base:
            return nearer
    return base


def protected_branch(repository: Repository, root: Path) -> str | None:
    """Return the ref of the protected branch: the one configured on the usual branch, else the usual branch."""
    usual = repository.protected_branch(None)
    tree: Tree = WorkTree(root)
    if usual is not None:
        raw = repository.file(usual, inside_of(repository, root) + FILE)
        if raw is None or b"protected_branch" not in raw:
            return usual  # read without the settings' models, for the commits that change nothing row3 reads
        tree = GitTree(root, usual, {FILE: ""}, {FILE: raw})
    from row3.project.config import read_config

    config = read_config(tree)
    return repository.protected_branch(config.protected_branch) if config.protected_branch else usual
