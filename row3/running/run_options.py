"""Run a suite: answer and score every case under one set of prompts, model and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from row3.domain.prompts import Lineup
from row3.domain.runs import Shard
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Run
from row3.project.cases import StoredCase
from row3.project.config import Mode
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.shared_folder import make_folder
from row3.project.suites import Suite
from row3.running.case_results import Before, Packing, Page
from row3.running.evaluate import NO_MORE, Asking, More, replay_case
from row3.running.execute import evaluate_all
from row3.running.replay import Recorded, open_recordings
from row3.running.shared_results import SharedResults
from row3.running.stages import Overrides, Parameters, parameters_of


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run, as the command line sets them."""

    mode: Mode | None = None
    named: tuple[str, ...] = ()
    """Prompt versions to use instead of the candidates."""
    overrides: Overrides = field(default_factory=Overrides)
    repeats: int = 1
    more: More = NO_MORE
    """Further answers, which confirm a block."""
    jobs: int | None = None
    ray: str | None = None
    """Address of the Ray cluster that scores; empty for one of this command's own, None for no cluster."""
    only: frozenset[str] | None = None
    """Ids of the cases to run; None for all."""
    resume: bool = False
    """Take the answers of a run that ended incomplete, too."""
    explain: bool = False
    """Keep every explanation, for JSON."""
    page: Page | None = None
    """Keep the data of a page for each case instead."""
    shard: Shard | None = None
    """The part of the suite to run; None for all of it."""
    results: str | None = None
    """Path or URL where workers write the cases' results; None if the command collects them."""
    shared: SharedResults | None = None
    """The place there of a run that has begun."""

    @property
    def partial(self) -> bool:
        """Whether only part of the suite runs."""
        return self.only is not None

    def begun(self, suite: Suite, run_id: str) -> RunOptions:
        """Return the options of the run with this id; makes the folder of its results. Raises as `make_folder`."""
        if self.results is None:
            return self
        metrics, explained = tuple(each.key for each in suite.kind.metrics), self.explain or self.page is not None
        return replace(self, shared=SharedResults(make_folder(self.results, run_id), run_id, metrics, explained))

    def wants(self, case_id: str) -> bool:
        """Return whether a case runs."""
        return self.only is None or case_id in self.only


def check_cases(project: Project, suite: Suite, options: RunOptions) -> None:
    """Raise `InvalidFile` for a check that needs a rubric or setting that the suite lacks, before anything is asked."""
    fix = f"Correct it; `row3 lint{suite.flag}` lists all that is wrong"
    for each in suite.kind.lint.rules(suite.rules):
        where = ".".join([f"{FILE} field suites.{suite.name}", *map(str, each.path)])
        raise InvalidFile(each.message, where=where, fix=fix)
    for stored in project.cases_of(suite) if suite.kind.judgeable.rubrics else ():
        if options.wants(stored.id) and (problem := suite.kind.judgeable.lacks(stored.case, suite.rules)):
            raise InvalidFile(problem, where=stored.where, fix=fix)


def make_asking(suite: Suite, lineup: Lineup, options: RunOptions) -> Asking:
    """Return what turns this run's cases into requests; raises `UsageError` without a model."""
    if options.repeats < 1:
        raise UsageError(f"{options.repeats} repeats", where="--repeats", fix="Ask for 1 or more")
    parameters: dict[str, Parameters] = {}
    for arm, prompt in lineup.steps:
        provider = suite.arms[arm].provider if suite.arms else suite.provider
        # A system's call before prompts takes no model parameters.
        given = Overrides() if suite.arms and prompt.stage is not None else options.overrides
        each = parameters_of(prompt, provider, given)
        key = prompt.ref.name if parameters.get(prompt.ref.name, each) == each else f"{arm}/{prompt.ref.name}"
        parameters[key] = each
    return Asking(suite, lineup, parameters, options.repeats, more=options.more)


def replay(
    project: Project,
    suite: Suite,
    asking: Asking,
    options: RunOptions,
    judge: Project | None = None,
    *,
    index: RecordingIndex | None = None,
    before: Before | None = None,
) -> Iterator[CaseScore]:
    """Yield the result of every case from recordings, compared with `before` if given.

    Raises `InvalidFile`, `UsageError`.
    """
    answerer = Recorded(index or open_recordings(project, suite), asking.lineup)
    cases = (judge or project).cases
    pack = Packing(suite, options.explain, before, options.page, options.shared)

    def evaluate(stored: StoredCase) -> CaseScore:
        return replay_case(asking, stored, answerer)

    jobs, shard = options.jobs or project.config.jobs, options.shard
    yield from evaluate_all(cases, evaluate, pack, options.wants, jobs=jobs, shard=shard, ray=options.ray)


def with_action(run: Run, action: str, *, commit: str | None, dirty: bool | None) -> Run:
    """Return the run with its action and the state of the repository in its header."""
    return replace(run, header=run.header.replace(action=action, commit=commit, dirty=dirty))
