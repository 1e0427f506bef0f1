"""`row3 report --all`: every suite, as one text or as a folder of pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from row3.cli.all_suites import opened, refuse_one, suites_text
from row3.cli.options import Common
from row3.cli.out_file import check_folder, check_out, refuse_foreign
from row3.cli.output import emit
from row3.cli.takes import HTML, TAKES
from row3.domain.counts import count
from row3.errors import UsageError

if TYPE_CHECKING:
    from row3.workflows.suites.all_suites import AllSuites
    from row3.workflows.suites.results import SuiteResult, SuitesReport

INDEX = "index.html"
PAGES = (".html", ".htm")


def report_all(common: Common, *, against: str | None) -> int:
    """Compare every suite and write what came of it; 2 where one cannot be used, 3 where a case has no answer, else 0.

    Raises `UsageError` where the pages have no folder to go to.
    """
    from row3.workflows.flags import LiveFlags
    from row3.workflows.suites.all_suites import compare_all
    from row3.workflows.suites.results import Broken, Gone

    refuse_one(common)
    folder = _folder(common)
    if folder is None:
        common = replace(common, format=common.format or "markdown")
        check_out(common, TAKES["row3 report"])
    suites = opened(common, LiveFlags())
    if folder is None:
        report = _sorted(list(compare_all(suites, against=against)))
        emit(suites_text(report, common), common.out)
    else:
        report, pages = _write_pages(suites, folder, against=against)
        common.say(f"{folder / INDEX} and {count(pages, 'page')} of {count(len(report.results), 'suite')}")
    for result in report.results if common.out is not None else ():
        if isinstance(result, Broken | Gone):
            common.say(f"{result.suite}: {result.problem}")
    suites.finish()
    return report.exit_code if report.exit_code != 1 else 0


def _sorted(results: list[SuiteResult]) -> SuitesReport:
    from row3.workflows.suites.results import SuitesReport

    return SuitesReport(sorted(results, key=lambda result: result.suite))


def _folder(common: Common) -> Path | None:
    """Where pages go; None where no pages are wanted."""
    out = None if common.out is None else Path(common.out)
    pages = common.format == HTML or (common.format is None and out is not None and (out.is_dir() or not out.suffix))
    named = out is not None and out.suffix.lower() in PAGES
    if not pages and not (named and common.format is None):
        return None
    if out is None or named or (out.exists() and not out.is_dir()) or not out.parent.is_dir():
        where = "--all --format html" if out is None else f"--out {out}"
        raise UsageError("every suite has a page of its own", where=where, fix="Name a folder: --out FOLDER")
    check_folder(common, out)
    return out


def _write_pages(suites: AllSuites, folder: Path, *, against: str | None) -> tuple[SuitesReport, int]:
    """Each page as soon as its suite is compared: what a run keeps of its cases goes with it.

    Returns what came of the suites, and how many pages there are beside the index.
    """
    from row3.reports.html import html_report
    from row3.reports.html.page import index_html
    from row3.workflows.history.trend import suite_history
    from row3.workflows.suites.all_suites import compare_all
    from row3.workflows.suites.results import Judged

    refuse_foreign((folder / name for name in (INDEX, *map(_page_of, suites.names))), HTML)
    results, pages = [], {}
    for result in compare_all(suites, against=against, pages=True):
        results.append(result)
        if isinstance(result, Judged):
            history = suite_history(suites.project, suites.made[-1].suite)
            pages[result.suite] = _page_of(result.suite)
            emit(html_report(result.comparison, history), str(folder / pages[result.suite]))
    report = _sorted(results)
    emit(index_html(report, pages), str(folder / INDEX))
    return report, len(pages)


def _page_of(suite: str) -> str:
    """The file of a suite's page, which is not that of the index."""
    return f"{suite}.html" if f"{suite}.html".lower() != INDEX else f"{suite}-suite.html"
