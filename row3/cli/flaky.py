"""`row3 flaky`, `row3 flaky quarantine`, `row3 flaky release`."""

from __future__ import annotations

import json

import click

from row3.cli.groups import Group
from row3.cli.once import once
from row3.cli.options import Common, common_options, takes_a_value
from row3.cli.output import emit


@click.group(cls=Group, invoke_without_command=True)
@common_options("row3 flaky")
@click.pass_context
def command(ctx: click.Context, common: Common) -> None:
    """Find the cases that waver by themselves, and put them into quarantine.

    From recorded repeats and saved runs of the same prompts, model and parameters. Nothing is asked, nothing judged.
    """
    ctx.obj = common
    if ctx.invoked_subcommand is not None:
        return
    from row3.reports.flaky import flaky_document, flaky_json
    from row3.reports.terminal import terminal_text
    from row3.workflows.history.flaky import find_flaky

    report = find_flaky(common.session())
    if common.as_json:
        emit(json.dumps(flaky_json(report), ensure_ascii=False, indent=1), common.out)
    else:
        emit(terminal_text(flaky_document(report, verbose=common.verbose > 0), common.style), common.out)


@command.command()
@click.argument("case_id", metavar="CASE")
@once(
    "--until",
    required=True,
    metavar="YYYY-MM-DD",
    help="The day from which it counts again; no more than 90 days ahead.",
)
@once("--reason", required=True, callback=takes_a_value, metavar="TEXT", help="Why; every scorecard shows it.")
@common_options("row3 flaky quarantine")
def quarantine(common: Common, *, case_id: str, until: str, reason: str) -> None:
    """Let CASE count for nothing until a day; it is still asked, scored and listed.

    Written to golden/<suite>/quarantine.json, which belongs into git. No more than a fifth of the cases.
    """
    from row3.reports.quarantine_text import changed_text
    from row3.workflows.history.quarantine import quarantine as put

    done = put(common.session(), case_id, until=until, reason=reason)
    emit(changed_text(done.entry, done.file, left=done.left, released=False), common.out)


@command.command()
@click.argument("case_id", metavar="CASE")
@common_options("row3 flaky release")
def release(common: Common, *, case_id: str) -> None:
    """Take CASE out of quarantine; it counts from the next run."""
    from row3.reports.quarantine_text import changed_text
    from row3.workflows.history.quarantine import release as take_out

    done = take_out(common.session(), case_id)
    emit(changed_text(done.entry, done.file, left=done.left, released=True), common.out)
