"""Which repository a folder belongs to, also where git exported another one to a hook."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from row3.errors import EnvironmentFault
from row3.vcs.process import GitProcess, refusal

EXPORTED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables by which git tells a hook where its repository is."""


@dataclass(frozen=True, slots=True)
class Place:
    """A repository as git sees it from one work tree."""

    root: Path
    git_dir: Path
    common_dir: Path
    shallow: bool
    process: GitProcess


def discover(path: Path) -> Place | None:
    """The repository that `path` (or its nearest existing parent) lies in, None where there is none.

    Raises EnvironmentFault where git is missing, refuses the repository, or there is no work tree.
    """
    folder = path.absolute()
    while not folder.is_dir():
        folder = folder.parent
    exported = _exported(folder)
    answer = GitProcess(folder, exported).ask(
        *("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--is-shallow-repository"),
        expect=None,
    )
    if answer.code:
        if "not a git repository (or any" in answer.err:
            return None
        if "must be run in a work tree" in answer.err:
            raise EnvironmentFault(
                "this is a bare repository or the inside of a .git folder, there are no files to work on",
                where=str(folder),
                fix="Use a clone or `git worktree add`",
            )
        raise refusal(answer, folder, "rev-parse")
    top, git_dir, common, shallow = os.fsdecode(answer.out).rstrip("\n").split("\n")
    root = Path(top)
    if not folder.resolve().is_relative_to(root.resolve()):
        return None
    process = GitProcess(root, exported)
    place = Path(git_dir)
    if _foreign_index(place):
        process.set("GIT_INDEX_FILE", str(place / "index"))
    return Place(root, place, Path(os.path.normpath(folder / common)), shallow == "true", process)


def _exported(folder: Path) -> dict[str, str]:
    """GIT_DIR and GIT_WORK_TREE to use where GIT_DIR is exported, as git does to the hooks of linked worktrees.

    git takes the current folder for the top of the work tree where GIT_DIR stands alone, which is wrong as soon as
    a hook changes the folder; and the exported repository need not be the one that `folder` belongs to.
    """
    if not os.environ.get("GIT_DIR"):
        return {}
    named = str(Path(os.environ["GIT_DIR"]).absolute())
    tree = os.environ.get("GIT_WORK_TREE")
    work_tree = Path(tree).absolute() if tree else None
    if work_tree and not folder.resolve().is_relative_to(work_tree.resolve()):
        work_tree = None
    answer = GitProcess(folder, without=EXPORTED).ask("rev-parse", "--absolute-git-dir", "--show-toplevel", expect=None)
    if answer.code and "not a git repository (or any" in answer.err:
        return {"GIT_DIR": named, "GIT_WORK_TREE": str(Path(tree).absolute() if tree else Path.cwd())}
    git_dir, _, top = os.fsdecode(answer.out).rstrip("\n").partition("\n")
    if not git_dir:
        raise refusal(answer, folder, "rev-parse")
    if answer.code:  # a bare repository, or the inside of a .git folder
        return {"GIT_DIR": git_dir}
    same = os.path.realpath(git_dir) == os.path.realpath(named)
    if work_tree and (same or work_tree.resolve().is_relative_to(Path(top).resolve())):
        return {"GIT_DIR": named, "GIT_WORK_TREE": str(work_tree)}
    return {"GIT_DIR": git_dir, "GIT_WORK_TREE": top}


def _foreign_index(git_dir: Path) -> bool:
    """Whether the exported index lies in the git folder of another repository."""
    exported = os.environ.get("GIT_INDEX_FILE")
    if not exported or not Path(exported).is_absolute():
        return False
    home = Path(exported).parent
    return home.resolve() != git_dir.resolve() and (home / "HEAD").exists()
