"""Run every suite of a project in one command, reading shared files once, and judge removed suites: `--all`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from row3.commands.compare import approved_changelog, compare_asking, note, write_entries
from row3.comparing.approvals import check_approval, new_approvals, sign
from row3.domain.runs import HistoryEntry, tier_of
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.gate.judging import approved, judge
from row3.gate.results import SuiteResult, SuitesReport, judged
from row3.gate.scores import Context
from row3.project.base import OUTSIDE_GIT, find_base, repository_state
from row3.project.project import Project, pick_suite
from row3.project.suites import Suite
from row3.running.budget import open_budget
from row3.running.collect import new_run_id
from row3.running.run_options import RunOptions
from row3.running.session import CommandOptions, Session, State, begin, save_log
from row3.running.stages import Overrides


@dataclass(slots=True)
class AllSuites:
    """A project for a command over all its suites."""

    project: Project
    options: RunOptions
    command: CommandOptions
    state: State
    noted: int = 0
    """Number of comparisons entered in the history."""

    @property
    def names(self) -> Sequence[str]:
        """Names of all suites. Raises `InvalidFile` if there is none."""
        names = self.project.suite_names()
        if not names:
            raise InvalidFile("the project has no suite", where="golden/", fix="Add golden cases under golden/<suite>/")
        return names

    def of(self, name: str) -> Session:
        """Return a suite's session. Raises `InvalidFile` and `UsageError` for its settings."""
        suite = pick_suite(self.project, name, tier_of(self.options.mode or self.project.config.mode))
        if len(self.names) > 1:  # printed commands have to name the suite
            suite = replace(suite, flag=f" --suite {shlex.quote(name)}")
        options = replace(self.options, named=prompts_of(suite, self.options.named))
        if suite.system is not None:  # model options do not apply to a system
            options = replace(options, overrides=Overrides())
        session = begin(self.project, suite, options, self.command, self.state)
        limit = self.command.live.max_cost
        if limit is not None and self.state.budget is None:
            every = [pick_suite(self.project, each) for each in self.names]
            self.state.budget = open_budget(self.project, every, limit)
        return session

    @property
    def in_git(self) -> bool:
        """Whether the project is in a git repository."""
        return repository_state(self.project) != OUTSIDE_GIT

    def check_named(self, among: Sequence[str] | None = None) -> None:
        """Raise `UsageError` for a named prompt that is in no pipeline `among` these suites (default: all)."""
        suites: list[Suite] = []
        with suppress(Row3Error):  # an unusable suite is reported in its turn
            suites = [pick_suite(self.project, name) for name in (self.names if among is None else among)]
        for text in self.options.named if suites else ():
            if not any(prompts_of(suite, (text,)) for suite in suites):
                what = f"`{text}` is not in any suite's pipeline"
                raise UsageError(what, where="--prompt", fix="See `pipeline` in row3.toml")


def prompts_of(suite: Suite, named: Sequence[str]) -> tuple[str, ...]:
    """Return the named prompts that are in the suite's pipeline; all without a pipeline, none for a system."""
    if suite.system is not None:
        return ()
    if not suite.pipeline:
        return tuple(named)
    return tuple(text for text in named if text.removeprefix("prompts/").rpartition("-v")[0] in suite.pipeline)


def compare_all(
    suites: AllSuites, *, against: str | None = None, names: Collection[str] | None = None, pages: bool = False
) -> Iterator[SuiteResult]:
    """Compare every suite in turn, or those in `names`, and write nothing; raises for errors in shared files."""
    _ = suites.project.history  # an error in it is no error of a suite
    base = None if against is None else find_base(suites.project, against)
    project = suites.project
    if names is not None:
        chosen: Sequence[str] = [
            name for name in names if base is None or project.has_cases(name) or not base.judges(name)
        ]
        chosen = [pick_suite(project, name).name for name in chosen]
    else:
        chosen = [name for name in project.suite_names() if base is None or project.has_cases(name)]
        chosen = chosen if chosen or (base is not None and base.judged_suites()) else suites.names
    suites.check_named(None if names is None else chosen)
    yield from judge_suites(suites.of, suites.project, chosen, base, removed=names, pages=pages)


