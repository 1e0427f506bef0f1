"""`row3 power`."""

from __future__ import annotations

import json

import click

from row3.cli.options import Amount, Common, common_options
from row3.cli.output import emit


@click.command()
@click.option(
    "--detect",
    type=Amount(0, 100, min_open=True),
    metavar="POINTS",
    help="The drop to plan for, in percentage points; default: the gate's limit.",
)
@click.option("--metric", metavar="KEY", help="Plan for this metric only; default: the headline metrics.")
@common_options("row3 power")
def command(common: Common, *, detect: float | None, metric: str | None) -> None:
    """Say how small a drop the suite detects, and whether cases or repeats are the better buy.

    Planned from the baseline and the candidate's recordings; else from two saved runs, else from recorded repeats.
    Nothing is asked and nothing is judged. --policy paired plans for what blocks.
    """
    from row3.reports.power import power_document, power_json
    from row3.reports.terminal import terminal_text
    from row3.workflows.history.power import plan

    report = plan(
        common.session(), detect=None if detect is None else detect / 100, metric=metric, repeats=common.repeats
    )
    if common.as_json:
        emit(json.dumps(power_json(report), ensure_ascii=False, indent=1), common.out)
    else:
        emit(terminal_text(power_document(report), common.style), common.out)
