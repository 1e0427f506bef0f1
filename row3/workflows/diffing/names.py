"""What a name on the command line of `row3 diff` means: a prompt version, a run, a baseline, a git ref or a model.

A bare name is looked for in this order; a prefix such as `git:` says which is meant.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from row3.domain.prompts import PromptRef, parse_reference, parse_version
from row3.errors import InvalidFile, UsageError
from row3.store.project import Project
from row3.store.prompts import versions
from row3.store.saved_runs import SavedRun, latest_runs, read_log
from row3.store.suites import Suite, baseline_tier
from row3.workflows.pipeline.lineup import resolve_version

if TYPE_CHECKING:
    from row3.vcs.repository import Repository

WHERE = "row3 diff"
LATEST, BASELINE = "latest", "baseline"
What = Literal["run", "baseline", "prompt", "git", "model"]
PREFIXES: tuple[What, ...] = ("prompt", "run", "baseline", "git", "model")


class Reading(NamedTuple):
    """One thing that a name means."""

    kind: What
    value: str
    """The rest of its explicit spelling: `v1.0` of `git:v1.0`."""
    file: Path | None = None
    """Of a run or a baseline."""
    ref: PromptRef | None = None
    """Of a prompt version."""
    run: SavedRun | None = None
    """What is in the file, where it had to be read to know."""


class Names:
    """Reads the names of a project's suite."""

    def __init__(self, project: Project, suite: Suite) -> None:
        self._project, self._suite = project, suite

    @cached_property
    def repository(self) -> Repository | None:
        """The project's git repository; None where there is none. Raises `EnvironmentFault` without git."""
        from row3.vcs.repository import Repository

        return Repository.find(self._project.root)

    def read(self, name: str) -> Reading:
        """Return what a name means. Raises `UsageError` for one that means nothing, `InvalidFile` for no file."""
        prefix, colon, value = name.partition(":")
        for kind in PREFIXES:
            if colon and prefix == kind:
                return self._explicit(kind, value, name)
        found = self._prompt(name) or self._run(name) or self._baseline(name) or self._git(name)
        if found is not None:
            return found
        if name == LATEST:
            raise _no_run(self._suite)
        if name == BASELINE:
            raise _no_baseline(self._suite)
        if name.endswith(".json"):
            raise InvalidFile("the file does not exist", where=name, fix="Correct the path")
        self._refuse_prompt(name)
        raise UsageError(f"`{name}` is no prompt version, run, baseline or commit", where=WHERE, fix=self._hint())

    def _hint(self) -> str:
        known = (
            "Give a prompt version such as v1.1, `latest`, `baseline`, a run id of .row3/runs, a path, a git ref, or "
            "model:NAME"
        )
        if self.repository is None or not self.repository.is_shallow:
            return known
        from row3.vcs.refs import DEEPEN

        return f"{known}. This clone is shallow, so git does not know every commit: {DEEPEN[0].lower()}{DEEPEN[1:]}"

    def _explicit(self, kind: What, value: str, name: str) -> Reading:
        """What a name with its prefix means; raises where that does not exist."""
        if kind == "git":
            self._needs_git(value)
            return Reading("git", value)
        if kind == "model":
            if not value.strip():
                raise UsageError("no model is named", where=name, fix="Write it like model:NAME")
            return Reading("model", value)
        find = {"run": self._run, "baseline": self._baseline, "prompt": self._prompt}[kind]
        found = find(value or BASELINE if kind == "baseline" else value)
        if found is not None:
            return found
        if kind == "prompt":
            self._refuse_prompt(value)
            raise UsageError(
                f"`{value}` is no prompt version", where=name, fix="Write it like prompt:decompose-concepts-v1.0"
            )
        if kind == "run" and value == LATEST:
            raise _no_run(self._suite)
        if kind == "run":
            fix = "Give `run:latest`, a run id of .row3/runs or the path of a saved run"
            raise UsageError(f"there is no run `{value}`", where=name, fix=fix)
        if value in ("", BASELINE):
            raise _no_baseline(self._suite)
        raise UsageError(f"there is no baseline `{value}`", where="baselines/archive/", fix="Correct its name")

    def _needs_git(self, ref: str) -> None:
        """Raise `UsageError` where git does not know the commit, `EnvironmentFault` where there is no git to ask."""
        if self.repository is None:
            raise UsageError("this is no git repository", where=f"git:{ref}", fix="Run `git init`, or name a run")
        try:
            self.repository.resolve(ref)
        except UsageError as error:
            raise UsageError(error.what, where=f"git:{ref}", fix=error.fix) from None

    def _baseline(self, name: str) -> Reading | None:
        if name == BASELINE:
            path = self._project.baseline(self._suite.name, baseline_tier(self._project, self._suite))
            return Reading("baseline", "", self._project.root / path) if self._project.tree.exists(path) else None
        if "/" in name or "\\" in name or not name:
            return None
        folder = self._project.root / "baselines" / "archive"
        stem = name.removesuffix(".json")
        for candidate in (folder / f"{stem}.json", folder / f"{self._suite.name}-{stem}.json"):
            if _is_file(candidate):
                return Reading("baseline", candidate.stem, candidate)
        return None

    def _run(self, name: str) -> Reading | None:
        folder = self._project.local / "runs"
        if name == LATEST:
            return self._latest(latest_runs(folder))
        if name[:1].isdigit():
            logs = [path for path in latest_runs(folder) if path.stem.startswith(name)]
            if len(logs) > 1 and logs[0].stem != name:
                shown = ", ".join(path.stem for path in logs[:4])
                raise UsageError(
                    f"`{name}` is the beginning of {len(logs)} runs", where=".row3/runs", fix=f"Choose: {shown}"
                )
            if logs:
                return Reading("run", logs[0].stem, logs[0])
        path = next((path for path in (Path(name), self._project.root / name) if _is_file(path)), None)
        return None if path is None or path.suffix == ".md" else Reading("run", name, path.resolve())

    def _latest(self, logs: list[Path]) -> Reading | None:
        """The newest run of the suite."""
        for path in logs:
            run = read_log(path)
            if run.header.suite == self._suite.name:
                return Reading("run", LATEST, path, run=run)
        return None

    def _prompt(self, name: str) -> Reading | None:
        """A version that exists; a bare one is of the prompt that `row3 promote` would take it for."""
        if parse_reference(name.removeprefix("prompts/")) is None and not self._is_version(name):
            return None
        try:
            ref = resolve_version(self._project, self._suite, name)
        except UsageError:  # `_refuse_prompt` says so if the name is nothing else
            return None
        return Reading("prompt", str(ref), ref=ref)

    def _is_version(self, name: str) -> bool:
        return name.startswith("v") and parse_version(name) is not None

    def _refuse_prompt(self, name: str) -> None:
        """Raise the error for a reference or version that looks like a prompt's and is none."""
        if parse_reference(name.removeprefix("prompts/")) is not None or (
            self._is_version(name) and versions(self._project.tree)
        ):
            try:
                resolve_version(self._project, self._suite, name)
            except UsageError as error:
                raise UsageError(error.what, where=WHERE, fix=error.fix) from None

    def _git(self, name: str) -> Reading | None:
        if not name or name[0] == "-" or any(ord(letter) < 32 for letter in name) or len(name) > 250:
            return None
        return Reading("git", name) if self.repository is not None and self.repository.knows(name) else None


def _no_run(suite: Suite) -> UsageError:
    return UsageError("no run was kept yet", where=".row3/runs", fix=f"Run `row3{suite.flag}` first")


def _no_baseline(suite: Suite) -> UsageError:
    fix = f"Make one with `row3 --baseline{suite.flags('row3 --baseline')}`"
    return UsageError("there is no baseline", where=f"baselines/{suite.name}.json", fix=fix)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long a name, or a zero byte in it
        return False
