"""`row3 diff A B`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@click.argument("before", metavar="A")
@click.argument("after", metavar="[B]", default="latest")
@options.run_options(without="mode", jobs="Processes that score.")
@options.output_options("table", "json", "markdown")
def command(common: Common, before: str, after: str) -> int:
    """Compare prompt versions, runs, baselines, git refs or models; nothing is judged.

    A and B are each a prompt version (v1.0, decompose-concepts-v1.0), a saved run (`latest`, a run id or its beginning,
    a file), a baseline (`baseline`, the name of an archived one), a git ref (main, HEAD~3) or model:NAME. B defaults to
    `latest`. If a name could be several of these, say which: prompt:v1.0, run:ID, baseline:NAME, git:REF.

    Versions, models and refs are replayed from recordings; of a ref, its own prompts, golden cases and recordings.
    --prompt names versions to be replayed for a model or a ref. Exit 3 if recordings are missing.
    """
    from row3.cli.show import INCOMPLETE
    from row3.reports.diff import diff_document, diff_json
    from row3.store.suites import pick_suite
    from row3.workflows.diffing.diff import diff

    project = common.project()
    suite = pick_suite(project, common.suite)
    result = diff(project, suite, before, after, common.run_options, named=common.prompt)
    common.show_report(diff_document(result, suite.kind.metrics, verbose=common.verbose > 0), diff_json(result))
    return INCOMPLETE if result.unanswered else 0
