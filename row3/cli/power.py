"""`row3 power`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@options.option(
    "--detect",
    type=options.Amount(0, 100, min_open=True),
    metavar="POINTS",
    help="The drop to plan for, in percentage points; default: the gate's limit.",
)()
@options.option("--metric", metavar="KEY", help="Plan for this metric only; default: the headline metrics.")()
@options.run_options(repeats="Look at K recorded answers of each case; default: as many as all have.")
@options.policy()
@options.fail()
@options.output_options("table", "json")
def command(common: Common, *, detect: float | None, metric: str | None) -> None:
    """Say how small a drop the suite detects, and whether cases or repeats are the better buy.

    Planned from the baseline and the candidate's recordings; nothing is asked or judged.
    --policy paired plans for what blocks.
    """
    from row3.reports.power import power_document, power_json
    from row3.workflows.history.power import plan

    share = None if detect is None else detect / 100
    report = plan(common.session(), detect=share, metric=metric, repeats=common.repeats)
    common.show_report(power_document(report), power_json(report))
