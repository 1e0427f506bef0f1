"""`row3 history`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@options.option("--action", type=click.Choice(["baseline", "compare", "promotion"]), help="Only these.")()
@options.option("-n", "--last", type=click.IntRange(min=1), metavar="N", help="Only the last N.")()
@options.suite()
@options.output_options("table", "json")
def command(common: Common, *, action: str | None, last: int | None) -> None:
    """List the baselines, comparisons and promotions: the latest, with -v all of them."""
    from row3.reports.history import history_document
    from row3.store.history import as_json
    from row3.store.suites import pick_suite
    from row3.workflows.history.trend import suite_history

    project = common.project()
    suite = pick_suite(project, common.suite)
    if common.as_json:
        return common.show(as_json(suite_history(project, suite, action=action, last=last)))
    document = history_document(
        suite_history(project, suite),  # all of them: the table may hide a baseline and still compare with it
        primary=suite.kind.primary,
        verbose=common.verbose > 0,
        action=action,
        last=last,
        flag=suite.flag,
    )
    return common.show_document(document)