def gate_all(suites: AllSuites, *, against: str | None = None, names: Collection[str] | None = None) -> SuitesReport:
    """Compare every suite, or those in `names`; enter them in the history as one change and save the run logs."""
    results = list(compare_all(suites, against=against, names=names))
    comparisons = [result.comparison for result in results if result.comparison is not None]
    if comparisons:
        suites.noted = note(suites.project, suites.command, suites.state.say, comparisons)
    for comparison in comparisons:
        save_log(suites.project, comparison.run, suites.state.say)
    results = [result if result.comparison is None else judged(result.comparison) for result in results]
    return SuitesReport(sorted(results, key=lambda result: result.suite))


def run_all(suites: AllSuites, verb: Callable[[Session], SuiteResult]) -> SuitesReport:
    """Apply `verb` to every suite; an error becomes that suite's result. Raises as `compare_all`."""
    _ = suites.project.history  # an error in it is no error of a suite
    suites.check_named()
    results: list[SuiteResult] = []
    for name in suites.names:
        try:
            results.append(verb(suites.of(name)))
        except Row3Error as error:
            results.append(SuiteResult(name, problem=str(error), fault=error.exit_code))
    return SuitesReport(results)


def judge_suites(
    make: Callable[[str], Session],
    project: Project,
    names: Sequence[str],
    base: Project | None,
    *,
    removed: Collection[str] | None = None,
    pages: bool = False,
) -> Iterator[SuiteResult]:
    """Compare these suites in turn, then removed ones (if in `removed`); an error becomes the suite's result."""
    for name in names:
        try:
            session = make(name)
            if base is not None and not base.judges(name) and not session.project.judges(name):
                how = f"row3 --baseline{session.suite.flags('row3 --baseline')}"
                yield SuiteResult(name, problem=f"no baseline yet, so nothing was compared (`{how}` saves one)")
            else:
                yield judged(compare_asking(session, base=base, pages=pages))
        except Row3Error as error:
            yield SuiteResult(name, problem=str(error), fault=error.exit_code)
    if base is not None:
        yield from _removed_suites(project, base, removed)


def _removed_suites(project: Project, base: Project, names: Collection[str] | None = None) -> Iterator[SuiteResult]:
    """Yield the suites of the base that have no golden cases any more; only those in `names`, if given."""
    for name in base.judged_suites():
        if (names is None or name in names) and not project.has_cases(name):
            manifest = base.manifest(name)
            judgement = judge(
                name,
                (),
                (),
                Context(suite_removed=True),
                answers=[] if manifest is None else [manifest.digest],
                approvals=new_approvals(project.history, base, name),
                added=True,
            )
            yield SuiteResult(name, judgement=judgement)


def gate_removed(
    project: Project,
    suite: str | None,
    *,
    against: str,
    approve: str | None,
    may_write: bool,
    say: Callable[[str], None] = lambda _: None,
) -> SuiteResult | None:
    """Judge the removal of a suite, by default the default one; None if it still exists."""
    name = suite or project.default_suite
    if name is not None and project.has_cases(name):
        return None
    base = find_base(project, against)
    name = name or base.default_suite
    removed = None if name is None else next(_removed_suites(project, base, [name]), None)
    if removed is None or removed.judgement is None or approve is None:
        return removed
    check_approval(approve, may_write=may_write)
    approval = sign(project, approve, removed.judgement.approval)
    if approval is removed.judgement.approval:
        return removed
    head, dirty = repository_state(project)
    entry = HistoryEntry(  # nothing ran, so there are no prompts and metrics
        run_id=new_run_id(),
        at=approval.at,
        action="compare",
        suite=removed.suite,
        commit=head,
        dirty=dirty,
        prompts={},
        model="",
        mode="replay",
        cases=0,
        metrics={},
        verdict="block",
        reasons=[f"{reason.code} {reason.subject}" for reason in removed.judgement.reasons],
        evidence=removed.judgement.signature,
        approval=approval,
    )
    changelog = partial(approved_changelog, project, approval, what=f"suite {removed.suite} removed: ")
    write_entries(project, [entry], changelog, say)
    return replace(removed, judgement=approved(removed.judgement, approval))
