"""`row3 comment`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from row3.cli.all_suites import opened
from row3.cli.once import once
from row3.cli.options import Common, common_options
from row3.cli.output import emit, note


@click.command()
@once(
    "--against",
    metavar="REF",
    help="Judge by the baseline, cases and thresholds of this git ref; REF... is where HEAD left it.",
)
@click.option("--pr", "number", type=click.IntRange(min=1), metavar="N", help="The pull request; default: the job's.")
@click.option("--repo", metavar="OWNER/NAME", help="The repository; default: the job's.")
@click.option("--marker", default="row3", metavar="KEY", help="Names the comment to keep; default: row3.")
@click.option("--author", metavar="LOGIN", help="Who wrote the comment to keep; default: github-actions[bot].")
@click.option("--more", metavar="URL", help="Where the whole report is; default: the job's run.")
@click.option("--dry-run", is_flag=True, help="Print the comment and send nothing.")
@common_options("row3 comment")
@click.pass_context
def command(
    ctx: click.Context,
    common: Common,
    *,
    against: str | None,
    number: int | None,
    repo: str | None,
    marker: str,
    author: str | None,
    more: str | None,
    dry_run: bool,
) -> None:
    """Compare all suites, or --suite, and keep one comment on a GitHub pull request.

    For a job of GitHub Actions, with GITHUB_TOKEN in its environment. Replays unless --mode says otherwise, writes no
    tracked file and does not judge: exit 0. Where no comment may be written, as for a fork, the text goes to the job's
    summary.
    """
    from row3.errors import UsageError
    from row3.reports.suites import comment_markdown
    from row3.workflows.suites.comment import marker_of, place_of, what_the_gate_says

    if common.format not in (None, "markdown"):
        raise UsageError("a comment is Markdown", where=f"--format {common.format}", fix="Leave --format out")
    hidden, link = marker_of(marker), _run_address() if more is None else more
    if more and not _is_address(more):
        raise UsageError("this is no https address", where=f"--more {more}", fix="Correct it")
    place = place_of(os.environ, repository=repo, number=number)
    suites = opened(replace(common, format="comment", mode=common.mode or "replay"))
    names = None if common.suite is None else [common.suite]
    text = comment_markdown(what_the_gate_says(suites, against=against, names=names), more_at=link)
    suites.finish()
    if dry_run or common.out is not None:
        emit(text, common.out)
        ctx.exit(0)
    if isinstance(place, str):
        _instead(text, place)
    else:
        from row3.vcs.github_comments import PullRequestComments, Refused
        from row3.workflows.suites.comment import BOT, keep_comment

        comments = PullRequestComments(place.api, place.repository, place.number, place.token)
        try:
            done, url = keep_comment(comments, text, hidden, author or BOT)
            common.say(f"comment {done} on #{place.number} {url}".rstrip())
        except Refused as error:
            _instead(text, str(error))
    ctx.exit(0)


def _instead(text: str, why: str) -> None:
    """The comment in the job's summary; on stdout where there is none."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    note(f"no comment was written: {why.rstrip('.')}. It is in the job's summary" if target else f"no comment: {why}")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    else:
        emit(text, None)


def _run_address() -> str:
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    address = f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}"
    return address if all(parts) and _is_address(address) else ""


def _is_address(link: str) -> bool:
    return link.startswith("https://") and not any(char in link for char in "<>\"'` \n\t")
