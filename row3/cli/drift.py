"""`row3 drift`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from row3.cli.options import Amount, Common, common_options
from row3.cli.output import emit

if TYPE_CHECKING:
    from row3.workflows.comparing.drift import Drifted


@click.command()
@click.option("--sample", type=click.IntRange(min=2), metavar="N", help="How many cases; default: half, 10 to 20.")
@click.option(
    "--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Stop before more than this is spent."
)
@click.option("--all", "all_suites", is_flag=True, help="Every suite, one after the other.")
@common_options("row3 drift")
@click.pass_context
def command(
    ctx: click.Context, common: Common, *, sample: int | None, max_cost: float | None, all_suites: bool
) -> None:
    """Ask the baseline's prompts again on a sample: has the provider changed?

    Live, with the baseline's model and parameters, against what the baseline saved. For a weekly job. --seed chooses
    the sample; nothing is recorded or judged. Exit 1 where the provider moved, 3 where a case has no answer.
    """
    show = show_drift_all if all_suites else show_drift
    ctx.exit(show(common, sample=sample, max_cost=max_cost))


def show_drift(common: Common, *, sample: int | None, max_cost: float | None, recordings: bool = False) -> int:
    """Ask again and show what came of it; the exit code."""
    from row3.reports.drift import drift_document, drift_report_json
    from row3.reports.terminal import terminal_text
    from row3.workflows.comparing.drift import drift
    from row3.workflows.flags import LiveFlags

    # The provider's seed is that of what is asked again; the one that is given here chooses the cases.
    seed, common, as_json = common.seed or 0, replace(common, seed=None), common.as_json
    session = common.session().under(LiveFlags(max_cost=max_cost))
    found = drift(session, sample=sample, seed=seed, recordings=recordings)
    if as_json:
        emit(json.dumps(drift_report_json(found), ensure_ascii=False, indent=1), common.out)
    else:
        emit(terminal_text(drift_document(found, verbose=common.verbose > 0), common.style), common.out)
    session.finish()
    return _code(found)


def show_drift_all(common: Common, *, sample: int | None, max_cost: float | None, recordings: bool = False) -> int:
    """The same of every suite: one that cannot be asked stops no other. The worst exit code: 2, 1, 3, 0."""
    from row3.cli.all_suites import opened, refuse_one
    from row3.errors import Row3Error
    from row3.reports.drift import drifts_document, drifts_json
    from row3.reports.terminal import terminal_text
    from row3.workflows.comparing.drift import drift
    from row3.workflows.flags import LiveFlags
    from row3.workflows.suites.results import worst_code

    refuse_one(common)
    seed, common, as_json = common.seed or 0, replace(common, seed=None), common.as_json
    suites = opened(common, LiveFlags(max_cost=max_cost))
    suites.check_named()
    found: dict[str, Drifted | Row3Error] = {}
    for name in suites.names:
        try:
            found[name] = drift(suites.of(name), sample=sample, seed=seed, recordings=recordings)
        except Row3Error as error:
            found[name] = error
    if as_json:
        emit(json.dumps(drifts_json(found), ensure_ascii=False, indent=1), common.out)
    else:
        emit(terminal_text(drifts_document(found, verbose=common.verbose > 0), common.style), common.out)
    suites.finish()
    return worst_code(each.exit_code if isinstance(each, Row3Error) else _code(each) for each in found.values())


def _code(found: Drifted) -> int:
    from row3.cli.show import BLOCKED, INCOMPLETE

    return INCOMPLETE if not found.complete else BLOCKED if found.moved else 0
