"""`row3 cases`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@options.suite()
@options.prompt("Look at this version only; default: all of them.")
@options.case()
@options.output_options("table", "json")
def command(common: Common) -> None:
    """Say which cases matter: which tell good prompts from bad ones, which are redundant, which never fail.

    From every recorded version of the prompts. Nothing is asked and nothing is judged.
    """
    from row3.reports.case_worth import cases_document, cases_json
    from row3.store.suites import pick_suite
    from row3.workflows.history.cases import judge_cases

    project = common.project()
    report = judge_cases(project, pick_suite(project, common.suite), case=common.case, named=common.prompt)
    common.show_report(cases_document(report, verbose=common.verbose > 0), cases_json(report))
