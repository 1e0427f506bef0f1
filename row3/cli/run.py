"""`row3`, `row3 --baseline`, `row3 --compare`, each also with `--all` or `--dry-run`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import click

from row3.cli.common import Common
from row3.cli.show import note_baselines, note_history, show_result
from row3.comparing.baseline import pick_cases, save_baseline
from row3.domain.numbers import decimal
from row3.domain.words import count
from row3.errors import UsageError
from row3.gate.results import SuitesReport, judged
from row3.running.session import LiveFlags, Session, open_recovered
from row3.running.suite_run import note_unused_inputs, plain_run

if TYPE_CHECKING:
    from row3.commands.all_suites import AllSuites

NEEDS = dict.fromkeys(
    ("against", "approve", "policy", "inconclusive", "fail", "confirm", "adaptive", "no_interleave"), "compare"
)
"""Options that need a second option."""
CONFLICTS = (
    ("baseline", "compare", "run one after the other"),
    ("baseline", "prompt", "promote a version with `row3 promote`"),
    ("adaptive", "confirm", "--adaptive is --confirm 8"),
    ("dry_run", "results", "--dry-run has no results"),
    ("dry_run", "against", "--dry-run gives no verdict"),
    ("dry_run", "approve", "--dry-run gives no verdict"),
    ("only", "all_suites", "leave out --all"),
    ("dry_run", "all_suites", "leave out --all"),
    ("dry_run", "resume", "--dry-run sends nothing"),
    ("shard", "compare", "a part has no verdict: merge the shards, then run `row3 diff baseline`"),
    ("shard", "baseline", "a baseline has all cases: record the shards, then run `row3 --baseline`"),
    ("shard", "all_suites", "leave out --all"),
    ("shard", "only", "a shard is a part of the whole suite"),
    ("shard", "dry_run", "leave out --shard"),
)
"""Options that exclude each other, and why or what to do instead."""
ADAPTIVE = 8
"""Answers that `--adaptive` confirms by."""
SPELLED = {"all_suites": "all", "resume": "continue"}
"""Options by the parameter, where the names differ."""


@dataclass(frozen=True, slots=True)
class Flags:
    """Options of `row3` that few or no other commands have."""

    baseline: bool
    compare: bool
    all_suites: bool
    against: str | None
    dry_run: bool
    only: Literal["failing", "changed"] | None
    confirm: int | None
    adaptive: bool
    max_cost: float | None
    no_interleave: bool
    batch: bool


def run_default(common: Common, flags: Flags) -> int:
    """Run `row3` without a command; returns the exit code."""
    _check(common, flags)
    live = LiveFlags(
        not flags.no_interleave, ADAPTIVE if flags.adaptive else flags.confirm, flags.max_cost, flags.batch
    )
    if flags.all_suites:
        return _run_all_suites(common, live, flags)
    if flags.compare and flags.against is not None and (code := _gate_removed(common, flags.against)) is not None:
        return code
    session = common.session(live)
    if flags.only is not None:
        chosen = frozenset(filter(session.options.wants, pick_cases(session.project, session.suite, flags.only)))
        if not chosen:
            raise UsageError(f"no {flags.only} case matches", where="--case, --tag", fix="Leave these or --only out")
        session = replace(session, options=replace(session.options, only=chosen))
        session.say(f"{count(len(chosen), f'{flags.only} case')}: no verdict on part of the suite")
    if flags.dry_run:
        return _estimate(session, common, flags)
    if flags.compare:
        return _compare(session, common, flags.against, flags.only)
    if flags.baseline:
        return _save_baseline(session, common)
    return show_result(plain_run(session), common)


def _compare(session: Session, common: Common, against: str | None, only: str | None) -> int:
    from row3.commands.compare import gate

    comparison = gate(session, against=against, approve=common.approve)
    if (known := comparison.confirmation) is not None and known.command:
        comparison.confirmation = replace(known, command=_confirming(known.command, session, common, only))
        session.state.incomplete = False  # the same command asks for what is missing
    if common.approve is not None and comparison.approval is None:
        session.say("nothing is blocked, so there is nothing to approve")
    code = show_result(judged(comparison), common)
    if comparison.approval is None:  # with an approval, the result says what to commit
        note_history(common, int(comparison.noted), in_git=comparison.in_git)
    return code


def _confirming(command: str, session: Session, common: Common, only: str | None) -> str:
    """Return the command that confirms a block: for the same cases, and without a budget that buys no answer."""
    chosen = [("case", each) for each in common.case] + [("tag", each) for each in common.tag]
    chosen += [("only", only)] if only is not None else []
    if not session.state.incomplete:
        command = command.replace(" --continue", "")
    budget = session.state.budget
    if budget is not None and budget.cut and not budget.spent:
        command = command.replace(f" --max-cost {decimal(budget.limit)}", "")
    return command + "".join(f" --{name} {shlex.quote(text)}" for name, text in chosen)


def _save_baseline(session: Session, common: Common) -> int:
    saved = save_baseline(session)
    if code := show_result(saved, common):
        session.say("baseline not saved")
        return code
    in_git = saved.run is not None and saved.run.header.dirty is not None
    note_baselines(common, [session.project.baseline(session.suite.name, session.suite.tier)], in_git=in_git)
    return 0


def _estimate(session: Session, common: Common, flags: Flags) -> int:
    """Show the requests, tokens and price of a live run; a live comparison asks the baseline's prompts too."""
    from row3.comparing.baseline import read_baseline
    from row3.comparing.confirmation import planned_confirmation
    from row3.comparing.drift import interleaving_of
    from row3.reports.estimate import estimate_document, estimate_json
    from row3.running.estimate import estimate
    from row3.running.lineup import line_up

    role: Literal["promoted", "candidate"] = "promoted" if flags.baseline else "candidate"
    lineup = line_up(session.project, session.suite, role=role, named=session.options.named)
    note_unused_inputs(session, session.suite, lineup)
    interleaved = flags.compare and session.mode in ("live", "record")
    before = interleaving_of(session, read_baseline(session.project, session.suite)) if interleaved else None
    plan = estimate(session.project, session.suite, lineup, session.options, before=before)
    plan.more = planned_confirmation(session) if flags.compare else None
    common.show_report(estimate_document(plan, verbose=common.verbose > 0, budget=flags.max_cost), estimate_json(plan))
    return 0


