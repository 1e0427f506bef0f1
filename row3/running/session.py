"""A project opened for one command, the command line's options, and what every command does with its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from row3 import __version__
from row3.domain.judgements import Judgement, Verdict
from row3.domain.numbers import decimal
from row3.domain.requests import RECORDED_ONLY, digest_listed, digest_text
from row3.domain.runs import Approval, HistoryEntry, tier_of
from row3.domain.scores import Observer
from row3.domain.typed_options import Given
from row3.domain.words import part
from row3.errors import EnvironmentFault, InvalidFile, RunIncomplete
from row3.gate.policy import PolicyName
from row3.gate.results import Run
from row3.project.cases import PATTERN, misnamed
from row3.project.chosen_cases import choose_cases
from row3.project.config import Mode
from row3.project.files import disk_faults, write_atomic
from row3.project.local_state import in_local, local_folder
from row3.project.model_parameters import as_typed
from row3.project.parquet import MANY_CASES, has_parquet
from row3.project.project import Guard, Project, open_project, pick_suite
from row3.project.saved_runs import (
    RUNS,
    SHARDS,
    ScoreCache,
    answers_path,
    cases_path,
    context_path,
    latest_runs,
    parse_record,
    run_bytes,
    write_run,
)
from row3.project.shared_folder import RUN, SharedFolder
from row3.project.suites import Suite, with_limits
from row3.running.budget import Budget, open_budget
from row3.running.collect import sorted_on_disk
from row3.running.opening import note_unused_settings, prepare
from row3.running.run_options import RunOptions


@dataclass(frozen=True, slots=True)
class GateFlags:
    """The command line's gate options, which override `row3.toml`; loosening a rule still blocks."""

    policy: PolicyName | None = None
    inconclusive: Literal["investigate", "block"] | None = None
    fail: str | None = None
    """Limits of single metrics, in the form `row3.gate.policy.parse_limits` reads."""

    def __str__(self) -> str:
        return " ".join(f"--{name} {value}" for name, value in self.given)

    @property
    def given(self) -> list[tuple[str, str]]:
        """The options that were given, each with its value."""
        options = {"policy": self.policy, "inconclusive": self.inconclusive, "fail": self.fail}
        return [(name, value) for name, value in options.items() if value]

    def applied(self, suite: Suite) -> Suite:
        """Return the suite with these options applied. Raises `UsageError` for invalid limits."""
        old = suite.policy
        policy = replace(old, policy=self.policy or old.policy, inconclusive=self.inconclusive or old.inconclusive)
        if self.fail:
            policy = with_limits(policy, suite.kind, self.fail, where="--fail")
        return replace(suite, policy=policy)


NO_FLAGS: Final = GateFlags()


@dataclass(frozen=True, slots=True)
class LiveFlags:
    """The command line's options for a run that asks a provider."""

    interleave: bool = True
    """Whether a comparison asks the baseline's prompts again in the same run."""
    confirm: int | None = None
    """Most further answers a case and side that confirm a block; None for the suite's setting."""
    max_cost: float | None = None
    """Budget of the command, in US dollars."""
    batch: bool = False
    """Whether requests go in batches, as the setting of that name says too."""


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """How a command judges, asks and writes, as the command line sets it; `RunOptions` are what it runs."""

    gate: GateFlags = NO_FLAGS
    live: LiveFlags = LiveFlags()
    may_write: bool = True
    """False in CI, in the hook and for report formats: no tracked file is written."""
    directory: str = ""
    """The project's folder as typed; empty if commands work without."""
    typed: str = ""
    """The command with the options that select answers, as typed; a run continues those of the same command."""

    def applied(self, suite: Suite) -> Suite:
        """Return the suite with the options of the gate applied. Raises `UsageError` for invalid limits."""
        suite = self.gate.applied(suite)
        confirm = suite.policy.confirm if self.live.confirm is None else self.live.confirm
        return replace(suite, policy=replace(suite.policy, confirm=confirm))


def given_by(options: RunOptions, command: CommandOptions) -> Given:
    """Return the options that select answers and set the gate, as typed; a switch has an empty value."""
    overrides, live = options.overrides, command.live
    typed: list[tuple[str, Any]] = [
        ("C", command.directory or None),
        *(("prompt", text) for text in options.named),
        ("model", overrides.model),
        ("temperature", overrides.temperature),
        ("seed", overrides.seed),
        ("max-tokens", overrides.max_tokens),
        *(("set", as_typed(*setting)) for setting in overrides.extra.items()),
        ("repeats", options.repeats if options.repeats > 1 else None),
        ("mode", options.mode),
        *command.gate.given,
        ("confirm", live.confirm),
        ("max-cost", None if live.max_cost is None else decimal(live.max_cost)),
        ("no-interleave", None if live.interleave else ""),
        ("batch", "" if live.batch else None),
    ]
    return Given(tuple((name, str(value)) for name, value in typed if value is not None))


