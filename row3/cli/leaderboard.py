"""`row3 leaderboard`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@click.option(
    "--models",
    multiple=True,
    metavar="A,B",
    help="These models; default: all that are recorded and the configured one.",
)
@click.option("--prompts", multiple=True, metavar="V,W", help="These versions (v1.0 or NAME-v1.0); default: all.")
@options.max_cost()
@options.run_options(
    without="model", mode="live or auto: ask for what is missing; default: replay.", prompt="As --prompts."
)
@options.output_options("table", "json", "markdown")
def command(
    common: Common,
    *,
    models: tuple[str, ...],
    prompts: tuple[str, ...],
    max_cost: float | None,
) -> int:
    """Rank models × prompt versions on one suite by score, cost and latency; nothing is judged.

    By replay over what is recorded; combinations that lack answers are listed with how many. --mode live asks for what
    is missing and records it: `--models a,b --prompts v1.0,v1.1 --mode live`. Exit 3 if no combination has all of its
    answers, and if some are still missing after --mode live.
    """
    from row3.cli.show import INCOMPLETE
    from row3.reports.leaderboard import leaderboard_document, leaderboard_json
    from row3.workflows.leaderboard import leaderboard
    from row3.workflows.session import LiveFlags

    chosen = {"prompts": (*common.prompt, *_listed(prompts, "--prompts")), "models": _listed(models, "--models")}
    if max_cost is not None and common.mode in (None, "replay"):
        raise click.UsageError("--max-cost is for what is asked, and without --mode live nothing is; add --mode live")
    session = common.session().under(LiveFlags(max_cost=max_cost))
    board = leaderboard(session, **chosen)
    common.show_report(leaderboard_document(board, verbose=common.verbose > 0), leaderboard_json(board))
    session.finish()
    missing = not board.placed or (board.mode != "replay" and board.incomplete)
    return INCOMPLETE if missing else 0


def _listed(texts: tuple[str, ...], option: str) -> tuple[str, ...]:
    """Return the names between commas; raises `UsageError` if there is none, which would mean all of them."""
    parts = [[part.strip() for part in text.split(",") if part.strip()] for text in texts]
    if not all(parts):
        raise click.UsageError(f"{option}: no name in it; leave it out for all of them")
    return tuple(name for names in parts for name in names)
