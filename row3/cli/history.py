"""`row3 history`."""

from __future__ import annotations

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit


@click.command()
@click.option("--action", type=click.Choice(["baseline", "compare", "promotion"]), help="Only these.")
@click.option("-n", "--last", type=click.IntRange(min=1), metavar="N", help="Only the last N.")
@common_options("row3 history")
def command(common: Common, *, action: str | None, last: int | None) -> None:
    """List the baselines, comparisons and promotions."""
    from row3.store.history import as_json
    from row3.store.suites import pick_suite
    from row3.workflows.history.trend import suite_history

    project = common.project()
    suite = pick_suite(project, common.suite)
    if common.as_json:
        emit(as_json(suite_history(project, suite, action=action, last=last)), common.out)
        return
    from row3.reports.history import history_document
    from row3.reports.terminal import terminal_text

    document = history_document(
        suite_history(project, suite),  # all entries: the baseline of a shown run may not be shown itself
        primary=suite.kind.primary,
        verbose=common.verbose > 0,
        action=action,
        last=last,
        flag=suite.flag,
    )
    emit(terminal_text(document, common.style), common.out)
