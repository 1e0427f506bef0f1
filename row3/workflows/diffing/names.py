"""What a name on the command line of `row3 diff` can mean: a run, a baseline, a prompt version, a git ref, a model.

Every reading is looked for, and a name with more than one is refused: which of them is meant is the user's to say, with
a prefix.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from row3.domain.prompts import PromptRef, parse_reference, parse_version
from row3.errors import EnvironmentFault, InvalidFile, UsageError
from row3.store import prompts as prompt_store
from row3.store.project import Project
from row3.store.saved_runs import SavedRun, latest_runs, read_log
from row3.store.suites import Suite, baseline_tier

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

    @property
    def spelling(self) -> str:
        """How to say that this is meant."""
        return BASELINE if self[:2] == (BASELINE, "") else f"{self.kind}:{self.value}"


class Names:
    """Reads the names of a project's suite."""

    def __init__(self, project: Project, suite: Suite) -> None:
        self._project, self._suite = project, suite
        self._repository: Repository | None = None
        self._asked_git = False
        self._no_git: EnvironmentFault | None = None
        """Why git cannot be asked."""

    def read(self, before: str, after: str) -> tuple[Reading, Reading]:
        """What two names mean.

        A bare version such as `v1.0` is one of the prompt that the other side names too, as far as that decides.
        Raises `UsageError` for a name that means nothing or several things, `InvalidFile` for a path to no file.
        """
        try:
            first = self._one(before, after)
        except _AmbiguousNameError:  # perhaps because the other name, which would have decided, means nothing
            self._one(after, before)
            raise
        return first, self._one(after, before)

    @property
    def repository(self) -> Repository | None:
        """The project's git repository; None where there is none or git is not to be had."""
        if not self._asked_git:
            from row3.vcs.repository import Repository

            self._asked_git = True
            try:
                self._repository = Repository.find(self._project.root)
            except EnvironmentFault as fault:
                self._no_git = fault
        return self._repository

    def _one(self, name: str, other: str) -> Reading:
        prefix, colon, value = name.partition(":")
        for kind in PREFIXES:
            if colon and prefix == kind:
                return self._explicit(kind, value, name, other)
        found = _once([*self._baselines(name), *self._runs(name), *self._prompts(name, other)])
        # `row3 promote --tag` names its tag as the prompt is named: that name is the prompt's, in full.
        if parse_reference(name.removeprefix("prompts/")) is None or not found:
            found += self._git(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(name, found)
        if name == LATEST:
            raise _no_run(self._suite)
        if name == BASELINE:
            raise _no_baseline(self._suite)
        if name.endswith(".json"):
            raise InvalidFile("the file does not exist", where=name, fix="Correct the path")
        self._refuse_prompt(name)
        raise UsageError(f"`{name}` is no run, baseline, file, prompt version or commit", where=WHERE, fix=self._hint())

    def _hint(self) -> str:
        known = (
            "Give `latest`, `baseline`, a run id of .row3/runs, a path, a prompt version such as v1.1, a git ref, or "
            "model:NAME"
        )
        repository = self.repository
        if self._no_git is not None:
            return f"{known}. No commit is known: {self._no_git}"
        if repository is None or not repository.is_shallow:
            return known
        from row3.vcs.refs import DEEPEN

        return f"{known}. This clone is shallow, so git does not know every commit: {DEEPEN[0].lower()}{DEEPEN[1:]}"

    def _explicit(self, kind: What, value: str, name: str, other: str) -> Reading:
        """What a name with its prefix means; raises where that does not exist."""
        if kind == "git":
            self._needs_git(value)
            return Reading("git", value)
        if kind == "model":
            if not value.strip():
                raise UsageError("no model is named", where=name, fix="Write it like model:NAME")
            return Reading("model", value)
        finders: dict[str, Callable[[], list[Reading]]] = {
            "run": lambda: self._runs(value),
            "baseline": lambda: self._baselines(value or BASELINE),
            "prompt": lambda: self._prompts(value, other),
        }
        found = finders[kind]()
        if len(found) > 1:
            raise _ambiguous(name, found)
        if found:
            return found[0]
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
        repository = self.repository
        if self._no_git is not None:
            raise self._no_git
        if repository is None:
            raise UsageError("this is no git repository", where=f"git:{ref}", fix="Run `git init`, or name a run")
        try:
            repository.resolve(ref)
        except UsageError as error:
            raise UsageError(error.what, where=f"git:{ref}", fix=error.fix) from None

    def _baselines(self, name: str) -> list[Reading]:
        if name == BASELINE:
            path = self._project.baseline(self._suite.name, baseline_tier(self._project, self._suite))
            return [Reading("baseline", "", self._project.root / path)] if self._project.tree.exists(path) else []
        if "/" in name or "\\" in name or not name:
            return []
        folder = self._project.root / "baselines" / "archive"
        stem = name.removesuffix(".json")
        for candidate in (folder / f"{stem}.json", folder / f"{self._suite.name}-{stem}.json"):
            if _is_file(candidate):
                return [Reading("baseline", candidate.stem, candidate)]
        return []

    def _runs(self, name: str) -> list[Reading]:
        folder = self._project.local / "runs"
        if name == LATEST:
            return self._latest(latest_runs(folder))
        found = []
        if name[:1].isdigit():
            logs = [path for path in latest_runs(folder) if path.stem.startswith(name)]
            if len(logs) > 1 and logs[0].stem != name:
                shown = ", ".join(path.stem for path in logs[:4])
                raise UsageError(
                    f"`{name}` is the beginning of {len(logs)} runs", where=".row3/runs", fix=f"Choose: {shown}"
                )
            found = [Reading("run", path.stem, path) for path in logs[:1]]
        path = next((path for path in (Path(name), self._project.root / name) if _is_file(path)), None)
        if path is None or path.suffix == ".md":  # that is a prompt's file
            return found
        return [*found, Reading("run", name, path.resolve())]

    def _latest(self, logs: list[Path]) -> list[Reading]:
        """The newest run of the suite."""
        for path in logs:
            run = read_log(path)
            if run.header.suite == self._suite.name:
                return [Reading("run", LATEST, path, run=run)]
        return []

    def _prompts(self, name: str, other: str) -> list[Reading]:
        there = prompt_store.versions(self._project.tree)
        ref = parse_reference(name.removeprefix("prompts/"))
        if ref is not None:
            return [Reading("prompt", str(ref), ref=ref)] if ref.version in there.get(ref.name, ()) else []
        version = parse_version(name) if name.startswith("v") else None
        if version is None:
            return []
        pipeline = self._suite.pipeline or tuple(there)
        owners = [one for one in pipeline if version in there.get(one, ())]
        beside = other.removeprefix("prompt:").removeprefix("prompts/")
        named, bare = parse_reference(beside), parse_version(beside)
        if named is not None:
            owners = [one for one in owners if one == named.name] or owners
        elif bare is not None:
            owners = [one for one in owners if bare in there.get(one, ())] or owners
        if len(owners) > 1 and bare == version:
            owners = owners[:1]  # the same version on both sides: whichever it is, nothing differs
        return [Reading("prompt", str(PromptRef(one, version)), ref=PromptRef(one, version)) for one in owners]

    def _refuse_prompt(self, name: str) -> None:
        """Raise the error for a reference or version that looks like a prompt's and is none."""
        from row3.workflows.pipeline.lineup import resolve_version

        ref = parse_reference(name.removeprefix("prompts/"))
        bare = name.startswith("v") and parse_version(name) and prompt_store.versions(self._project.tree)
        if ref is None and not bare:
            return
        try:
            resolve_version(self._project, self._suite, name)
        except UsageError as error:
            raise UsageError(error.what, where=WHERE, fix=error.fix) from None

    def _git(self, name: str) -> list[Reading]:
        if not name or name[0] == "-" or any(ord(letter) < 32 for letter in name) or len(name) > 250:
            return []
        repository = self.repository
        return [Reading("git", name)] if repository is not None and repository.knows(name) else []


def _once(found: list[Reading]) -> list[Reading]:
    """Without the log of a run that became the baseline that is found too: they are one run."""
    kept = {one.file.stem for one in found if one.kind == "baseline" and one.file is not None}
    return [
        one
        for one in found
        if one.kind != "run" or one.file is None or not any(stem.endswith(f"-{one.file.stem}") for stem in kept)
    ]


class _AmbiguousNameError(UsageError):
    """A name that means several things."""


def _ambiguous(name: str, found: list[Reading]) -> UsageError:
    kinds = {"run": "a run", "baseline": "a baseline", "prompt": "a prompt version", "git": "a commit", "model": ""}
    readings = ", ".join(f"{kinds[one.kind]} ({one.spelling})" for one in found)
    return _AmbiguousNameError(
        f"`{name}` can mean {readings}", where=WHERE, fix=f"Write {' or '.join(o.spelling for o in found)}"
    )


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
