"""`--all`: every suite of the project in one command, with what they share read once."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from row3.domain.runs import HistoryEntry
from row3.domain.tiers import tier_of
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.gate.results import SuiteResult, SuitesReport, judged
from row3.store.config import ProviderConfig
from row3.store.history import FILE as HISTORY
from row3.store.history import history_with_new, read_history
from row3.store.locks import writing
from row3.store.project import Project
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, pick_suite
from row3.store.transaction import commit
from row3.workflows.comparing.gating import compare_asking
from row3.workflows.flags import LiveFlags
from row3.workflows.pipeline.run_suite import with_action
from row3.workflows.pipeline.stages import Overrides
from row3.workflows.session import OUTSIDE_GIT, Session, entry_of, note_misnamed, repository_state, save_log
from row3.workflows.snapshots import find_base
from row3.workflows.suites.removed import removed_suites

if TYPE_CHECKING:
    from row3.workflows.pipeline.budget import Budget


@dataclass(slots=True)
class AllSuites:
    """The sessions of a command over all suites."""

    project: Project
    make: Callable[[Suite], Session]
    """A session of a suite, with what the command line says."""
    mode: str
    named: tuple[str, ...] = ()
    live: LiveFlags = field(default_factory=LiveFlags)
    made: list[Session] = field(default_factory=list)
    _budget: Budget | None = None
    """One for all of them: what one suite spends the next one cannot."""
    _history: list[HistoryEntry] | None = None
    noted: int = 0
    """Comparisons of which the history got an entry."""

    @property
    def names(self) -> list[str]:
        """All suites, by name. Raises `InvalidFile` where there is none."""
        names = self.project.suite_names()
        if not names:
            raise InvalidFile("the project has no suite", where="golden/", fix="Add golden cases under golden/<suite>/")
        return names

    def of(self, name: str) -> Session:
        """The session of a suite. Raises `InvalidFile` and `UsageError` for its settings."""
        suite = pick_suite(self.project, name, tier_of(self.mode))
        if len(self.names) > 1:  # commands printed among several suites name each of them
            suite = replace(suite, flag=f" --suite {shlex.quote(name)}")
        own = self.make(suite)
        note_misnamed(self.project, suite, own.say)
        own.named = fitting(self.named, suite)
        if suite.system is not None and self._asks_models():
            # Options about models are for the suites that ask one; where none does, they are refused as ever.
            own.options = replace(own.options, overrides=Overrides())
        own.earlier = self.history()
        own.under(self.live)
        if own.budget is not None:
            self._budget = own.budget = self._budget or self._shared_budget()
        self.made.append(own)
        return own

    def _asks_models(self) -> bool:
        given = self.project.config.suites
        providers = [given[name].provider if name in given else None for name in self.names]
        return any(provider is None or isinstance(provider, ProviderConfig) for provider in providers)

    @property
    def in_git(self) -> bool:
        """False where there is no git repository to commit to."""
        return repository_state(self.project) != OUTSIDE_GIT

    def history(self) -> list[HistoryEntry]:
        """The history, read once. Raises `InvalidFile`."""
        if self._history is None:
            self._history = read_history(self.project.tree)
        return self._history

    def _shared_budget(self) -> Budget:
        from row3.workflows.pipeline.budget import Budget, price_table, recorded_sizes

        def sizes() -> Mapping[str, int]:
            longest: dict[str, int] = {}
            for name in self.names:
                for prompt, tokens in recorded_sizes(self.project, name).items():
                    longest[prompt] = max(longest.get(prompt, 0), tokens)
            return longest

        assert self.live.max_cost is not None
        prices = price_table(self.project, [pick_suite(self.project, name) for name in self.names])
        return Budget(self.live.max_cost, prices, sizes)

    def check_named(self, among: Sequence[str] | None = None) -> None:
        """Raise `UsageError` for a prompt that is named and is in no pipeline of these suites, or of all."""
        suites = []
        for name in (self.names if among is None else among) if self.named else ():
            try:
                suites.append(pick_suite(self.project, name))
            except Row3Error:  # said when its turn comes
                return
        for text in self.named:
            if not any(fitting((text,), suite) for suite in suites):
                raise UsageError(
                    f"`{text}` is in the pipeline of no suite", where="--prompt", fix="See `pipeline` in row3.toml"
                )

    def finish(self) -> None:
        """The results are shown."""
        for session in self.made:
            session.finish()


def fitting(named: Sequence[str], suite: Suite) -> tuple[str, ...]:
    """Return those of the named prompts that a suite's pipeline has; all where it has none, none of a system."""
    if suite.system is not None:
        return ()
    if not suite.pipeline:
        return tuple(named)
    return tuple(text for text in named if text.removeprefix("prompts/").rpartition("-v")[0] in suite.pipeline)


