"""`row3 recordings list | import | prune | verify | drift`, and `row3 drift`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.run import open_suites, refuse_suite_options
from row3.commands.recordings import upkeep as recorded
from row3.commands.recordings.import_responses import import_responses
from row3.comparing.drift import drift as baseline_drift
from row3.errors import NotServedError, Row3Error
from row3.gate.results import Drifted, worst_code
from row3.reports import drift as drift_reports
from row3.reports import recordings as reports
from row3.running.session import LiveFlags, Session

SAMPLE = "Number of cases; default: half, 10 to 20."


def drift_options() -> options.Decorator[Any]:
    """Options of both drift commands; model and parameters are those of the repeated requests."""
    return options.combine(
        options.option("--sample", type=click.IntRange(min=2), metavar="N", help=SAMPLE)(),
        options.max_cost(),
        options.resume(),
        options.all_suites(),
        options.suite(),
        options.choice(),
        options.random_seed("Seed of the sample; default: 0."),
        options.repeats(),
        options.jobs(),
        options.fail(),
        options.trust(),
        options.output_options("table", "json"),
    )


@click.command(cls=options.Command)
@drift_options()
def drift(common: Common, **chosen: Any) -> int:
    """Ask a sample of the baseline's requests again: has the provider changed?

    Asks with the baseline's model and parameters, and compares the answers. Records and judges nothing. Exit 1 if
    the provider moved, 3 if a case has no answer.
    """
    return show_drift(common, **chosen)


def show_drift(
    common: Common,
    *,
    sample: int | None,
    max_cost: float | None,
    all_suites: bool,
    random_seed: int | None,
    recordings: bool = False,
) -> int:
    """Ask again and show how far the answers moved; returns the (worst) exit code."""
    live = LiveFlags(max_cost=max_cost)

    def ask(session: Session) -> Drifted:
        return baseline_drift(session, sample=sample, seed=random_seed or 0, recordings=recordings)

    if all_suites:
        return _show_all(common, live, ask)
    session = common.session(live)
    found = ask(session)
    document = drift_reports.drift_document(found, verbose=common.verbose > 0)
    common.show_report(document, drift_reports.drift_report_json(found))
    return found.exit_code


def _show_all(common: Common, live: LiveFlags, ask: Callable[[Session], Drifted]) -> int:
    """Ask every suite, even if others fail; returns the worst exit code: 2, 1, 3, 0."""
    refuse_suite_options(common)
    suites = open_suites(common, live)
    suites.check_named()
    found: dict[str, Drifted | Row3Error] = {}
    for name in suites.names:
        try:
            found[name] = ask(suites.of(name))
        except NotServedError as error:
            common.say(f"skipped {name}: {error}")
        except Row3Error as error:
            found[name] = error
    document = drift_reports.drifts_document(found, verbose=common.verbose > 0)
    common.show_report(document, drift_reports.drifts_json(found))
    return worst_code(each.exit_code for each in found.values())


@click.group(cls=options.Group)
def command() -> None:
    """List, import, prune or verify recorded answers, or measure how far the live system has moved."""


@command.command("list")
@options.suite()
@options.output_options("table", "json")
def list_(common: Common) -> None:
    """List recordings, and which are in use or stale."""
    project, suite = common.project_and_suite()
    summaries = recorded.list_recordings(project, suite)
    common.show_report(reports.list_document(summaries, flag=suite.flag), reports.list_json(summaries))


@command.command("import")
@click.argument("file")
@options.suite()
@options.prompt("The version that was answered; default: the highest.")
@options.model("The model that answered; default: the configured one.")
@options.parameters()
@options.output_options()
def import_(file: str, common: Common) -> None:
    """Create recordings from raw responses: one {"caseId", "prompt", "response"} per line, or a folder of CASE.txt."""
    project, suite = common.project_and_suite()
    done = import_responses(project, suite, Path(file), named=common.prompt, options=common.run_options())
    common.show(common.fitted(reports.imported_text(done)))
    unused = (f"not used: {line}" for line in done.unused)
    for line in (*reports.replaced_text(done.replaced), *unused, *reports.waiting_text(done.waiting, suite)):
        common.say(line)


@command.command()
@options.dry_run("Show what would be removed, and remove nothing.")
@options.suite()
@options.output_options()
def prune(common: Common, *, dry_run: bool) -> None:
    """Remove recordings that no prompt version requests any more."""
    done = recorded.prune(*common.project_and_suite(), dry_run=dry_run)
    common.show(common.fitted(reports.pruned_text(done.removed, done.kept, dry_run=dry_run)))


@command.command()
@options.against("Also report answers that differ from those at this git ref.")
@options.suite()
@options.output_options("table", "json")
def verify(common: Common, *, against: str | None) -> int:
    """Check for broken, edited, stale and missing recordings; exit 2 on errors."""
    findings = recorded.verify(*common.project_and_suite(), against=against)
    common.show_report(common.fitted(reports.findings_text(findings)), reports.findings_json(findings))
    return 2 if any(finding.level == "error" for finding in findings) else 0


@command.command("drift")
@drift_options()
@options.prompt()
def drift_(common: Common, **chosen: Any) -> int:
    """Ask a sample of the recorded requests again: how far has the live system moved?

    Uses the recorded model and parameters, and the promoted prompts or those --prompt names. Records and judges
    nothing. Exit 1 if the live system moved, 3 if a case has no answer.
    """
    return show_drift(common, **chosen, recordings=True)
