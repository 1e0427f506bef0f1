"""`row3 report` and `row3 comment`: comparisons as Markdown or pages, or as a comment on a pull request."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.formats import FORMS, RUN_FORMATS
from row3.cli.out_file import check_folder, check_out, refuse_foreign
from row3.cli.output import append_summary, emit, note
from row3.cli.run import open_suites, refuse_suite_options
from row3.cli.show import INCOMPLETE, show_result
from row3.commands.all_suites import compare_all
from row3.commands.trend import points_of
from row3.comparing.compare import compare
from row3.domain.words import count
from row3.errors import Undelivered, UsageError
from row3.gate.results import Comparison, SuiteResult, SuitesReport, judged
from row3.integrations import github as comments
from row3.project.base import find_base
from row3.project.project import Project
from row3.reports.html.page import html_report, index_html
from row3.reports.suites import comment_markdown

HTML = "html"
FORMATS = ("markdown", *(each for each in RUN_FORMATS if each != "markdown"), "comment", HTML)
INDEX = "index.html"


@click.command(cls=options.Command)
@options.against()
@options.all_suites("Report every suite: one text, or a folder of pages with an index.")
@options.run_options()
@options.gate_options()
@options.option(
    "--format", type=click.Choice(FORMATS), help="Format; default: markdown, or html if --out ends in .html."
)()
@options.option("--out", metavar="FILE", help="Write to this file instead of stdout; with --all, a folder.")()
def command(common: Common, *, against: str | None, all_suites: bool) -> int:
    """Write a comparison as Markdown, or as a page for a browser.

    `--out report.html` or `--format html` writes one file that loads nothing from the network. Compares like
    `row3 --compare`, but writes no history and does not judge: exit 0, or 3 if a case has no answer. With --all and
    `--out FOLDER` it writes a page per suite and `index.html`.
    """
    if all_suites:
        return _report_all(common, against)
    ends_in_html = common.out is not None and common.out.lower().endswith(FORMS["html"].endings)
    common = replace(common, format=common.format or (HTML if ends_in_html else "markdown"))
    check_out(common, FORMATS)
    session = common.session()
    pages = common.format == HTML
    base = None if against is None else find_base(session.project, against)
    comparison = compare(session, base=base, pages=pages)
    code = show_result(judged(comparison), common, _page(comparison, session.project) if pages else None)
    if common.out is not None:
        common.say(f"{common.out}: report on suite {session.suite.name}")
    return INCOMPLETE if code == INCOMPLETE else 0


def _report_all(common: Common, against: str | None) -> int:
    """Compare every suite and write the result; returns 2 if one cannot be used, 3 if a case has no answer, else 0."""
    refuse_suite_options(common)
    folder = _folder(common)
    if folder is None:
        common = replace(common, format=common.format or "markdown")
        check_out(common, FORMATS)
    suites = open_suites(common)
    results: list[SuiteResult] = []
    pages: dict[str, str] = {}
    if folder is not None:
        refuse_foreign((folder / name for name in (INDEX, *map(_page_name, suites.names))), HTML)
    for result in compare_all(suites, against=against, pages=folder is not None):
        results.append(result)
        if folder is not None and result.comparison is not None:  # written at once, to free the cases' memory
            pages[result.suite] = _page_name(result.suite)
            emit(_page(result.comparison, suites.project), str(folder / pages[result.suite]))
    report = SuitesReport(sorted(results, key=lambda result: result.suite))
    if folder is None:
        show_result(report, common)
    else:
        emit(index_html(report, pages), str(folder / INDEX))
        common.say(f"{folder / INDEX} and the pages of {count(len(results), 'suite')}")
    for result in report.results if common.out is not None else ():
        if result.run is None and not result.is_new:
            common.say(f"{result.suite}: {result.problem}")
    return report.exit_code if report.exit_code != 1 else 0


def _folder(common: Common) -> Path | None:
    """Return the folder for pages, or None if none are wanted. Raises `UsageError` if it does not exist."""
    out = None if common.out is None else Path(common.out)
    named = out is not None and out.suffix.lower() in FORMS["html"].endings
    like_a_folder = out is not None and (out.is_dir() or not out.suffix)
    if common.format not in (None, HTML) or (common.format is None and not (like_a_folder or named)):
        return None
    if out is None or named or not out.parent.is_dir():
        where = "--all --format html" if out is None else f"--out {out}"
        raise UsageError("each suite gets its own page", where=where, fix="Name a folder: --out FOLDER")
    check_folder(common, out, f"--out {out}")
    return out


def _page(comparison: Comparison, project: Project) -> Iterator[bytes]:
    run = comparison.run
    entries = [entry for entry in project.history if entry.suite == run.suite.name]
    return html_report(comparison, points_of(entries, run))


def _page_name(suite: str) -> str:
    """Return the file name of a suite's page, never that of the index."""
    return f"{suite}.html" if f"{suite}.html".lower() != INDEX else f"{suite}-suite.html"


@click.command(cls=options.Command)
@options.against()
@click.option("--pr", "number", type=click.IntRange(min=1), metavar="N", help="Pull request; default: the job's.")
@click.option("--repo", metavar="OWNER/NAME", help="Repository; default: the job's.")
@click.option("--marker", default="row3", metavar="KEY", help="Key of the comment to update; default: row3.")
@click.option("--author", metavar="LOGIN", help="Author of the comment to update; default: github-actions[bot].")
@options.dry_run("Print the comment, and send nothing.")
@options.run_options(mode="Where answers come from; default: replay.", suite="Only this suite; default: all.")
@options.gate_options()
@options.output_options("markdown", out="Write the comment to this file, and send nothing.")
def comment(
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

    For GitHub Actions, with GITHUB_TOKEN in the environment. Replays unless --mode says otherwise, writes no tracked
    file and does not judge: exit 0. Without permission to comment, as on a fork, the text goes to the job's summary.
    """
    hidden = comments.marker_of(marker)
    place = comments.comment_target(os.environ, repository=repo, number=number)
    suites = open_suites(replace(common, format="comment", mode=common.mode or "replay"))
    names = None if common.suite is None else [common.suite]
    text = comment_markdown(comments.gate_results(suites, against=against, names=names), more_at=_run_address())
    if dry_run or common.out is not None:
        common.show(text)
    elif isinstance(place, str):
        _show_in_summary(text, place)
    else:
        try:
            done, url = comments.update_comment(place, text, hidden, author or comments.BOT)
            common.say(f"comment {done} on #{place.number} {url}".rstrip())
        except Undelivered as error:
            _show_in_summary(text, str(error))
    return 0


def _show_in_summary(text: str, why: str) -> None:
    """Write the comment to the job's summary, or to stdout if there is none."""
    if append_summary(text):
        note(f"no comment written: {why.rstrip('.')}. Its text is in the job's summary")
    else:
        note(f"no comment: {why}")
        emit(text, None)


def _run_address() -> str:
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    address = f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}"
    safe = address.startswith("https://") and not any(char in address for char in "<>\"'` \n\t")
    return address if all(parts) and safe else ""
