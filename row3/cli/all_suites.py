"""`row3 --all`: every suite in one command, one result, one exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from row3.cli.common import Common
from row3.cli.show import show_result, tell_noted, tell_saved

if TYPE_CHECKING:
    from row3.store.suites import Suite
    from row3.workflows.flags import LiveFlags
    from row3.workflows.session import Session
    from row3.workflows.suites.all_suites import AllSuites


def run_all_suites(common: Common, live: LiveFlags, *, baseline: bool, compare: bool, against: str | None) -> int:
    """Do what `row3 --all` does; returns the exit code."""
    from row3.workflows.suites.all_suites import gate_all, run_all

    refuse_one(common)
    suites = opened(common, live)
    if compare:
        report = gate_all(suites, against=against)
    elif baseline:
        from row3.workflows.comparing.baseline import save_baseline

        report = run_all(suites, save_baseline)
    else:
        from row3.workflows.running import plain_run

        report = run_all(suites, plain_run)
    code = show_result(report, common)
    suites.finish()
    if compare:
        tell_noted(common, suites.noted, in_git=suites.in_git)
    if baseline:
        whole = {result.suite for result in report.results if not result.exit_code}
        made = [session.suite for session in suites.made if session.suite.name in whole]
        paths = [suites.project.baseline(suite.name, suite.tier) for suite in made]
        tell_saved(common, paths, in_git=suites.in_git)
    return code


def gate_without(common: Common, against: str) -> int | None:
    """Judge a suite that the change removed; None for any other."""
    from row3.gate.results import SuitesReport
    from row3.workflows.suites.removed import gate_removed

    gone = gate_removed(
        common.project(),
        common.suite,
        against=against,
        approve=common.approve,
        may_write=common.may_write,
        say=common.say,
    )
    if gone is None:
        return None
    code = show_result(SuitesReport([gone]), common)
    if not code:
        common.say("the approval counts once metrics-history.json and CHANGELOG.md are committed with the change")
    return code


def refuse_one(common: Common) -> None:
    """Raise `UsageError` for an option that is about one suite."""
    for given, name in ((common.suite, "--suite"), (common.case, "--case"), (common.approve, "--approve")):
        if given is not None:
            raise click.UsageError(f"{name} is for one suite; leave out --all")


def opened(common: Common, live: LiveFlags | None = None) -> AllSuites:
    """Open the project with all its suites. Raises `InvalidFile`."""
    from row3.workflows.session import Session, open_whole
    from row3.workflows.suites.all_suites import AllSuites

    options, gate = common.run_options(), common.gate_flags
    project, done = open_whole(common.start, may_write=common.may_write, say=common.say)

    def make(suite: Suite) -> Session:
        return Session(
            project,
            gate.applied(suite),
            options,
            may_write=common.may_write,
            say=common.say,
            observer=common.observer(),
            gate=gate,
            recovered=tuple(done),
            directory=common.told_directory,
        )

    suites = AllSuites(project, make, options.mode or project.config.mode, common.prompt)
    if live is not None:
        suites.live = live
    return suites
