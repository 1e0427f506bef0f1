"""What every command does first in a project: refuse a tracked `.row3/`, and finish an interrupted change."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from row3.domain.words import did_you_mean
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.config import FILE
from row3.project.project import LOCAL, Project
from row3.project.transaction import finish_interrupted


def prepare(root: Path, *, may_write: bool, say: Callable[[str], None]) -> list[str]:
    """Do both; return the files of the change. Raises `InvalidFile`, `EnvironmentFault`."""
    refuse_tracked(root)
    return finish_interrupted(root, may_write=may_write, say=say)


def note_unused_settings(project: Project, say: Callable[[str], None]) -> None:
    """Warn of settings for a suite whose folder has no files; its name may be misspelt."""
    for name in project.config.suites:
        if not project.tree.files(folder := project.golden(name), deep=True):
            others = (each for each in project.suite_names() if each not in project.config.suites)
            say(f"{FILE} field suites.{name}: {folder}/ has no golden cases. {did_you_mean(name, others)}".rstrip())


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
