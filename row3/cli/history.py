"""`row3 history`, apart from the other commands of recorded runs because it needs few modules."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.common import Common


@click.command(cls=options.Command)
@options.option("--action", type=click.Choice(["baseline", "compare", "promotion"]), help="Only this action.")()
@options.option("-n", "--last", type=click.IntRange(min=1), metavar="N", help="Only the last N.")()
@options.suite()
@options.output_options("table", "json")
def command(common: Common, *, action: str | None, last: int | None) -> None:
    """List the latest baselines, comparisons and promotions; -v lists all."""
    from row3.project.project import pick_suite
    from row3.reports.history import history_document

    project = common.project()
    suite = pick_suite(project, common.suite)
    entries = [entry for entry in project.history if entry.suite == suite.name]
    if common.as_json:
        chosen = [entry for entry in entries if action in (None, entry.action)]
        return common.show_json([entry.plain() for entry in (chosen[-last:] if last else chosen)])
    document = history_document(
        entries,  # all, because a hidden baseline may still be compared with
        suite.kind.primary_metric,
        verbose=common.verbose > 0,
        action=action,
        last=last,
        flag=suite.flag,
    )
    return common.show_document(document)
