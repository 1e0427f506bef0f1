"""`row3 diff A B`."""

from __future__ import annotations

import json

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@click.argument("before", metavar="A")
@click.argument("after", metavar="[B]", default="latest")
@common_options("row3 diff")
@click.pass_context
def command(ctx: click.Context, common: Common, before: str, after: str) -> None:
    """Compare prompt versions, runs, baselines, git refs or models; nothing is judged.

    A and B are each a prompt version (v1.0, decompose-concepts-v1.0), a saved run (`latest`, a run id or its beginning,
    a file), a baseline (`baseline`, the name of an archived one), a git ref (main, HEAD~3) or model:NAME. B is `latest`
    where it is left out. Where a name could be several of these, say which: prompt:v1.0, run:ID, baseline:NAME,
    git:REF.

    Versions, models and refs are replayed from recordings; of a ref, its own prompts, golden cases and recordings.
    --prompt names versions to be replayed for a model or a ref. Exit 3 where recordings are missing.
    """
    from row3.cli.show import INCOMPLETE
    from row3.reports.diff import diff_document, diff_json
    from row3.reports.markdown import markdown_text
    from row3.reports.terminal import terminal_text
    from row3.store.suites import pick_suite
    from row3.workflows.diffing.diff import diff

    form = common.form("table", "json", "markdown")
    project = common.project()
    suite = pick_suite(project, common.suite)
    result = diff(project, suite, before, after, common.run_options, named=common.prompt)
    if form == "json":
        emit(json.dumps(diff_json(result), ensure_ascii=False, indent=1), common.out)
    else:
        document = diff_document(result, suite.kind.metrics, verbose=common.verbose > 0)
        markdown = form == "markdown"
        emit(markdown_text(document) if markdown else terminal_text(document, common.style), common.out)
    ctx.exit(INCOMPLETE if result.unanswered else 0)
