"""`row3 drift`, which is also `row3 recordings drift`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common

SAMPLE = "How many cases; default: half, 10 to 20."
if TYPE_CHECKING:
    from row3.gate.results import Drifted
    from row3.workflows.session import LiveFlags, Session


def drift_options() -> options.Decorator[Any]:
    """Options of both commands; model and parameters are those of what is asked again."""
    return options.together(
        options.option("--sample", type=click.IntRange(min=2), metavar="N", help=SAMPLE)(),
        options.max_cost(),
        options.all_suites(),
        options.suite(),
        options.case(),
        options.seed("Chooses the sample; default: 0."),
        options.repeats(),
        options.jobs(),
        options.fail(),
        options.output_options("table", "json"),
    )


@click.command(cls=Command)
@drift_options()
def command(common: Common, *, sample: int | None, max_cost: float | None, all_suites: bool) -> int:
    """Ask the baseline's prompts again on a sample: has the provider changed?

    Live, with the baseline's model and parameters, against what the baseline saved. For a weekly job. --seed chooses
    the sample; nothing is recorded or judged. Exit 1 if the provider moved, 3 if a case has no answer.
    """
    return show_drift(common, sample=sample, max_cost=max_cost, all_suites=all_suites)


def show_drift(
    common: Common, *, sample: int | None, max_cost: float | None, all_suites: bool, recordings: bool = False
) -> int:
    """Ask again and show how far the answers moved; returns the exit code, of several suites the worst."""
    from row3.reports.drift import drift_document, drift_report_json
    from row3.workflows.comparing.live import drift
    from row3.workflows.session import LiveFlags

    # --seed chooses the cases; a request has the seed that it had.
    seed, common, live = common.seed or 0, replace(common, seed=None), LiveFlags(max_cost=max_cost)

    def ask(session: Session) -> Drifted:
        return drift(session, sample=sample, seed=seed, recordings=recordings)

    if all_suites:
        return _show_all(common, live, ask)
    session = common.session().under(live)
    found = ask(session)
    common.show_report(drift_document(found, verbose=common.verbose > 0), drift_report_json(found))
    session.finish()
    return found.exit_code


def _show_all(common: Common, live: LiveFlags, ask: Callable[[Session], Drifted]) -> int:
    """Do the same for every suite, whether or not others can be asked; returns the worst exit code: 2, 1, 3, 0."""
    from row3.cli.run import opened, refuse_one
    from row3.errors import Row3Error
    from row3.gate.results import worst_code
    from row3.reports.drift import drifts_document, drifts_json

    refuse_one(common)
    suites = opened(common, live)
    suites.check_named()
    found: dict[str, Drifted | Row3Error] = {}
    for name in suites.names:
        try:
            found[name] = ask(suites.of(name))
        except Row3Error as error:
            found[name] = error
    common.show_report(drifts_document(found, verbose=common.verbose > 0), drifts_json(found))
    suites.finish()
    return worst_code(each.exit_code for each in found.values())