MAX_NAMED = 5
"""Files named in one note."""
MAX_CACHED = 300
"""Cases up to which cached scores save time; larger suites are scored by several processes."""
KEPT_RUNS = 20
"""Run logs kept in `.row3/runs`, per suite."""
SCORED_DIGITS = 16


def ignore(text: str) -> None:
    """Show no note."""


@dataclass(slots=True)
class State:
    """What the runs of a command share: notes and progress, the budget, and what is left to do."""

    say: Callable[[str], None] = ignore
    observer: Observer | None = None
    budget: Budget | None = None
    """What is left of `LiveFlags.max_cost`."""
    afterwards: list[Callable[[], None]] | None = None
    """Cleanup to run after the command has shown its result; None: clean up at once."""
    incomplete: bool = False
    """Whether a live run has ended without all its answers."""
    recovered: tuple[str, ...] = ()
    """Files written by finishing an interrupted promotion or baseline."""
    caches: dict[str, ScoreCache] = field(default_factory=dict)
    """Cached scores, by scorer and rules."""
    warned: set[str] = field(default_factory=set)
    """Prompts already warned about for unused input."""
    omitted: set[str] = field(default_factory=set)
    """Parameters of which a note has said that they are not sent."""

    def finish(self) -> None:
        """End live runs, which an interruption may no longer continue; call it after showing the result."""
        for each in self.afterwards or ():
            each()
        self.afterwards = None


@dataclass(frozen=True, slots=True)
class Session:
    """A suite of a project, opened for one command with the command line's options."""

    project: Project
    suite: Suite
    options: RunOptions
    command: CommandOptions = CommandOptions()
    state: State = field(default_factory=State)

    @property
    def mode(self) -> str:
        """The run's mode: the option's, else the configured one."""
        return self.options.mode or self.project.config.mode

    @property
    def say(self) -> Callable[[str], None]:
        """Shows a note."""
        return self.state.say

    def switched(self, mode: Mode) -> Session:
        """Return the session in another mode, with the rules of its tier."""
        options, suite = replace(self.options, mode=mode), self.suite
        if tier_of(mode) != suite.tier:
            suite = self.command.applied(pick_suite(self.project, suite.name, tier_of(mode)))
        return replace(self, options=options, suite=replace(suite, given=given_by(options, self.command)))

    def replaying(self) -> Session:
        """Return the session in replay mode; printed commands keep the typed mode."""
        return replace(self, options=replace(self.options, mode="replay"))

    def scores(self, suite: Suite) -> ScoreCache | None:
        """Return the cached scores under a suite's rules; None for large suites and for matching by meaning."""
        if suite.rules.semantic is not None or len(self.project.cases.paths(suite.golden)) > MAX_CACHED:
            return None
        rules = repr(replace(suite.rules, thresholds={}))
        key = digest_text("\n".join([__version__, suite.kind.name, suite.kind.signature(suite.rules), rules]))[:16]
        if key not in self.state.caches:
            self.state.caches[key] = ScoreCache(self.project.root, f"{suite.name}-{key}")
        return self.state.caches[key]


def open_recovered(
    start: Path, options: RunOptions, command: CommandOptions, state: State, *, guard: Guard | None = None
) -> Project:
    """Open the project and finish an interrupted promotion.

    If a run asks a provider and none serves the configured model, the judge also uses the model of the options. Raises
    `InvalidFile`.
    """
    project = replace(open_project(start), guard=guard)
    state.recovered += tuple(prepare(project.root, may_write=command.may_write, say=state.say))
    note_unused_settings(project, state.say)
    model, config = options.overrides.model, project.config
    asks = (options.mode or config.mode) in ("live", "record")
    if asks and model is not None and config.provider.model == RECORDED_ONLY:
        config = config.replace(provider=config.provider.replace(model=model))
    if command.live.batch:
        config = config.replace(provider=config.provider.replace(batch=True))
    return replace(project, config=config)


