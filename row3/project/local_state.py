"""Files that are never committed: `.row3/`, for people, and the state that row3 trusts, where no clone can put any.

State is what moves a verdict, an answer or a file: journals, transactions, locks and cached scores. It is in the git
directory of the work tree (git tracks nothing there), outside git in the user's state directory.
"""

from __future__ import annotations

import os
from pathlib import Path

from row3.domain.requests import digest_text
from row3.project.files import disk_faults, read_faults
from row3.project.tree import WorkTree


def in_local(local: Path, path: str) -> Path:
    """Return the path of a file in `.row3/`. Raises `InvalidFile` if it or a folder above it is a symbolic link."""
    return WorkTree(local.parent).at(f"{local.name}/{path}")


def local_folder(local: Path) -> Path:
    """Create `.row3/`, which ignores itself in git. Raises `EnvironmentFault`, `InvalidFile` for a symbolic link."""
    ignore = in_local(local, ".gitignore")
    with disk_faults(".row3"):
        local.mkdir(parents=True, exist_ok=True)
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    return local


def in_state(root: Path, path: str) -> Path:
    """Return the path of a file in the project's state. Raises as `in_local`, and `EnvironmentFault`."""
    state = state_folder(root)
    with read_faults(str(state)):
        return in_local(state, path)


def state_folder(root: Path) -> Path:
    """Return the project's own folder in `git rev-parse --git-path row3`, or in the user's state directory.

    Git is not asked: it takes a folder that looks like a bare repository for one, and a clone can contain such a
    folder. GIT_DIR does not count, or a hook would use another folder than the shell.
    """
    root = root.resolve()
    for folder in (root, *root.parents):
        if (git := _git_directory(folder)) is not None:
            base, path = git / "row3", root.relative_to(folder)
            break
    else:
        import platformdirs

        base, path = platformdirs.user_state_path("row3", appauthor=False), root
    # Not the path itself: one project may be inside another, in a folder named like a file of its state.
    return base / f"{path.name[:40] or 'root'}-{digest_text(path.as_posix())[:16]}"


def _git_directory(folder: Path) -> Path | None:
    """Return the git directory that a folder's `.git` is or names; None if there is none, or it is another user's."""
    git = folder / ".git"
    try:
        if git.is_file():  # of a linked worktree or a submodule
            git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        owner = git.stat().st_uid if (git / "HEAD").is_file() else -1
    except (OSError, ValueError):
        return None
    return git.resolve() if owner == getattr(os, "geteuid", lambda: 0)() else None