def _check(common: Common, flags: Flags) -> None:
    values = {name: getattr(of, name) for of in (flags, common) for name in of.__slots__}
    given = {name for name, value in values.items() if value not in (None, (), "") and value is not False}
    for name, needed in NEEDS.items():
        if name in given and needed not in given:
            raise click.UsageError(f"{_option(name)} needs {_option(needed)}")
    for one, other, fix in CONFLICTS:
        if one in given and other in given:
            raise click.UsageError(f"{_option(one)} and {_option(other)} exclude each other; {fix}")
    asks = next((name for name in ("max_cost", "no_interleave", "batch") if name in given), None)
    if asks and common.mode == "replay":
        raise click.UsageError(f"{_option(asks)} has no effect in --mode replay, which asks no provider")


def _option(name: str) -> str:
    return f"--{SPELLED.get(name, name).replace('_', '-')}"


def _run_all_suites(common: Common, live: LiveFlags, flags: Flags) -> int:
    from row3.commands.all_suites import gate_all, run_all

    refuse_suite_options(common)
    suites = open_suites(common, live)
    if flags.compare:
        report = gate_all(suites, against=flags.against)
    else:
        report = run_all(suites, save_baseline if flags.baseline else plain_run)
    code = show_result(report, common)
    if flags.compare:
        note_history(common, suites.noted, in_git=suites.noted > 0 and suites.in_git)
    if flags.baseline:
        saved = [each.run.suite for each in report.results if each.run is not None and not each.exit_code]
        paths = [suites.project.baseline(suite.name, suite.tier) for suite in saved]
        note_baselines(common, paths, in_git=suites.in_git)
    return code


def _gate_removed(common: Common, against: str) -> int | None:
    """Judge a suite that the change removed; returns None if it did not."""
    from row3.commands.all_suites import gate_removed

    removed = gate_removed(
        common.project(),
        common.suite,
        against=against,
        approve=common.approve,
        may_write=common.may_write,
        say=common.say,
    )
    if removed is None:
        return None
    code = show_result(SuitesReport([removed]), common)
    if not code:
        common.say("commit metrics-history.json and CHANGELOG.md with the change to make the approval count")
    return code


def refuse_suite_options(common: Common) -> None:
    """Raise `UsageError` for options that apply to a single suite."""
    for name in ("suite", "case", "tag", "approve"):
        if getattr(common, name) not in (None, ()):
            raise click.UsageError(f"--{name} applies to one suite; leave out --all")


def open_suites(common: Common, live: LiveFlags | None = None) -> AllSuites:
    """Open the project with all its suites. Raises `InvalidFile`."""
    from row3.commands.all_suites import AllSuites

    live = live or LiveFlags()
    options, command, state = common.run_options(), common.command_options(live), common.state(live)
    project = open_recovered(common.start, options, command, state, guard=common.guard)
    common.check_mode(options.mode or project.config.mode)
    return AllSuites(project, options, command, state)
