"""`row3 promote VERSION`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.show import BLOCKED, headline, other_format, scorecard, whole_comparison
from row3.errors import UsageError

if TYPE_CHECKING:
    from row3.workflows.promoting.promotion import PromotionResult


@click.command(cls=Command)
@click.argument("version")
@options.dry_run("Judge by the recordings, say what would be written.")
@click.option(
    "--commit", "make_commit", is_flag=True, help="Commit what is written, with the prompts and their recordings."
)
@click.option("--tag", "make_tag", is_flag=True, help="Tag the commit <name>-vX.Y (with --commit).")
@options.no_interleave("Live: do not ask the baseline's prompts again.")
@options.max_cost("Live: stop before more than this is spent.")
@options.run_options(without="case")
@options.gate_options()
@options.approve()
@options.output_options(*options.FORMATS)
def command(
    common: Common,
    *,
    version: str,
    dry_run: bool,
    make_commit: bool,
    make_tag: bool,
    no_interleave: bool,
    max_cost: float | None,
) -> int:
    """Gate VERSION and, if it passes, make it the current one.

    VERSION is `v1.1` or `decompose-concepts-v1.1`. Lock, baseline, changelog, history and charts are written as one
    transaction; on a block nothing is written, unless --approve REASON is given.
    """
    from row3.workflows.flags import LiveFlags
    from row3.workflows.promoting.promote import promote
    from row3.workflows.promoting.promotion import AlreadyDone

    if make_tag and not make_commit:
        raise click.UsageError("--tag goes with --commit, so that the tag names the promotion")
    if dry_run:
        common = replace(common, mode=_dry_mode(common))
    session = common.session().under(LiveFlags(interleave=not no_interleave, max_cost=max_cost))
    flags = {"dry_run": dry_run, "make_commit": make_commit, "make_tag": make_tag}
    try:
        result = promote(session, version, approve=common.approve, **flags)
    except AlreadyDone as done:
        common.show(done.told())
        return 0
    code = show_promotion(result, common)
    session.finish()
    return code


def show_promotion(result: PromotionResult, common: Common) -> int:
    """Show what a promotion did; returns 1 if the gate blocks, else 0."""
    comparison = result.comparison
    other = other_format(result.run, comparison, common, declines=0 if comparison is None else comparison.declines)
    common.show(other if other is not None else f"{_judged_text(result, common).rstrip()}\n\n{_outcome(result)}")
    for text in result.notes:
        common.say(text)
    return BLOCKED if result.refused else 0


def _dry_mode(common: Common) -> Literal["replay", "live"]:
    if common.mode in ("record", "auto"):
        what, fix = "a dry run writes no recording", "Use --mode replay or --mode live"
        raise UsageError(what, where=f"--mode {common.mode}", fix=fix)
    return "live" if (common.mode or common.project().config.mode) == "live" else "replay"


def _judged_text(result: PromotionResult, common: Common) -> str:
    """Return the comparison or first scorecard: in short if it passes, as the user has seen it before."""
    from row3.reports.changelogs.first_promotion import first_verdict
    from row3.reports.comparison_table import brief_comparison
    from row3.reports.scorecard_table import brief_scorecard
    from row3.workflows.running import Announced

    brief = not result.refused and not common.verbose
    if result.comparison is not None:
        if not brief:
            return whole_comparison(result.comparison, common)
        table = brief_comparison(result.comparison, colour=common.colour, width=common.width)
        return f"{headline(result.run, common)}\n\n{table}"
    if brief:
        table = brief_scorecard(result.run, colour=common.colour, width=common.width)
        text = f"{headline(result.run, common)}\n\n{table}"
    else:
        text = scorecard(Announced(result.run, 0), common)
    return f"{text.rstrip()}\n\n{first_verdict(result, str(result.ref), common.style)}"


def _outcome(result: PromotionResult) -> str:
    name = f"{result.ref.name} {result.ref.version}"
    if result.refused:
        return f"{name} was not promoted; nothing was written.\n"
    if result.dry_run:
        listed = "\n".join(f"  {file}" for file in result.files)
        return f"{name} would be promoted; without --dry-run these are written:\n{listed}\n\n{result.entry}"
    lines = [f"{name} is promoted. Written as one change:", *(f"  {file}" for file in result.files)]
    if result.commit:
        lines.append(f"committed as {result.commit[:10]}")
    elif result.run.header.dirty is not None:  # there is a git repository
        lines.append("Commit these files together.")
    if result.tag:
        lines.append(f"tagged {result.tag}")
    return "\n".join(lines) + "\n"
