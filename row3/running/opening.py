"""What every command does first in a project: refuse a tracked `.row3/`, and finish an interrupted change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from row3.domain.words import did_you_mean
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.root import refuse_tracked
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
