"""`row3 --all`: every suite in one command, one result, one exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from row3.cli.common import Common
from row3.cli.show import no_comment, places_of, tell_noted

if TYPE_CHECKING:
    from row3.reports.suites.suites_model import SuiteResult, SuitesReport
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
    common.show(suites_text(report, common))
    suites.finish()
    if compare:
        tell_noted(common, suites.noted, in_git=suites.in_git)
    if baseline:
        _tell_saved(report, suites, common)
    return report.exit_code


def gate_without(common: Common, against: str) -> int | None:
    """Judge a suite that has lost its cases, or has no baseline yet, against a commit; None for any other suite."""
    from row3.reports.suites.suites_model import SuitesReport
    from row3.workflows.against.default_suite import default_of
    from row3.workflows.against.gone_suites import gate_gone
    from row3.workflows.suites.new_suite import unjudged

    project = common.project()
    name = common.suite or default_of(project)
    if name is None:
        return None
    gone = gate_gone(project, name, against=against, approve=common.approve, may_write=common.may_write, say=common.say)
    if gone is None:
        if name not in project.suite_names() or project.tree.exists(project.baseline(name)):
            return None
        result = unjudged(opened(common), name, against)
        return None if result is None else show_new(common, result, against)
    report = SuitesReport([gone])
    common.show(suites_text(report, common))
    if gone.approval is not None:
        common.say("the approval counts once metrics-history.json and CHANGELOG.md are committed with the change")
    return report.exit_code


def show_new(common: Common, result: SuiteResult, against: str) -> int:
    """Show the result of a suite that is new since a commit; for the default one also what the commit had instead."""
    from row3.reports.suites.suites_model import SuitesReport
    from row3.workflows.suites.new_suite import with_those_before

    suites = opened(common)
    report = SuitesReport([result]) if common.suite is not None else with_those_before(suites, result, against)
    common.show(suites_text(report, common))
    suites.finish()
    return report.exit_code


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


def suites_text(report: SuitesReport, common: Common) -> str | Iterable[bytes]:
    """Return the result in the format that --format names."""
    from row3.reports.suites import suites_text as texts
    from row3.reports.suites.suites_model import Broken, Gone, Judged, Ran

    match common.format:
        case "json":
            from row3.reports.suites.suites_json import suites_json

            return suites_json(report)
        case "markdown":
            return texts.suites_markdown(report)
        case "junit":
            return texts.suites_junit(report)
        case "github":
            from row3.cli.output import append_summary

            append_summary(texts.suites_summary(report))
            return texts.suites_github(report, places_of(common))
        case "codequality":
            from row3.reports.ci.codequality import suites_codequality

            judged = [(each.comparison.run, each.comparison) for each in report.results if isinstance(each, Judged)]
            runs = [(each.run, None) for each in report.results if isinstance(each, Ran)]
            unusable = [each for each in report.results if isinstance(each, Broken | Gone) and each.exit_code]
            wrong = [(each.suite, each.problem) for each in unusable]
            return suites_codequality([*judged, *runs], wrong, places_of(common))
        case "comment":
            from row3.reports.markdowns.comment import comment_markdown

            if any(isinstance(each, Ran) for each in report.results):
                raise no_comment()
            return comment_markdown(report.results)
    from row3.reports.suites.suites_table import suites_table

    return suites_table(report, colour=common.colour, verbose=common.verbose > 0, width=common.width)


def _tell_saved(report: SuitesReport, suites: AllSuites, common: Common) -> None:
    if not common.may_write:
        common.say("nothing was saved: a run in CI or for this format writes no tracked file")
        return
    whole = {result.suite for result in report.results if not result.exit_code}
    made = [session.suite for session in suites.made if session.suite.name in whole]
    saved = [suites.project.baseline(suite.name, suite.tier) for suite in made]
    if saved:
        more = "; commit them with metrics-history.json" if suites.in_git else ""
        common.say(f"baselines saved: {', '.join(saved)}{more}")
