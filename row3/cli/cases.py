"""`row3 cases`."""

from __future__ import annotations

import json

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@common_options("row3 cases")
def command(common: Common) -> None:
    """Say which cases matter: which tell good prompts from bad ones, which are redundant, which never fail.

    From every recorded version of the prompts and the saved runs. Nothing is asked and nothing is judged.
    """
    from row3.reports.case_worth import cases_document, cases_json
    from row3.reports.terminal import terminal_text
    from row3.store.suites import pick_suite
    from row3.workflows.history.cases import judge_cases

    project = common.project()
    suite = pick_suite(project, common.suite)
    report = judge_cases(project, suite, case=common.case, named=common.prompt)
    if common.as_json:
        emit(json.dumps(cases_json(report), ensure_ascii=False, indent=1), common.out)
    else:
        emit(terminal_text(cases_document(report, verbose=common.verbose > 0), common.style), common.out)
