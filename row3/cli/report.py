"""`row3 report`: one comparison as Markdown or a page; with --all every suite, as one text or a folder of pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.out_file import PAGES, check_folder, check_out, refuse_foreign
from row3.cli.output import emit
from row3.cli.run import opened, refuse_one
from row3.cli.show import INCOMPLETE, show_result
from row3.domain.counts import count
from row3.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from row3.gate.results import Comparison, SuiteResult
    from row3.workflows.session import Session

HTML = "html"
FORMS = ("markdown", *(each for each in options.FORMATS if each != "markdown"), "comment", HTML)
INDEX = "index.html"


@click.command(cls=Command)
@options.against()
@options.all_suites("Every suite: one text, or a folder of pages with an index.")
@options.run_options()
@options.gate_options()
@options.option(
    "--format",
    type=click.Choice(FORMS),
    help="Form of the report; default: markdown, or html if --out ends in .html.",
)()
@options.option("--out", metavar="FILE", help="Write it there instead of to stdout; with --all a folder.")()
def command(common: Common, *, against: str | None, all_suites: bool) -> int:
    """Write a comparison as a report: Markdown, or a page for a browser.

    The page is one file that loads nothing: `--out report.html`, or `--format html`. Compares like `row3 --compare`,
    but writes no history and does not judge: exit 0, or 3 if a case has no answer. With --all and `--out FOLDER` there
    is a page for each suite, and `index.html`.
    """
    if all_suites:
        return _report_all(common, against)
    from row3.gate.results import judged
    from row3.workflows.comparing.compare import compare
    from row3.workflows.snapshots import find_base

    ends_in_html = common.out is not None and common.out.lower().endswith(PAGES)
    common = replace(common, format=common.format or (HTML if ends_in_html else "markdown"))
    check_out(common, FORMS)
    session = common.session()
    pages = common.format == HTML
    base = None if against is None else find_base(session.project, against)
    comparison = compare(session, base=base, pages=pages)
    code = show_result(judged(comparison), common, _page(comparison, session) if pages else None)
    if common.out is not None:
        common.say(f"{common.out}: report on suite {session.suite.name}")
    return INCOMPLETE if code == INCOMPLETE else 0


def _report_all(common: Common, against: str | None) -> int:
    """Compare every suite and write the result; returns 2 if one cannot be used, 3 if a case has no answer, else 0."""
    from row3.gate.results import SuitesReport
    from row3.reports.html.page import index_html
    from row3.workflows.session import LiveFlags
    from row3.workflows.suites.all_suites import compare_all

    refuse_one(common)
    folder = _folder(common)
    if folder is None:
        common = replace(common, format=common.format or "markdown")
        check_out(common, FORMS)
    suites = opened(common, LiveFlags())
    results: list[SuiteResult] = []
    pages: dict[str, str] = {}
    if folder is not None:
        refuse_foreign((folder / name for name in (INDEX, *map(_page_name, suites.names))), HTML)
    for result in compare_all(suites, against=against, pages=folder is not None):
        results.append(result)
        if folder is not None and result.comparison is not None:  # written now: its cases need not stay in memory
            pages[result.suite] = _page_name(result.suite)
            emit(_page(result.comparison, suites.made[-1]), str(folder / pages[result.suite]))
    report = SuitesReport(sorted(results, key=lambda result: result.suite))
    if folder is None:
        show_result(report, common)
    else:
        emit(index_html(report, pages), str(folder / INDEX))
        common.say(f"{folder / INDEX} and the pages of {count(len(results), 'suite')}")
    for result in report.results if common.out is not None else ():
        if result.run is None and not result.is_new:
            common.say(f"{result.suite}: {result.problem}")
    suites.finish()
    return report.exit_code if report.exit_code != 1 else 0


def _folder(common: Common) -> Path | None:
    """Return the folder for pages; None if no pages are wanted. Raises `UsageError` if there is no such folder."""
    out = None if common.out is None else Path(common.out)
    named = out is not None and out.suffix.lower() in PAGES
    like_a_folder = out is not None and (out.is_dir() or not out.suffix)
    if common.format not in (None, HTML) or (common.format is None and not (like_a_folder or named)):
        return None
    if out is None or named or not out.parent.is_dir():
        where = "--all --format html" if out is None else f"--out {out}"
        raise UsageError("every suite has a page of its own", where=where, fix="Name a folder: --out FOLDER")
    check_folder(common, out, f"--out {out}")
    return out


def _page(comparison: Comparison, session: Session) -> Iterator[bytes]:
    """Return the page of a comparison, with the trend of its suite."""
    from row3.reports.html.page import html_report
    from row3.workflows.history.trend import points_of, suite_history

    return html_report(comparison, points_of(suite_history(session.project, session.suite)))


def _page_name(suite: str) -> str:
    """Return the file name of a suite's page, which is never that of the index."""
    return f"{suite}.html" if f"{suite}.html".lower() != INDEX else f"{suite}-suite.html"
