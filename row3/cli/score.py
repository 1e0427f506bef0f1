"""`row3 score SUITE --outputs FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.show import show_result


@click.command(cls=Command)
@click.argument("name", metavar="SUITE")
@options.option("--outputs", required=True, metavar="FILE", help='JSON Lines: {"caseId": …, "output": {…}}.')()
@options.case()
@options.mode("Where embeddings come from, of a suite that matches by meaning.")
@options.jobs("Processes that score.")
@options.output_options(*options.FORMATS)
def command(name: str, outputs: str, common: Common) -> int:
    """Score outputs made elsewhere, without a provider.

    FILE has a line for each golden case of SUITE. Nothing is judged: exit 0, or 3 if a case has no output.
    """
    from row3.gate.results import ran
    from row3.store.history import read_history
    from row3.store.suites import pick_suite
    from row3.workflows.running import declining_runs
    from row3.workflows.score import score_outputs
    from row3.workflows.session import Session, note_misnamed, save_log

    project = common.project()
    suite, run_options = pick_suite(project, name), common.run_options()
    note_misnamed(project, suite, common.say)
    run = score_outputs(project, suite, Path(outputs), run_options)
    # Kept like every other run, so that `row3 diff` can name it.
    save_log(Session(project, suite, run_options, may_write=common.may_write, say=common.say), run)
    declines = declining_runs(read_history(project.tree), None, run.suite)
    return show_result(ran(run, declines), common)
