"""A project opened for one command, what the command line says, and what every command does with its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import structs

from row3 import __version__
from row3.domain.counts import part
from row3.domain.given import Given
from row3.domain.judgements import Approval, Judgement
from row3.domain.manifests import tier_of
from row3.domain.requests import RECORDED_ONLY, digest_json, digest_text
from row3.domain.runs import HistoryEntry
from row3.domain.verdicts import Verdict
from row3.errors import EnvironmentFault, InvalidFile, RunIncomplete
from row3.gate.policy import PolicyName
from row3.gate.results import Run
from row3.store.cases import PATTERN, golden_files, misnamed
from row3.store.chosen_cases import choose_cases
from row3.store.config import Mode
from row3.store.files import disk_faults, write_atomic
from row3.store.history import read_history
from row3.store.project import Guard, Project, open_project
from row3.store.saved_runs import RUNS, ScoreCache, answers_beside, context_beside, latest_runs, parse_record, write_run
from row3.store.suites import Suite, pick_suite, with_limits
from row3.store.transaction import finish_interrupted, in_local, local_folder
from row3.workflows.pipeline.budget import Budget, open_budget
from row3.workflows.pipeline.results import Observer
from row3.workflows.pipeline.run_suite import RunOptions

MAX_REPEATS = 5
"""Rounds of an adaptive comparison, unless more are allowed."""


@dataclass(frozen=True, slots=True)
class GateFlags:
    """What the command line says of the gate; stronger than `row3.toml`, and a looser rule blocks all the same."""

    policy: PolicyName | None = None
    inconclusive: Literal["investigate", "block"] | None = None
    fail: str | None = None
    """Limits of single metrics, as `row3.gate.policy.parse_limits` reads them."""

    def __str__(self) -> str:
        return " ".join(f"--{name} {value}" for name, value in self.given)

    @property
    def given(self) -> list[tuple[str, str]]:
        """What was said, by the names of the options."""
        options = {"policy": self.policy, "inconclusive": self.inconclusive, "fail": self.fail}
        return [(name, value) for name, value in options.items() if value]

    def applied(self, suite: Suite) -> Suite:
        """The suite under these; raises `UsageError` for limits that are none."""
        old = suite.policy
        policy = replace(old, policy=self.policy or old.policy, inconclusive=self.inconclusive or old.inconclusive)
        if self.fail:
            policy = with_limits(policy, suite.kind, self.fail, where="--fail")
        return replace(suite, policy=policy)


NO_FLAGS: Final = GateFlags()


@dataclass(frozen=True, slots=True)
class LiveFlags:
    """What the command line says of a run that asks a provider."""

    interleave: bool = True
    """A comparison asks the baseline's prompts again, in the same run."""
    adaptive: bool = False
    max_repeats: int = MAX_REPEATS
    """Rounds of an adaptive comparison."""
    max_cost: float | None = None
    """US dollars that this command may spend."""


def given_by(
    options: RunOptions,
    named: Sequence[str],
    gate: GateFlags = NO_FLAGS,
    live: LiveFlags = LiveFlags(),
    directory: str = "",
) -> Given:
    """Return the options that select answers and set the gate, as they were typed; no value for a switch."""
    overrides = options.overrides
    said: list[tuple[str, Any]] = [
        ("C", directory or None),
        *(("prompt", text) for text in named),
        ("model", overrides.model),
        ("temperature", overrides.temperature),
        ("seed", overrides.seed),
        ("max-tokens", overrides.max_tokens),
        ("repeats", options.repeats if options.repeats > 1 else None),
        ("mode", None if live.adaptive else options.mode),
        *gate.given,
        ("adaptive", "" if live.adaptive else None),
        ("max-repeats", live.max_repeats if live.max_repeats != MAX_REPEATS else None),
        ("max-cost", None if live.max_cost is None else f"{live.max_cost:g}"),
        ("no-interleave", None if live.interleave else ""),
    ]
    return Given(tuple((name, str(value)) for name, value in said if value is not None))


