"""Install, uninstall and status of the three hooks.

Three, because no single one sees every way into a branch: a squash or `--no-commit` merge and the commit that
concludes a blocked merge run only pre-commit, a true merge runs pre-merge-commit, and what a fast-forward, a rebase
or a cherry-pick brings in meets nothing before pre-push.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from row3.errors import UsageError
from row3.vcs import hook_files as files
from row3.vcs.hook_script import HOOKS, hook_script, setting
from row3.vcs.repository import Repository

Outcome = Literal["installed", "updated", "unchanged", "restored", "removed", "left", "absent"]


@dataclass(frozen=True, slots=True)
class HookState:
    """One hook, and what was done to it (`status` does nothing: installed, left or absent)."""

    name: str
    outcome: Outcome
    """`left`: somebody else's hook, which row3 does not touch."""
    runs_first: bool = False
    """Whether an earlier hook is kept, and called before row3's check."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class HookReport:
    """The folder that git takes hooks from, and the state of each of the three."""

    folder: Path
    hooks: tuple[HookState, ...]
    note: str = ""


def install(repo: Repository, python: str, project: Path) -> HookReport:
    """Make the three hooks call `python -m row3 hook run` for the project; existing hooks are kept and run first.

    Raises UsageError where git takes hooks from a folder outside the repository, where another project has the
    hooks, or where a hook stands in the way; EnvironmentFault where the folder cannot be written. Checks come first:
    an error leaves everything as it was.
    """
    folder = _folder(repo)
    relative = repo.relative(project)
    with files.faults(folder):
        for name in HOOKS:
            _check(repo, folder, name, relative)
        folder.mkdir(parents=True, exist_ok=True)
        states = tuple(_install(folder, name, hook_script(name, python, relative)) for name in HOOKS)
    return HookReport(folder, states, _shared(repo, folder))


def uninstall(repo: Repository) -> HookReport:
    """Remove row3's hooks and put back what was there before: the same bytes, mode, symlink.

    Raises EnvironmentFault where the folder cannot be written.
    """
    folder = repo.git_path("hooks")
    with files.faults(folder):
        report = HookReport(folder, tuple(_uninstall(folder, name) for name in HOOKS))
        for unread in _unread(repo, folder):
            for name in HOOKS:
                _uninstall(unread, name)
            report = replace(
                report, note=f"Those in {unread}, which core.hooksPath kept git from reading, are gone too."
            )
    return report


def status(repo: Repository) -> HookReport:
    """What is installed; changes nothing.

    Raises EnvironmentFault where the hooks cannot be read.
    """
    folder = repo.git_path("hooks")
    with files.faults(folder):
        unread = "".join(
            f"row3's hooks in {other} do not run, since core.hooksPath has git look in {folder}: `row3 hook install`."
            for other in _unread(repo, folder)
        )
        return HookReport(folder, tuple(_status(folder, name) for name in HOOKS), unread)


def _install(folder: Path, name: str, script: bytes) -> HookState:
    mine, saved = files.ours(folder, name), files.saved(folder, name)
    if mine and mine.read_bytes() == script and os.access(mine, os.X_OK):
        return HookState(name, "unchanged", files.present(saved), _chained(mine))
    if mine is None and files.present(folder / name):
        (folder / name).rename(saved)
    files.write_executable(mine or folder / name, script)
    idle = files.present(saved) and not os.access(saved, os.X_OK)
    note = "the earlier hook is not executable, so git never ran it" if idle else _chained(mine)
    return HookState(name, "updated" if mine else "installed", files.present(saved), note)


def _uninstall(folder: Path, name: str) -> HookState:
    mine, saved = files.ours(folder, name), files.saved(folder, name)
    kept = files.present(saved)
    if mine is None and files.present(folder / name):
        note = f"written over row3's hook; the one from before row3 is {saved.name}" if kept else ""
        return HookState(name, "left", note=note)
    if mine is None and not kept:
        return HookState(name, "absent")
    # Where pre-commit was installed once more, over row3's hook, the saved script is its own former one.
    if mine and (not kept or (files.is_chained(mine) and files.is_framework(saved))):
        mine.unlink()
        saved.unlink(missing_ok=True)
        return HookState(name, "removed")
    saved.replace(mine or folder / name)
    return HookState(name, "restored")


def _status(folder: Path, name: str) -> HookState:
    mine = files.ours(folder, name)
    if mine is None:
        return HookState(name, "left" if files.present(folder / name) else "absent")
    python = setting(mine.read_bytes(), "python")
    gone = f"its Python is gone ({python}), so it blocks everything: `row3 hook install`"
    note = _chained(mine) if shutil.which(python) else gone
    return HookState(name, "installed", files.present(files.saved(folder, name)), note)


def _unread(repo: Repository, folder: Path) -> list[Path]:
    """The repository's own folder, where core.hooksPath was set after row3 had put its hooks there."""
    own = repo.common_dir / "hooks"
    return [own] if own.resolve() != folder.resolve() and any(files.ours(own, name) for name in HOOKS) else []


def _chained(mine: Path | None) -> str:
    return "called by pre-commit" if mine and files.is_chained(mine) else ""


def _check(repo: Repository, folder: Path, name: str, project: str) -> None:
    mine, saved = files.ours(folder, name), files.saved(folder, name)
    if mine:
        other = setting(mine.read_bytes(), "project")
        if other != project and (repo.root / other).is_dir():
            raise UsageError(
                f"the hooks of this repository belong to the row3 project {other}, and {project} is another one",
                where=str(mine),
                fix="Run `row3 hook uninstall` first, or let the CI judge this one",
            )
    elif (folder / name).is_dir():
        raise UsageError("there is a folder where git looks for a hook", where=str(folder / name), fix="Move it away")
    elif files.present(folder / name) and files.present(saved):
        raise UsageError(
            f"somebody wrote this hook over row3's, and {saved.name} still holds the one from before row3",
            where=str(folder / name),
            fix="Keep one of the two: delete the other, then install again",
        )


def _folder(repo: Repository) -> Path:
    folder = repo.git_path("hooks")
    homes = [repo.root, repo.common_dir, *([repo.common_dir.parent] if repo.common_dir.name == ".git" else [])]
    if not any(folder.resolve().is_relative_to(home.resolve()) for home in homes):
        own = shlex.quote(str(repo.common_dir / "hooks"))
        raise UsageError(
            "git takes hooks from this folder outside the repository (core.hooksPath), where others may share it",
            where=str(folder),
            fix=f"Run `git config core.hooksPath {own}` to use this repository's own (the shared ones then no "
            "longer run here), or call `row3 hook run <name>` from the shared hooks",
        )
    return folder


def _shared(repo: Repository, folder: Path) -> str:
    inside = folder.resolve().is_relative_to(repo.root.resolve())
    if inside and not folder.resolve().is_relative_to(repo.common_dir.resolve()):
        return "This folder is part of the work tree and the hooks hold paths of this machine: do not commit them."
    return ""
