"""The folder of a project on disk."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path

from row3.errors import EnvironmentFault, InvalidFile, UsageError
from row3.project.places import FILE, GOLDEN, LOCAL
from row3.project.tree import WorkTree


def find_root(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, with `row3.toml` or `golden/`. Raises `InvalidFile`."""
    start = start.resolve()
    if not start.is_dir():
        raise UsageError("the folder does not exist", where=str(start), fix="Correct the path after -C")
    for folder in (start, *start.parents):
        if _is_root(folder):
            return folder
    what = "not a row3 project: neither row3.toml nor golden/ here or above"
    raise InvalidFile(what, where=str(start), fix="Run `row3 init`, or name the project with -C")


def _is_root(folder: Path) -> bool:
    return (folder / FILE).is_file() or (folder / GOLDEN).is_dir()


def own_file(path: Path) -> Path:
    """Return the file to write for a path from a user. Raises `InvalidFile` for a symbolic link in a project."""
    absolute = Path(os.path.normpath(path.absolute()))
    for root in filter(_is_root, absolute.parents):
        WorkTree(root).at(absolute.relative_to(root).as_posix())
    return path.resolve() if path.is_symlink() else path


def refuse_tracked(root: Path) -> None:
    """Raise `InvalidFile` if git tracks files in `.row3/`, which belongs to one machine and which nobody reviews."""
    if not (root / LOCAL).exists():
        return
    from row3.project.git.process import EXPORTED, GitProcess

    with suppress(EnvironmentFault):  # no git
        default = (*EXPORTED, "GIT_INDEX_FILE")  # of the repository itself, not of the hook that may call
        if GitProcess(root).ask("ls-files", "-z", "--", f":(literal){LOCAL}", without=default).out:
            here = os.path.relpath(root)
            git = "git" if here == "." else f"git -C {shlex.quote(here)}"
            fix = f"Run `{git} rm -r --cached {LOCAL}` and commit; the files stay"
            raise InvalidFile("git tracks this folder, which belongs to one machine", where=LOCAL, fix=fix)
