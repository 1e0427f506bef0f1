"""`row3 --all`: every suite in one command, one result, one exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from row3.cli.options import Common
from row3.cli.output import emit
from row3.errors import UsageError

if TYPE_CHECKING:
    from row3.reports.suites.suites_model import SuiteResult, SuitesReport
    from row3.store.suites import Suite
    from row3.workflows.flags import LiveFlags
    from row3.workflows.session import Session
    from row3.workflows.suites.all_suites import AllSuites


def run_all_suites(common: Common, live: LiveFlags, *, baseline: bool, compare: bool, against: str | None) -> int:
    """What `row3 --all` does; returns the exit code."""
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
    emit(suites_text(report, common), common.out)
    suites.finish()
    if compare:
        from row3.cli.show import tell_noted

        tell_noted(common, suites.noted, in_git=suites.in_git)
    if baseline:
        _tell_saved(report, suites, common)
    return report.exit_code


def gate_without(common: Common, against: str) -> int | None:
    """What `--compare --against` does of a suite that has no cases any more, or no baseline yet; None of others."""
    from row3.reports.suites.suites_model import SuitesReport
    from row3.workflows.against.default_suite import default_of
    from row3.workflows.against.gone_suites import gate_gone

    project = common.project()
    name = common.suite or default_of(project)
    if name is None:
        return None
    gone = gate_gone(project, name, against=against, approve=common.approve, may_write=common.may_write, say=common.say)
    if gone is None:
        missing = name in project.suite_names() and not project.tree.exists(project.baseline(name))
        return _gate_unjudged(common, name, against) if missing else None
    report = SuitesReport([gone])
    emit(suites_text(report, common), common.out)
    if gone.approval is not None:
        common.say("the approval counts once metrics-history.json and CHANGELOG.md are committed with the change")
    return report.exit_code


def _gate_unjudged(common: Common, name: str, against: str) -> int | None:
    """Say that a suite which the commit does not know has no baseline; None of one that the commit can judge."""
    from row3.workflows.suites.new_suite import unjudged

    result = unjudged(opened(common), name, against)
    return None if result is None else show_new(common, result, against)


def show_new(common: Common, result: SuiteResult, against: str) -> int:
    """What came of a suite that the commit does not know; of the default one with what the commit has in its place."""
    from row3.reports.suites.suites_model import SuitesReport
    from row3.workflows.suites.new_suite import with_those_before

    suites = opened(common)
    report = SuitesReport([result]) if common.suite is not None else with_those_before(suites, result, against)
    emit(suites_text(report, common), common.out)
    suites.finish()
    return report.exit_code


def refuse_one(common: Common) -> None:
    """Raise `UsageError` for an option that is about one suite."""
    for given, name in ((common.suite, "--suite"), (common.case, "--case"), (common.approve, "--approve")):
        if given is not None:
            raise click.UsageError(f"{name} is for one suite; leave out --all")


def opened(common: Common, live: LiveFlags | None = None) -> AllSuites:
    """The project with all its suites. Raises `InvalidFile`."""
    from row3.cli.progress import make_observer
    from row3.workflows.flags import GateFlags
    from row3.workflows.session import Session, open_whole
    from row3.workflows.suites.all_suites import AllSuites

    options = common.run_options()
    project, done = open_whole(common.start, may_write=common.may_write, say=common.say)
    gate = GateFlags(common.policy, common.inconclusive, common.fail)

    def make(suite: Suite) -> Session:
        observer = make_observer(quiet=common.quiet)
        own = gate.applied(suite)
        return Session(
            project,
            own,
            options,
            (),
            common.may_write,
            common.say,
            observer,
            gate,
            recovered=tuple(done),
            directory=common.told_directory,
        )

    suites = AllSuites(project, make, options.mode or project.config.mode, common.prompt)
    if live is not None:
        suites.live = live
    return suites


def suites_text(report: SuitesReport, common: Common) -> str | Iterable[bytes]:
    """The result in the form that is wanted."""
    match common.format:
        case "json":
            from row3.reports.suites.suites_json import suites_json

            return suites_json(report)
        case "markdown":
            from row3.reports.suites.suites_text import suites_markdown

            return suites_markdown(report)
        case "junit":
            from row3.reports.suites.suites_text import suites_junit

            return suites_junit(report)
        case "github":
            from row3.cli.show import append_summary, places_of
            from row3.reports.suites.suites_text import suites_github, suites_summary

            append_summary(suites_summary(report))
            return suites_github(report, places_of(common))
        case "codequality" | "comment":
            return _for_host(report, common)
    from row3.reports.suites.suites_table import suites_table

    return suites_table(report, colour=common.colour, verbose=common.verbose > 0, width=common.width)


def _for_host(report: SuitesReport, common: Common) -> str:
    """The forms for hosts of repositories; a new suite that is not judged has no finding in them."""
    from row3.cli.show import places_of
    from row3.reports.ci.codequality import suites_codequality
    from row3.reports.markdowns.comment import comment_markdown
    from row3.reports.suites.suites_model import Broken, Gone, Judged, Ran

    if common.format == "codequality":
        unusable = [each for each in report.results if isinstance(each, Broken | Gone)]
        judged = [each.comparison for each in report.results if isinstance(each, Judged)]
        runs = [(each.run, None) for each in report.results if isinstance(each, Ran)]
        wrong = [(each.suite, each.problem) for each in unusable if each.exit_code]
        return suites_codequality([*((one.run, one) for one in judged), *runs], wrong, places_of(common))
    if any(isinstance(each, Ran) for each in report.results):
        raise UsageError("a comment tells of a comparison", where="--format comment", fix="Add --compare")
    return comment_markdown(report.results)


def _tell_saved(report: SuitesReport, suites: AllSuites, common: Common) -> None:
    if not common.may_write:
        common.say("nothing was saved: a run in CI or for this format writes no tracked file")
        return
    saved = [
        suites.project.baseline(session.suite.name, session.suite.tier)
        for session in suites.made
        if any(result.suite == session.suite.name and not result.exit_code for result in report.results)
    ]
    if saved:
        more = "; commit them with metrics-history.json" if suites.in_git else ""
        common.say(f"baselines saved: {', '.join(saved)}{more}")
