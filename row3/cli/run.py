"""`row3`, `row3 --baseline`, `row3 --compare`."""

from __future__ import annotations

import click

from row3.cli.options import Common
from row3.cli.show import show_comparison, show_run


def run_default(
    common: Common, *, baseline: bool, compare: bool, against: str | None, dry_run: bool, only: str | None
) -> int:
    """What `row3` does without a command; returns the exit code."""
    if baseline and compare:
        raise click.UsageError("--baseline and --compare do not go together; run one after the other")
    if against is not None and not compare:
        raise click.UsageError("--against goes with --compare")
    if common.approve is not None and not compare:
        raise click.UsageError("--approve goes with --compare or promote")
    if baseline and common.prompt:
        raise click.UsageError("--baseline runs the promoted prompts; promote a version with `row3 promote`")
    session = common.session()
    if only is not None:
        from dataclasses import replace

        from row3.workflows.selection import pick_cases

        chosen = pick_cases(session.project, session.suite, only)  # type: ignore[arg-type]
        session.options = replace(session.options, only=chosen)
        session.say(f"{len(chosen)} {only} cases: a part is no gate")
    if dry_run:
        from row3.cli.dry_run import show_estimate

        return show_estimate(session, common, role="promoted" if baseline else "candidate")
    if compare:
        from row3.workflows.gating import gate

        comparison = gate(session, against=against, approve=common.approve)
        if common.approve is not None and comparison.approval is None:
            session.say("nothing is blocked that could be approved")
        return show_comparison(comparison, common)
    if baseline:
        from row3.workflows.baseline import save_baseline

        announced = save_baseline(session)
        show_run(announced, common)
        if session.may_write:
            session.say(f"baseline saved as baselines/{session.suite.name}.json; commit it with metrics-history.json")
        else:
            session.say("nothing was saved: a run in CI or for this format writes no tracked file")
        return 0
    from row3.workflows.running import plain_run

    return show_run(plain_run(session), common)
