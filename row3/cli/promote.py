"""`row3 promote VERSION`."""

from __future__ import annotations

from dataclasses import replace

import click

from row3.cli.options import Common, common_options
from row3.cli.output import emit
from row3.cli.show_promotion import show_promotion
from row3.errors import UsageError


@click.command()
@click.argument("version")
@click.option("--dry-run", is_flag=True, help="Judge by the recordings, say what would be written.")
@click.option(
    "--commit", "make_commit", is_flag=True, help="Commit what is written, with the prompts and their recordings."
)
@click.option("--tag", "make_tag", is_flag=True, help="Tag the commit <name>-vX.Y (with --commit).")
@click.option("--no-interleave", is_flag=True, help="Live: do not ask the baseline's prompts again.")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help="Live: stop before more than this is spent.",
)
@common_options("row3 promote")
@click.pass_context
def command(
    ctx: click.Context,
    version: str,
    common: Common,
    *,
    dry_run: bool,
    make_commit: bool,
    make_tag: bool,
    no_interleave: bool,
    max_cost: float | None,
) -> None:
    """Gate VERSION and, if it passes, make it the current one.

    VERSION is `v1.1` or `decompose-concepts-v1.1`. Lock, baseline, changelog, history and charts are written as one
    transaction; on a block nothing is written, unless --approve REASON is given.
    """
    from row3.workflows.flags import LiveFlags
    from row3.workflows.promoting.promote import promote
    from row3.workflows.promoting.promotion_git import AlreadyDone

    if make_tag and not make_commit:
        raise click.UsageError("--tag goes with --commit, so that the tag names the promotion")
    if dry_run:
        if common.mode in ("record", "auto"):
            what, fix = "a dry run writes no recording", "Use --mode replay or --mode live"
            raise UsageError(what, where=f"--mode {common.mode}", fix=fix)
        if (common.mode or common.project().config.mode) != "live":
            common = replace(common, mode="replay")
    session = common.session().under(LiveFlags(interleave=not no_interleave, max_cost=max_cost))
    try:
        result = promote(
            session,
            version,
            approve=common.approve,
            dry_run=dry_run,
            make_commit=make_commit,
            make_tag=make_tag,
        )
    except AlreadyDone as done:
        emit(done.told(), common.out)
        ctx.exit(0)
    code = show_promotion(result, common)
    session.finish()
    ctx.exit(code)