NAMED = 5
"""Files that one note names."""
MOST_CACHED = 300
"""Cases up to which known scores save time; more of them are scored in several processes."""
KEPT_RUNS = 20
"""Run logs kept in `.row3/runs` for each suite that there is."""
SCORED_DIGITS = 16


@dataclass(slots=True)
class Session:
    """A project opened for one command, with what the command line says about it."""

    project: Project
    suite: Suite
    options: RunOptions
    named: tuple[str, ...] = ()
    may_write: bool = True
    """False in CI, in the hook and for report formats: no tracked file is written."""
    say: Callable[[str], None] = lambda _: None
    observer: Observer | None = None
    gate: GateFlags = NO_FLAGS
    recovered: tuple[str, ...] = ()
    """Files of an interrupted promotion or baseline that opening the project put in place."""
    live: LiveFlags = field(default_factory=LiveFlags)
    budget: Budget | None = None
    """What `LiveFlags.max_cost` leaves."""
    afterwards: list[Callable[[], None]] | None = None
    """What a live run leaves to be done when the command has shown its result; None: it waits for nothing."""
    earlier: list[HistoryEntry] | None = None
    """The history, once it was read."""
    directory: str = ""
    """The project's folder as it was typed; empty where it need not be."""
    answers: list[str] = field(default_factory=list)
    """Of a live run: its answers, as recordings spell them."""
    caches: dict[str, ScoreCache] = field(default_factory=dict)
    """Known scores, by scorer and rules."""
    warned: set[str] = field(default_factory=set)
    """Prompts of which it was said that they do not show what a case gives them."""

    def __post_init__(self) -> None:
        self.tell_given()

    def tell_given(self) -> None:
        """Let the suite know what the command line said, for the commands that are printed about it."""
        given = given_by(self.options, self.named, self.gate, self.live, self.directory)
        if given != self.suite.given:
            self.suite = replace(self.suite, given=given)

    def under(self, live: LiveFlags) -> Session:
        """Take in what was said of asking a provider; the command calls `finish` when its result is shown."""
        self.live, self.afterwards = live, []
        if live.adaptive and self.mode not in ("live", "record"):
            self.switch("live")
        if live.max_cost is not None:
            self.budget = open_budget(self.project, [self.suite], live.max_cost)
        self.tell_given()
        return self

    def switch(self, mode: Mode) -> None:
        """Go on in another mode, by the rules of its tier."""
        self.options = replace(self.options, mode=mode)
        if tier_of(mode) != self.suite.tier:
            self.suite = self.gate.applied(pick_suite(self.project, self.suite.name, tier_of(mode)))
            self.tell_given()

    def replaying(self) -> Session:
        """Return the session with recorded answers only; printed commands keep the mode that was asked for."""
        other = replace(self, options=replace(self.options, mode="replay"))
        other.suite = self.suite
        return other

    def history(self) -> list[HistoryEntry]:
        """The history as it is when it is first asked for; one command judges all its suites by the same."""
        if self.earlier is None:
            self.earlier = read_history(self.project.tree)
        return self.earlier

    def finish(self) -> None:
        """The result is shown: what was kept in case of an interruption can go."""
        for each in self.afterwards or ():
            each()
        self.afterwards = None

    def scores(self, suite: Suite) -> ScoreCache | None:
        """Return the known scores under a suite's rules; None where the answers are too many, or matched by meaning."""
        if suite.rules.semantic is not None or len(golden_files(self.project.tree, suite.golden)) > MOST_CACHED:
            return None
        rules = repr(replace(suite.rules, thresholds={}))
        key = digest_text("\n".join([__version__, suite.kind.name, suite.kind.signature(suite.rules), rules]))[:16]
        if key not in self.caches:
            self.caches[key] = ScoreCache(self.project.local, f"{suite.name}-{key}")
        return self.caches[key]

    @property
    def mode(self) -> str:
        """Of this run: the flag's, else the configuration's."""
        return self.options.mode or self.project.config.mode


def open_whole(
    start: Path, *, may_write: bool, say: Callable[[str], None], guard: Guard | None = None
) -> tuple[Project, list[str]]:
    """The project with nothing half-done left in it, and the files that were finished. Raises `InvalidFile`."""
    project = replace(open_project(start), guard=guard)
    return project, finish_interrupted(project.local, may_write=may_write, say=say)


