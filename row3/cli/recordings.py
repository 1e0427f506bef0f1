"""`row3 recordings list | import | prune | verify | drift`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from row3.cli.groups import Group
from row3.cli.once import once
from row3.cli.options import Amount, Common, common_options
from row3.cli.output import emit

if TYPE_CHECKING:
    from row3.store.project import Project
    from row3.store.suites import Suite


@click.group(cls=Group)
def command() -> None:
    """List, import, prune or verify the recorded answers; see how far the live system drifts."""


def _opened(common: Common) -> tuple[Project, Suite]:
    from row3.store.suites import pick_suite

    project = common.project()
    return project, common.told(pick_suite(project, common.suite))


@command.command("list")
@common_options("row3 recordings list")
def list_(common: Common) -> None:
    """Say what is recorded, and what of it is used or stale."""
    from row3.reports.recordings import list_document, list_json
    from row3.reports.terminal import terminal_text
    from row3.workflows.recorded.recordings import list_recordings

    project, suite = _opened(common)
    summaries = list_recordings(project, suite)
    if common.as_json:
        emit(json.dumps(list_json(summaries), indent=1), common.out)
    else:
        emit(terminal_text(list_document(summaries, flag=suite.flag), common.style), common.out)


@command.command("import")
@click.argument("file")
@common_options("row3 recordings import")
def import_(file: str, common: Common) -> None:
    """Make recordings of raw responses: {"caseId", "prompt", "response"} a line."""
    from row3.reports.recordings import imported_text, waiting_text
    from row3.workflows.recorded.import_responses import import_responses

    project, suite = _opened(common)
    done = import_responses(project, suite, Path(file), named=common.prompt, options=common.run_options())
    emit(common.fitted(imported_text(done)), common.out)
    for line in done.unused:
        common.say(f"not used: {line}")
    for line in waiting_text(done.waiting, suite):
        common.say(line)


@command.command()
@click.option("--dry-run", is_flag=True, help="Say what would be removed; remove nothing.")
@common_options("row3 recordings prune")
def prune(common: Common, *, dry_run: bool) -> None:
    """Remove the recordings that no prompt version asks for any more."""
    from row3.reports.recordings import pruned_text
    from row3.workflows.recorded.recordings import prune as prune_recordings

    done = prune_recordings(*_opened(common), dry_run=dry_run)
    emit(common.fitted(pruned_text(done.removed, done.kept, dry_run=dry_run)), common.out)


@command.command()
@once("--against", metavar="REF", help="Also look for answers that are others at this git ref.")
@common_options("row3 recordings verify")
@click.pass_context
def verify(ctx: click.Context, common: Common, *, against: str | None) -> None:
    """Look for broken, edited, stale and missing recordings; exit 2 on errors."""
    from row3.reports.recordings import findings_json, findings_text
    from row3.workflows.recorded.recordings import verify as verify_recordings

    findings = verify_recordings(*_opened(common), against=against)
    as_json = common.as_json
    text = json.dumps(findings_json(findings), indent=1) if as_json else common.fitted(findings_text(findings))
    emit(text, common.out)
    ctx.exit(2 if any(finding.level == "error" for finding in findings) else 0)


@command.command()
@click.option("--sample", type=click.IntRange(min=2), metavar="N", help="How many cases; default: half, 10 to 20.")
@click.option(
    "--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Stop before more than this is spent."
)
@click.option("--all", "all_suites", is_flag=True, help="Every suite, one after the other.")
@common_options("row3 recordings drift")
@click.pass_context
def drift(ctx: click.Context, common: Common, *, sample: int | None, max_cost: float | None, all_suites: bool) -> None:
    """Ask for a sample of the recordings again: how far has the live system moved from them?

    Live, with the recorded model and parameters, the promoted prompts or those that --prompt names. --seed chooses
    the sample; nothing is recorded or judged. Exit 1 where the live system moved, 3 where a case has no answer.
    """
    from row3.cli.drift import show_drift, show_drift_all

    show = show_drift_all if all_suites else show_drift
    ctx.exit(show(common, sample=sample, max_cost=max_cost, recordings=True))
