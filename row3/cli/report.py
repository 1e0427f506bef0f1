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
    from row3.workflows.at_ref import find_ref, laid_out
    from row3.workflows.gating import compare

    common = replace(common, format=common.format or "markdown")
    session = common.session()
    with laid_out(None if against is None else find_ref(session.project, against)) as base:
        comparison = compare(session, base=base)
    code = show_comparison(comparison, common)
    ctx.exit(INCOMPLETE if code == INCOMPLETE else 0)
