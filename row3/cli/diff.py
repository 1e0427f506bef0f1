"""`row3 diff A B`."""

from __future__ import annotations

import json

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@click.argument("before")
@click.argument("after", default="latest")
@common_options
def command(before: str, after: str, common: Common) -> None:
    """Compare two saved runs, baselines or prompt versions; nothing is judged.

    BEFORE and AFTER are each `latest`, `baseline`, a run id or its beginning, the name of an archived baseline, a file,
    or a prompt version such as decompose-concepts-v1.0, which is replayed.
    """
    from row3.reports.diff_table import SHOWN_CASES, diff_json, diff_text
    from row3.store.project import pick_suite
    from row3.workflows.diff import diff

    project = common.project()
    suite = pick_suite(project, common.suite)
    result = diff(project, suite, before, after, common.run_options())
    if common.as_json:
        emit(json.dumps(diff_json(result), ensure_ascii=False, indent=1), common.out)
    else:
        most = len(result.cases) if common.verbose else SHOWN_CASES
        emit(diff_text(result, suite.kind.metrics, cases=most, style=common.style), common.out)