def compare_all(
    suites: AllSuites, *, against: str | None = None, names: Collection[str] | None = None, pages: bool = False
) -> Iterator[SuiteResult]:
    """Compare every suite in turn, or those that are named, and write nothing.

    Raises `InvalidFile` for what they share: row3.toml, the history; `UsageError`, `EnvironmentFault`.
    """
    project = suites.project
    suites.history()
    base = None if against is None else find_base(project, against)
    chosen = _to_judge(suites, base, names)
    suites.check_named(None if names is None else chosen)
    yield from judge_suites(suites.of, project, chosen, base, gone=names, pages=pages)


def _to_judge(suites: AllSuites, base: Snapshot | None, names: Collection[str] | None) -> Sequence[str]:
    """The suites to run. Raises `UsageError` for a name that is none, `InvalidFile` where there is none to judge."""
    project = suites.project
    if base is None:
        chosen = suites.names if names is None else list(names)
    else:
        head = Snapshot(project)
        there = project.suite_names() if names is None else list(names)
        chosen = [name for name in there if head.has_cases(name) or not base.judges(name)]
        chosen = chosen if names is not None else [name for name in chosen if head.has_cases(name)]
        if not chosen and not base.suites():
            return suites.names
    for name in chosen if names is not None else ():
        pick_suite(project, name)
    return chosen


def gate_all(suites: AllSuites, *, against: str | None = None, names: Collection[str] | None = None) -> SuitesReport:
    """Compare every suite, or those that are named, note them in the history as one change, keep their run logs.

    Raises as `compare_all`.
    """
    project = suites.project
    results = list(compare_all(suites, against=against, names=names))
    may_write = bool(suites.made) and suites.made[0].may_write
    state = repository_state(project) if may_write else OUTSIDE_GIT
    entries = []
    for number, result in enumerate(results):
        comparison = result.comparison
        if comparison is None:
            continue
        run = comparison.run = with_action(comparison.run, "compare", commit=state[0], dirty=state[1])
        comparison.in_git = not may_write or state != OUTSIDE_GIT
        if may_write and comparison.judgement.complete and not run.partial:
            entries.append(entry_of(run, comparison.judgement, comparison.approval))
        save_log(suites.made[0], run)
        results[number] = judged(comparison)
    if history_with_new(project.tree, entries)[1]:
        with writing(project.local, say=suites.made[0].say):
            text, suites.noted = history_with_new(project.tree, entries)
            if suites.noted:
                commit(project.root, project.local, {HISTORY: text.encode()})
    return SuitesReport(sorted(results, key=lambda result: result.suite))


def run_all(suites: AllSuites, verb: Callable[[Session], SuiteResult]) -> SuitesReport:
    """Run every suite by a verb of one; one that cannot be used stops no other. Raises as `compare_all`."""
    suites.history()
    suites.check_named()
    return SuitesReport(list(_each(suites, verb)))


def _each(suites: AllSuites, verb: Callable[[Session], SuiteResult]) -> Iterator[SuiteResult]:
    for name in suites.names:
        try:
            yield verb(suites.of(name))
        except Row3Error as error:
            yield SuiteResult(name, problem=str(error), fault=error.exit_code)


MakeSession = Callable[[str], Session]


def judge_suites(
    make: MakeSession,
    project: Project,
    names: Sequence[str],
    base: Snapshot | None,
    *,
    gone: Collection[str] | None = None,
    pages: bool = False,
) -> Iterator[SuiteResult]:
    """Compare these suites in turn, each with its baseline, or with the base's; then those that the change removes.

    What a suite does wrong is its own result, and no error. A suite that the base does not judge is judged by the
    baseline that the change brings. `gone` limits which removed suites are looked for; with `pages` runs keep what a
    page shows of each case.
    """
    for name in names:
        try:
            session = make(name)
            if base is not None and not base.judges(name) and not Snapshot(session.project).judges(name):
                how = f"row3 --baseline{session.suite.flags('row3 --baseline')}"
                yield SuiteResult(name, problem=f"no baseline yet, so nothing was compared (`{how}` makes one)")
            else:
                yield judged(compare_asking(session, base=base, pages=pages))
        except Row3Error as error:
            yield SuiteResult(name, problem=str(error), fault=error.exit_code)
    if base is not None:
        yield from removed_suites(project, base, gone)
