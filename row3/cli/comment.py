"""`row3 comment`."""

from __future__ import annotations

import os
from dataclasses import replace

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.output import append_summary, emit, note
from row3.cli.run import opened


@click.command(cls=Command)
@options.against()
@click.option("--pr", "number", type=click.IntRange(min=1), metavar="N", help="The pull request; default: the job's.")
@click.option("--repo", metavar="OWNER/NAME", help="The repository; default: the job's.")
@click.option("--marker", default="row3", metavar="KEY", help="Names the comment to keep; default: row3.")
@click.option("--author", metavar="LOGIN", help="Who wrote the comment to keep; default: github-actions[bot].")
@options.dry_run("Print the comment and send nothing.")
@options.run_options(mode="Where answers come from; default: replay.", suite="Only this suite; default: all of them.")
@options.gate_options()
@options.output_options("markdown", out="Write the comment there and send nothing.")
def command(
    common: Common,
    *,
    against: str | None,
    number: int | None,
    repo: str | None,
    marker: str,
    author: str | None,
    dry_run: bool,
) -> int:
    """Compare all suites, or --suite, and keep one comment on a GitHub pull request.

    For a job of GitHub Actions, with GITHUB_TOKEN in its environment. Replays unless --mode says otherwise, writes no
    tracked file and does not judge: exit 0. If no comment may be written, as for a fork, the text goes to the job's
    summary.
    """
    from row3.reports.suites import comment_markdown
    from row3.workflows.suites.comment import BOT, Refused, keep_comment, marker_of, place_of, what_the_gate_says

    hidden = marker_of(marker)
    place = place_of(os.environ, repository=repo, number=number)
    suites = opened(replace(common, format="comment", mode=common.mode or "replay"))
    names = None if common.suite is None else [common.suite]
    text = comment_markdown(what_the_gate_says(suites, against=against, names=names), more_at=_run_address())
    suites.finish()
    if dry_run or common.out is not None:
        common.show(text)
    elif isinstance(place, str):
        _show_elsewhere(text, place)
    else:
        try:
            done, url = keep_comment(place, text, hidden, author or BOT)
            common.say(f"comment {done} on #{place.number} {url}".rstrip())
        except Refused as error:
            _show_elsewhere(text, str(error))
    return 0


def _show_elsewhere(text: str, why: str) -> None:
    """Put the comment into the job's summary, or on stdout if there is none."""
    if append_summary(text):
        note(f"no comment was written: {why.rstrip('.')}. It is in the job's summary")
    else:
        note(f"no comment: {why}")
        emit(text, None)


def _run_address() -> str:
    """Return the address of the job's run; empty outside of one."""
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    address = f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}"
    safe = address.startswith("https://") and not any(char in address for char in "<>\"'` \n\t")
    return address if all(parts) and safe else ""
