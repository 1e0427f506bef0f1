"""`row3 drift`."""

from __future__ import annotations

import json

import click

from row3.cli.options import Amount, Common, common_options
from row3.cli.output import emit


@click.command()
@click.option("--sample", type=click.IntRange(min=2), metavar="N", help="How many cases; default: half, 10 to 20.")
@click.option("--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Ask for no more than this.")
@common_options
@click.pass_context
def command(ctx: click.Context, common: Common, *, sample: int | None, max_cost: float | None) -> None:
    """Ask the baseline's prompts again on a sample: has the provider changed?

    Live, with the baseline's model and parameters, against what the baseline saved. For a weekly job. --seed chooses
    the sample; nothing is recorded or judged. Exit 1 where the provider moved, 3 where a case has no answer.
    """
    ctx.exit(show_drift(common, sample=sample, max_cost=max_cost))


def show_drift(common: Common, *, sample: int | None, max_cost: float | None, recordings: bool = False) -> int:
    """Ask again and show what came of it; the exit code."""
    from dataclasses import replace

    from row3.cli.show import BLOCKED, INCOMPLETE
    from row3.reports.drift_text import drift_report_json, drift_text
    from row3.workflows.drift import drift
    from row3.workflows.session import LiveFlags

    # The provider's seed is that of what is asked again; the one that is given here chooses the cases.
    seed, common, as_json = common.seed or 0, replace(common, seed=None), common.as_json
    session = common.session().under(LiveFlags(max_cost=max_cost))
    found = drift(session, sample=sample, seed=seed, recordings=recordings)
    if as_json:
        emit(json.dumps(drift_report_json(found), ensure_ascii=False, indent=1), common.out)
    else:
        emit(drift_text(found, common.style, verbose=common.verbose > 0), common.out)
    session.finish()
    return INCOMPLETE if not found.complete else BLOCKED if found.moved else 0
