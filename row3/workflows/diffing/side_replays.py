"""A side of `row3 diff` that is replayed: a prompt version, a model, or a git ref with all that it had."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from row3.errors import InvalidFile, RunIncomplete, UsageError
from row3.store.config import FILE, read_config
from row3.store.corpus import CORPORA
from row3.store.project import Project, golden_of
from row3.store.recordings import open_index
from row3.store.saved_runs import parse_run, run_bytes
from row3.store.suites import Suite, pick_suite
from row3.store.system_config import McpConfig
from row3.store.tree import WorkTree
from row3.workflows.against.at_ref import inside_of
from row3.workflows.diffing.side_names import Reading, What
from row3.workflows.diffing.sides import Side
from row3.workflows.pipeline.lineup import Lineup, line_up
from row3.workflows.pipeline.run_suite import Run, RunOptions, collect, header_for, make_asking, replay

if TYPE_CHECKING:
    from row3.vcs.repository import Repository

READ = (FILE, "prompts")
"""What a replay at a git ref takes from it beside the suite's recordings, golden cases and corpus."""
SHORT_SHA = 10


@dataclass(frozen=True, slots=True)
class Replays:
    """Replays what is no saved run."""

    project: Project
    suite: Suite
    options: RunOptions
    named: tuple[str, ...]
    """Prompt references that take their prompt's place."""
    repository: Repository | None
    stack: ExitStack
    """Holds the temporary folders."""

    def side(self, name: str, reading: Reading) -> Side:
        """The side that a reading means.

        Raises `UsageError`, `InvalidFile`; `RunIncomplete` where no case has its answers.
        """
        if reading.kind == "git":
            return self._git(name, reading)
        return self._model(name, reading) if reading.kind == "model" else self._prompt(name, reading)

    def _prompt(self, name: str, reading: Reading) -> Side:
        ref = str(reading.ref)
        own = tuple(text for text in self.named if not reading.ref or not _is_of(text, reading.ref.name))
        lineup = line_up(self.project, self.suite, role="candidate", named=(*own, ref), told={ref: "row3 diff"})
        return self._replayed(name, reading, lineup, self.options)

    def _model(self, name: str, reading: Reading) -> Side:
        options = replace(self.options, overrides=replace(self.options.overrides, model=reading.value))
        lineup = line_up(self.project, self.suite, role="candidate", named=self.named)
        try:
            return self._replayed(name, reading, lineup, options)
        except RunIncomplete:
            models = recorded_models(self.project, self.suite)
            if reading.value in models:
                raise
            raise UsageError(
                f"no answer of model `{reading.value}` is recorded",
                where=f"recordings/{self.suite.name}/",
                fix=f"Recorded are {', '.join(models) or 'none'}; "
                f"`row3 --mode record --model NAME{self.suite.flag}` records another",
            ) from None

    def _replayed(self, name: str, reading: Reading, lineup: Lineup, options: RunOptions) -> Side:
        run = replayed(self.project, self.suite, lineup, options)
        return _side(name, "replayed now", reading.kind, run, self.project)

    def _git(self, name: str, reading: Reading) -> Side:
        repository, suite = self.repository, self.suite.name
        assert repository is not None
        sha = repository.resolve(reading.value)
        folder = Path(self.stack.enter_context(TemporaryDirectory(prefix="row3-diff-")))
        inside = inside_of(repository, self.project.root)
        repository.read_tree(sha, [inside + path for path in (*READ, f"recordings/{suite}")], folder)
        at = f"git {sha[:SHORT_SHA]}"
        try:
            there = Project(folder / inside, read_config(WorkTree(folder / inside)))
            # Which folders hold its cases, and what a system is told beside them, is for its own settings to say.
            cases, settings = golden_of(there.config, suite), there.config.suites.get(suite)
            told = settings is not None and isinstance(settings.provider, McpConfig) and settings.provider.setup
            corpora = CORPORA if told else (cases,)
            repository.read_tree(sha, [inside + path for path in corpora], folder)
            if not there.tree.exists(there.golden(suite)):
                raise InvalidFile(f"the suite does not exist at {reading.value}", where=f"{cases}/")
            return self._at(name, there, sha, f"{at}, replayed")
        except InvalidFile as error:
            raise InvalidFile(error.what, where=f"{error.where} ({at})", fix="Name another commit") from None
        except UsageError as error:
            raise UsageError(
                error.what, where=f"{error.where} ({at})", fix=error.fix or "Name another commit"
            ) from None

    def _at(self, name: str, there: Project, sha: str, where: str) -> Side:
        its = pick_suite(there, self.suite.name)
        if its.kind.name != self.suite.kind.name:
            what = f"the suite is of kind `{its.kind.name}` there, and of `{self.suite.kind.name}` now"
            raise UsageError(what, where=FILE)
        lineup = line_up(there, its, role="candidate", named=self.named)
        run = replayed(there, its, lineup, self.options)
        return replace(_side(name, where, "git", run, there), commit=sha)


def replayed(project: Project, suite: Suite, lineup: Lineup, options: RunOptions) -> Run:
    """A run of these prompts from recordings.

    Raises `InvalidFile`, `UsageError`; a case without a recording is failed, as in any replay.
    """
    asking = make_asking(suite, lineup, options)
    head = header_for(suite, asking, mode="replay")
    return collect(replay(project, suite, asking, options), suite, lineup, head, partial=options.partial)


def _side(name: str, where: str, kind: What, run: Run, project: Project) -> Side:
    """A replay as a side; raises `RunIncomplete` where no case has its answers."""
    missing = tuple(run.collected.failed)
    problem = next((text for case_id, text in run.problems if case_id in missing[:1]), "")
    if len(missing) == run.cases:
        what = f"no case has its answers recorded for `{name}`; of {missing[0]}: {problem}"
        raise RunIncomplete(what, where=f"recordings/{run.suite.name}/ ({where})", fix="Record them, or name another")
    saved = parse_run(b"".join(run_bytes(run.header, run.records)), where=name)
    texts = {prompt.ref.name: prompt.text for prompt in run.lineup.prompts}
    return Side(name, where, kind, saved, project, texts, replayed=True, missing=missing, problem=problem)


def recorded_models(project: Project, suite: Suite) -> list[str]:
    """The models whose answers are recorded, in the order of their names. Raises `InvalidFile`."""
    found = {recording.request.get("model") for recording in open_index(project.tree, suite.name).all()}
    return sorted(model for model in found if isinstance(model, str) and model)


def _is_of(text: str, name: str) -> bool:
    return text.removeprefix("prompts/").rpartition("-v")[0] == name