def open_session(
    start: Path,
    suite: str | None,
    options: RunOptions,
    command: CommandOptions = CommandOptions(),
    state: State | None = None,
    *,
    case: Sequence[str] = (),
    tag: Sequence[str] = (),
    guard: Guard | None = None,
) -> Session:
    """Open the project as `open_recovered` does, and choose the suite, and its cases by `case` globs and `tag`s.

    Raises `InvalidFile`, `UsageError`.
    """
    state = state or State()
    project = open_recovered(start, options, command, state, guard=guard)
    chosen = pick_suite(project, suite, tier_of(options.mode or project.config.mode))
    session = begin(project, chosen, options, command, state)
    if case or tag:
        only = choose_cases(project, chosen, case, tag)
        session = replace(session, options=replace(session.options, only=only))
    if command.live.max_cost is not None:
        state.budget = open_budget(project, [session.suite], command.live.max_cost)
    return session


def begin(project: Project, suite: Suite, options: RunOptions, command: CommandOptions, state: State) -> Session:
    """Return the session of a suite, under the options of the gate and in the mode that these ask for."""
    note_misnamed(project, suite, state.say)
    suite = replace(command.applied(suite), given=given_by(options, command))
    return Session(project, suite, options, command, state)


def note_misnamed(project: Project, suite: Suite, say: Callable[[str], None]) -> None:
    """Warn of files that look like golden cases but are not read because of their names."""
    if names := misnamed(project.tree, suite.golden):
        more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
        say(f"not read, as a golden case is named {PATTERN}: {', '.join(names[:MAX_NAMED])}{more} in {suite.golden}/")


def save_log(project: Project, run: Run, say: Callable[[str], None]) -> None:
    """Save the run in `.row3/runs`, with a live run's answers, and delete old runs.

    Only that of a shard and the `run.json` of shared results, which nothing replaces, may fail a command: they raise
    `EnvironmentFault`, `InvalidFile`.
    """
    local, shard, shared = project.local, run.header.shard, run.header.cases_file
    records = run.records if shared is None else ()
    folder, lines, kept = (RUNS, records, 1) if shard is None else (SHARDS, run.scores, shard.of)
    name = f"{folder}/{run.header.run_id}.json"
    if shared is not None:
        SharedFolder(shared).write(RUN, run_bytes(run.header, ()))
    try:
        path = in_local(local_folder(local), name)
        if run.answers:
            answers = [f"{line.strip()}\n".encode() for line in run.answers]
            write_atomic(answers_path(path), answers, where=f".row3/{folder}")
        as_parquet = shard is None and len(records) > MANY_CASES and has_parquet()
        write_run(path, run.header, lines, [each.key for each in run.suite.kind.metrics] if as_parquet else ())
        with disk_faults(f".row3/{folder}"):
            for old in latest_runs(local, folder)[KEPT_RUNS * len(project.suite_names()) * kept :]:
                for each in (old, answers_path(old), cases_path(old), context_path(old)):
                    each.unlink(missing_ok=True)
    except (EnvironmentFault, InvalidFile) as error:
        if shard is not None:
            raise
        say(f"the run log was not saved: {error}")
    if shard is not None:
        say(f"shard {shard} saved as .row3/{name}; `row3 merge` joins the {shard.of}")


def entry_of(run: Run, judgement: Judgement | None = None, approval: Approval | None = None) -> HistoryEntry:
    """Return the run as an entry of the history."""
    header = run.header
    assert header.action != "run"
    reasons = () if judgement is None else judgement.reasons
    return HistoryEntry(
        run_id=header.run_id,
        at=header.at,
        action=header.action,
        suite=header.suite,
        commit=header.commit,
        dirty=header.dirty,
        prompts=header.prompts,
        model=header.model,
        mode=header.mode,
        cases=run.cases,
        metrics=header.metrics,
        scored=scored_by(run),
        verdict=None if judgement is None else judgement.verdict.word,
        reasons=[f"{each.code} {each.subject}".strip() for each in reasons if each.verdict is not Verdict.PROCEED],
        evidence="" if judgement is None else judgement.signature,
        approval=approval,
    )


def scored_by(run: Run) -> str:
    """Return a digest of all that a run's scores depend on but answers: scorer, weights, cases, quarantine."""
    header = run.header
    cases = ([each.id, each.digest] for each in (parse_record(line, where="the run") for line in run.records))
    about = [header.scorer, header.weights]
    return digest_listed(about, sorted_on_disk(cases), [sorted(header.quarantined)])[:SCORED_DIGITS]


def incomplete(run: Run, consequence: str) -> RunIncomplete:
    """Return the error for a run in which a case has no answer."""
    first, failed = run.failed[0], part(len(run.failed), run.cases, "case", "has", "have")
    what = f"the run is incomplete: {failed} no {run.lacking}, {consequence}"
    return RunIncomplete(what, where=first, fix=dict(run.problems).get(first, ""))
