"""`row3 score SUITE --outputs FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from row3.cli.options import Common, common_options
from row3.cli.show import show_run


@click.command()
@click.argument("name", metavar="SUITE")
@click.option("--outputs", required=True, metavar="FILE", help='JSON Lines: {"caseId": …, "output": {…}}.')
@common_options("row3 score")
@click.pass_context
def command(ctx: click.Context, name: str, outputs: str, common: Common) -> None:
    """Score outputs made elsewhere, without a provider.

    FILE has a line for each golden case of SUITE. Nothing is judged: exit 0, or 3 where a case has no output.
    """
    from row3.store.history import read_history
    from row3.store.suites import pick_suite
    from row3.workflows.running import Announced, declining_runs
    from row3.workflows.score import score_outputs
    from row3.workflows.session import Session, note_misnamed, save_log

    project = common.project()
    suite, options = pick_suite(project, name), common.run_options()
    note_misnamed(project, suite, common.say)
    run = score_outputs(project, suite, Path(outputs), options)
    # Kept like every other run, so that `row3 diff` can name it.
    save_log(Session(project, suite, options, may_write=common.may_write, say=common.say), run)
    declines = declining_runs(read_history(project.tree), None, run.suite)
    ctx.exit(show_run(Announced(run, declines), common))
