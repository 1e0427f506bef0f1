"""`row3`, `row3 --baseline`, `row3 --compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from row3.cli.options import Common
from row3.cli.show import show_comparison, show_run, tell_noted
from row3.domain.counts import count

if TYPE_CHECKING:
    from row3.workflows.session import Session


def run_default(
    common: Common,
    *,
    baseline: bool,
    compare: bool,
    against: str | None,
    dry_run: bool,
    only: str | None,
    adaptive: bool,
    max_repeats: int | None,
    max_cost: float | None,
    no_interleave: bool,
    all_suites: bool,
) -> int:
    """What `row3` does without a command; returns the exit code."""
    _check_verbs(common, baseline=baseline, compare=compare, against=against, adaptive=adaptive)
    _check_live(common, compare=compare, adaptive=adaptive, max_repeats=max_repeats, no_interleave=no_interleave)
    if common.mode == "replay" and (max_cost is not None or no_interleave):
        flag = "--max-cost" if max_cost is not None else "--no-interleave"
        raise click.UsageError(f"{flag} is about asking a provider, and --mode replay asks none; leave one of them out")
    from row3.workflows.flags import MAX_REPEATS, LiveFlags

    live = LiveFlags(not no_interleave, adaptive, max_repeats or MAX_REPEATS, max_cost)
    if dry_run and (against is not None or common.approve is not None):
        flag = "--against" if against is not None else "--approve"
        raise click.UsageError(f"{flag} is for what is judged, and --dry-run judges nothing; leave one of them out")
    if all_suites:
        if only is not None or dry_run:
            raise click.UsageError(f"--{'only' if only else 'dry-run'} is for one suite; leave out --all")
        from row3.cli.all_suites import run_all_suites

        return run_all_suites(common, live, baseline=baseline, compare=compare, against=against)
    if compare and against is not None:
        from row3.cli.all_suites import gate_without

        if (code := gate_without(common, against)) is not None:
            return code
    session = common.session().under(live)
    if only is not None:
        from dataclasses import replace

        from row3.workflows.selection import pick_cases

        chosen = pick_cases(session.project, session.suite, only)  # type: ignore[arg-type]
        session.options = replace(session.options, only=chosen)
        session.say(f"{count(len(chosen), f'{only} case')}: a part is no gate")
    if dry_run:
        from row3.cli.dry_run import show_estimate

        return show_estimate(session, common, role="promoted" if baseline else "candidate", compare=compare)
    if compare:
        return _compared(session, common, against)
    if baseline:
        from row3.workflows.comparing.baseline import save_baseline

        announced = save_baseline(session)
        show_run(announced, common)
        session.finish()
        if session.may_write:
            path = session.project.baseline(session.suite.name, session.suite.tier)
            in_git = announced.run.header.dirty is not None
            more = "; commit it with metrics-history.json" if in_git else ""
            session.say(f"baseline saved as {path}{more}")
        else:
            session.say("nothing was saved: a run in CI or for this format writes no tracked file")
        return 0
    from row3.workflows.running import plain_run

    code = show_run(plain_run(session), common)
    session.finish()
    return code


def _compared(session: Session, common: Common, against: str | None) -> int:
    from row3.workflows.comparing.gating import gate

    comparison = gate(session, against=against, approve=common.approve)
    if common.approve is not None and comparison.approval is None:
        session.say("nothing is blocked that could be approved")
    code = show_comparison(comparison, common)
    session.finish()
    if comparison.approval is None:  # of one the result itself says what to commit
        tell_noted(common, int(comparison.noted), in_git=comparison.in_git)
    return code


def _check_verbs(common: Common, *, baseline: bool, compare: bool, against: str | None, adaptive: bool) -> None:
    """Raise `UsageError` for options that do not go with what is to be done."""
    if baseline and compare:
        raise click.UsageError("--baseline and --compare do not go together; run one after the other")
    if against is not None and not compare:
        raise click.UsageError("--against goes with --compare")
    if common.approve is not None and not compare:
        raise click.UsageError("--approve goes with --compare or promote")
    for name in ("policy", "inconclusive", "fail"):
        if getattr(common, name) is not None and not compare:
            raise click.UsageError(f"--{name} is about what the gate says: it goes with --compare")
    if baseline and common.prompt:
        raise click.UsageError("--baseline runs the promoted prompts; promote a version with `row3 promote`")
    if adaptive and against is not None:
        raise click.UsageError("--against judges recorded answers, --adaptive asks for new ones")


def _check_live(common: Common, *, compare: bool, adaptive: bool, max_repeats: int | None, no_interleave: bool) -> None:
    """Raise `UsageError` for options of live comparisons that do not go together."""
    if adaptive and not compare:
        raise click.UsageError("--adaptive goes with --compare")
    if no_interleave and not compare:
        raise click.UsageError("--no-interleave goes with --compare")
    if adaptive and no_interleave:
        raise click.UsageError("--adaptive asks both sides; it does not go with --no-interleave")
    if max_repeats is not None and not adaptive:
        raise click.UsageError("--max-repeats goes with --adaptive; --repeats asks every case K times")
    if adaptive and common.repeats is not None:
        raise click.UsageError("--adaptive decides how often to ask; --max-repeats limits it, in place of --repeats")
    if adaptive and common.mode in ("replay", "auto"):
        raise click.UsageError("--adaptive asks every case anew; use --mode live or record")
