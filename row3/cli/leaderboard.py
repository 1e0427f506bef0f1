"""`row3 leaderboard`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from row3.cli.options import Amount, Common, common_options
from row3.cli.out_file import refuse_foreign_charts, refuse_own
from row3.cli.output import emit

if TYPE_CHECKING:
    from row3.gate.leaderboard import Leaderboard

CHARTS = "charts/"


@click.command()
@click.option(
    "--models",
    multiple=True,
    metavar="A,B",
    help="These models; default: all that are recorded and the configured one.",
)
@click.option("--prompts", multiple=True, metavar="V,W", help="These versions (v1.0 or NAME-v1.0); default: all.")
@click.option("--dry-run", is_flag=True, help="Show what --mode live would send and cost; send nothing.")
@click.option(
    "--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Stop before more than this is spent."
)
@click.option(
    "--chart", is_flag=False, flag_value=CHARTS, metavar="[DIR]", help="Draw it (SVG and PNG) into charts/ or DIR."
)
@common_options("row3 leaderboard")
@click.pass_context
def command(
    ctx: click.Context,
    common: Common,
    *,
    models: tuple[str, ...],
    prompts: tuple[str, ...],
    dry_run: bool,
    max_cost: float | None,
    chart: str | None,
) -> None:
    """Rank models × prompt versions on one suite by score, cost and latency; nothing is judged.

    By replay over what is recorded; combinations that lack answers are listed with how many. --mode live asks for what
    is missing and records it: `--models a,b --prompts v1.0,v1.1 --mode live`. Exit 3 where no combination has all of
    its answers, and where some are still missing after --mode live.
    """
    from row3.cli.show import INCOMPLETE
    from row3.workflows.flags import LiveFlags

    form = common.form("table", "json", "markdown")
    named, called = _listed(prompts, "--prompts"), _listed(models, "--models")
    if dry_run and chart is not None:
        raise click.UsageError("--chart draws what is ranked, and --dry-run ranks nothing; leave one of them out")
    if max_cost is not None and not dry_run and common.mode in (None, "replay"):
        raise click.UsageError("--max-cost is for what is asked, and without --mode live nothing is; add --mode live")
    _check_chart(common, chart)
    session = common.session().under(LiveFlags(max_cost=max_cost))
    if chart not in (None, CHARTS):
        from row3.workflows.leaderboards.leaderboard import chart_name

        refuse_foreign_charts(Path(chart, chart_name(session.suite.name)))
    chosen = {"prompts": (*common.prompt, *named), "models": called}
    if dry_run:
        from row3.reports.leaderboard import plan_document
        from row3.reports.leaderboard_json import plan_json
        from row3.reports.terminal import terminal_text
        from row3.workflows.leaderboards.leaderboard import plan

        plans = plan(session, **chosen)
        if form == "json":
            emit(json.dumps(plan_json(plans), ensure_ascii=False, indent=1), common.out)
        else:
            emit(terminal_text(plan_document(plans), common.style), common.out)
        return
    from row3.workflows.leaderboards.leaderboard import leaderboard

    board = leaderboard(session, **chosen)
    _show(board, form, common)
    if chart is not None:
        from row3.workflows.leaderboards.leaderboard import draw_leaderboard

        for path in draw_leaderboard(session.project, board, None if chart == CHARTS else Path(chart)):
            common.say(f"drawn: {path}")
    session.finish()
    missing = not board.placed or (board.mode != "replay" and board.incomplete)
    ctx.exit(INCOMPLETE if missing else 0)


def _listed(texts: tuple[str, ...], option: str) -> tuple[str, ...]:
    """What stands between the commas; raises `UsageError` where that is nothing, which would mean all of them."""
    parts = [[part.strip() for part in text.split(",") if part.strip()] for text in texts]
    if not all(parts):
        raise click.UsageError(f"{option}: no name in it; leave it out for all of them")
    return tuple(name for names in parts for name in names)


def _check_chart(common: Common, chart: str | None) -> None:
    from row3.errors import UsageError

    if chart == CHARTS and not common.may_write:
        what = "a run in CI writes no tracked file"
        raise UsageError(what, where="--chart", fix="Name a folder: --chart DIR")
    if chart is not None and Path(chart).exists() and not Path(chart).is_dir():
        raise UsageError("this is a file", where=f"--chart {chart}", fix="Name a folder")
    if chart is not None:
        refuse_own(common, Path(chart), where=f"--chart {chart}")


def _show(board: Leaderboard, form: str, common: Common) -> None:
    from row3.reports.leaderboard import leaderboard_document

    if form == "json":
        from row3.reports.leaderboard_json import leaderboard_json

        emit(json.dumps(leaderboard_json(board), ensure_ascii=False, indent=1), common.out)
    elif form == "markdown":
        from row3.reports.markdown import markdown_text

        emit(markdown_text(leaderboard_document(board)), common.out)
    else:
        from row3.reports.terminal import terminal_text

        emit(terminal_text(leaderboard_document(board, verbose=common.verbose > 0), common.style), common.out)
