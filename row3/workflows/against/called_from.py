"""Where a hook was called, so that the commands it prints work there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from row3.errors import Row3Error
from row3.store.project import find_root

if TYPE_CHECKING:
    from row3.vcs.repository import Repository


def called_from(repository: Repository, project: Path) -> tuple[str, str]:
    """How a project is called where git or the hook was: for row3, empty if it needs no telling, and for git.

    git starts hooks at the top of the work tree, and says from which of its folders it was called.
    """
    prefix, project = os.environ.get("GIT_PREFIX"), project.resolve()
    here = Path.cwd() if prefix is None else repository.root / prefix
    path = os.path.relpath(project, here.resolve())
    try:
        found = find_root(here) == project
    except Row3Error:
        found = False
    return "" if found else path, "" if path == "." else f"{path}/"
