"""`row3 flaky`, `row3 flaky quarantine`, `row3 flaky release`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Group
from row3.cli.common import Common


@click.group(cls=Group, invoke_without_command=True)
@options.suite()
@options.prompt()
@options.case()
@options.mode("live or record: by the live tier's thresholds.")
@options.model()
@options.parameters()
@options.output_options("table", "json")
def command(common: Common) -> None:
    """Find the cases that waver by themselves, and put them into quarantine.

    From recorded repeats of the same prompts, model and parameters. Nothing is asked, nothing judged.
    """
    from row3.reports.flaky import flaky_document, flaky_json
    from row3.workflows.history.cases import find_flaky

    report = find_flaky(common.session())
    common.show_report(flaky_document(report, verbose=common.verbose > 0), flaky_json(report))


@command.command()
@click.argument("case_id", metavar="CASE")
@options.option(
    "--until",
    required=True,
    metavar="YYYY-MM-DD",
    help="The day from which it counts again; no more than 90 days ahead.",
)()
@options.option("--reason", required=True, metavar="TEXT", help="Why; every scorecard shows it.")()
@options.suite()
@options.output_options()
def quarantine(common: Common, *, case_id: str, until: str, reason: str) -> None:
    """Let CASE count for nothing until a day; it is still asked, scored and listed.

    Written to golden/<suite>/quarantine.json; commit it. No more than a fifth of the cases.
    """
    from row3.reports.quarantine_text import changed_text
    from row3.workflows.quarantine import quarantine as put

    done = put(common.session(), case_id, until=until, reason=reason)
    common.show(changed_text(done.entry, done.file, left=done.left, released=False))


@command.command()
@click.argument("case_id", metavar="CASE")
@options.suite()
@options.output_options()
def release(common: Common, *, case_id: str) -> None:
    """Take CASE out of quarantine; it counts from the next run."""
    from row3.reports.quarantine_text import changed_text
    from row3.workflows.quarantine import release as take_out

    done = take_out(common.session(), case_id)
    common.show(changed_text(done.entry, done.file, left=done.left, released=True))
