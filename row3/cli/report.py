"""`row3 report`."""

from __future__ import annotations

from dataclasses import replace

import click

from row3.cli.options import Common, common_options
from row3.cli.show import INCOMPLETE, show_comparison


@click.command()
@click.option("--against", metavar="REF", help="Judge by the baseline, cases and thresholds of this git ref.")
@common_options
@click.pass_context
def command(ctx: click.Context, common: Common, *, against: str | None) -> None:
    """Write a comparison as a report (Markdown unless --format says otherwise).

    Compares like `row3 --compare`, but writes no history and does not judge: exit 0, or 3 where a case has no answer.
    """
    from row3.workflows.at_ref import find_ref
    from row3.workflows.gating import compare

    common = replace(common, format=common.format or "markdown")
    session = common.session()
    ref = None if against is None else find_ref(session.project, against)
    code = show_comparison(compare(session, ref=ref), common)
    ctx.exit(INCOMPLETE if code == INCOMPLETE else 0)