def served(project: Project, options: RunOptions) -> Project:
    """Return the project whose judge has the run's model, where both sides are asked and its own is not served."""
    model, config = options.overrides.model, project.config
    asks = (options.mode or config.mode) in ("live", "record")
    if not asks or model is None or config.provider.model != RECORDED_ONLY:
        return project
    return replace(project, config=structs.replace(config, provider=structs.replace(config.provider, model=model)))


def open_session(
    start: Path,
    suite: str | None,
    options: RunOptions,
    *,
    named: tuple[str, ...] = (),
    case: Sequence[str] = (),
    tag: Sequence[str] = (),
    may_write: bool = True,
    say: Callable[[str], None] = lambda _: None,
    observer: Observer | None = None,
    gate: GateFlags = NO_FLAGS,
    directory: str = "",
    guard: Guard | None = None,
) -> Session:
    """Open the project, finish what a killed promotion left, pick the suite and by `case` and `tag` its cases.

    Raises `InvalidFile`, `UsageError`.
    """
    project, done = open_whole(start, may_write=may_write, say=say, guard=guard)
    project = served(project, options)
    chosen = gate.applied(pick_suite(project, suite, tier_of(options.mode or project.config.mode)))
    note_misnamed(project, chosen, say)
    options = replace(options, only=choose_cases(project, chosen, case, tag)) if case or tag else options
    return Session(project, chosen, options, named, may_write, say, observer, gate, tuple(done), directory=directory)


def note_misnamed(project: Project, suite: Suite, say: Callable[[str], None]) -> None:
    """Say which files beside the golden cases look like some and are not read; else a case would be missed silently."""
    names = misnamed(project.tree, suite.golden)
    if names:
        shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
        say(f"not read, as a golden case is named {PATTERN}: {shown} in {suite.golden}/")


def save_log(session: Session, run: Run) -> None:
    """Keep the run in `.row3/runs`, a live one with its answers, and the newest runs only. Never fails a command."""
    local = session.project.local
    try:
        path = in_local(local_folder(local), f"{RUNS}/{run.header.run_id}.json")
        if session.answers:
            lines = [f"{line.strip()}\n".encode() for line in session.answers]
            write_atomic(answers_beside(path), lines, where=".row3/runs")
        write_run(path, run.header, run.records)
        with disk_faults(".row3/runs"):
            for old in latest_runs(local)[KEPT_RUNS * len(session.project.suite_names()) :]:
                old.unlink(missing_ok=True)
                answers_beside(old).unlink(missing_ok=True)
                context_beside(old).unlink(missing_ok=True)
    except (EnvironmentFault, InvalidFile) as error:
        session.say(f"the run log was not kept: {error}")


def entry_of(run: Run, judgement: Judgement | None = None, approval: Approval | None = None) -> HistoryEntry:
    """Return the run as an entry of the history; reasons are codes with their subjects."""
    header = run.header
    assert header.action != "run"
    grounds = () if judgement is None else judgement.reasons
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
        reasons=[f"{each.code} {each.subject}".strip() for each in grounds if each.verdict is not Verdict.PROCEED],
        evidence="" if judgement is None else judgement.signature,
        approval=approval,
    )


def scored_by(run: Run) -> str:
    """Return a digest of all that scored a run: scorer, weights, golden cases and which of them counted."""
    header = run.header
    cases = sorted([each.id, each.digest] for each in (parse_record(line, where="the run") for line in run.records))
    return digest_json([header.scorer, header.weights, cases, sorted(header.quarantined)])[:SCORED_DIGITS]


def incomplete(run: Run, consequence: str) -> RunIncomplete:
    """The error of a run in which a case has no answer."""
    failed = run.failed
    first = next((problem for case_id, problem in run.problems if case_id == failed[0]), "")
    what = f"the run is incomplete: {part(len(failed), run.cases, 'case', 'has', 'have')} no answer, {consequence}"
    return RunIncomplete(what, where=failed[0], fix=first)
