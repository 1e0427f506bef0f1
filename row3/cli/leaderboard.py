"""`row3 leaderboard`."""

from __future__ import annotations

from pathlib import Path

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.out_file import check_folder, refuse_foreign_charts

CHARTS = "charts/"


@click.command(cls=Command)
@click.option(
    "--models",
    multiple=True,
    metavar="A,B",
    help="These models; default: all that are recorded and the configured one.",
)
@click.option("--prompts", multiple=True, metavar="V,W", help="These versions (v1.0 or NAME-v1.0); default: all.")
@options.max_cost()
@click.option(
    "--chart", is_flag=False, flag_value=CHARTS, metavar="[DIR]", help="Draw it (SVG and PNG) into charts/ or DIR."
)
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
    chart: str | None,
) -> int:
    """Rank models × prompt versions on one suite by score, cost and latency; nothing is judged.

    By replay over what is recorded; combinations that lack answers are listed with how many. --mode live asks for what
    is missing and records it: `--models a,b --prompts v1.0,v1.1 --mode live`. Exit 3 if no combination has all of its
    answers, and if some are still missing after --mode live.
    """
    from row3.cli.show import INCOMPLETE
    from row3.reports.leaderboard import leaderboard_document, leaderboard_json
    from row3.workflows.flags import LiveFlags
    from row3.workflows.leaderboards.leaderboard import chart_name, draw_leaderboard, leaderboard

    chosen = {"prompts": (*common.prompt, *_listed(prompts, "--prompts")), "models": _listed(models, "--models")}
    if max_cost is not None and common.mode in (None, "replay"):
        raise click.UsageError("--max-cost is for what is asked, and without --mode live nothing is; add --mode live")
    _check_chart(common, chart)
    session = common.session().under(LiveFlags(max_cost=max_cost))
    folder = None if chart in (None, CHARTS) else Path(chart)
    if folder is not None:
        refuse_foreign_charts(folder / chart_name(session.suite.name))
    board = leaderboard(session, **chosen)
    common.show_report(leaderboard_document(board, verbose=common.verbose > 0), leaderboard_json(board))
    for path in () if chart is None else draw_leaderboard(session.project, board, folder):
        common.say(f"drawn: {path}")
    session.finish()
    missing = not board.placed or (board.mode != "replay" and board.incomplete)
    return INCOMPLETE if missing else 0


def _listed(texts: tuple[str, ...], option: str) -> tuple[str, ...]:
    """Return the names between commas; raises `UsageError` if there is none, which would mean all of them."""
    parts = [[part.strip() for part in text.split(",") if part.strip()] for text in texts]
    if not all(parts):
        raise click.UsageError(f"{option}: no name in it; leave it out for all of them")
    return tuple(name for names in parts for name in names)


def _check_chart(common: Common, chart: str | None) -> None:
    from row3.errors import UsageError

    if chart == CHARTS and not common.may_write:
        what = "a run in CI writes no tracked file"
        raise UsageError(what, where="--chart", fix="Name a folder: --chart DIR")
    if chart is not None:
        check_folder(common, Path(chart), f"--chart {chart}")
