"""Every result in every format of `--format`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from row3.gate.results import Run, SuiteResult, SuitesReport
from row3.reports.comparison import comparison_document, comparison_page
from row3.reports.document import Document
from row3.reports.markdown import markdown_text
from row3.reports.scorecard import scorecard_document
from row3.reports.sentences import what_runs
from row3.reports.suites import comment_markdown, suites_document
from row3.reports.terminal import PLAIN, Style, terminal_text

if TYPE_CHECKING:
    from row3.reports.issues import Issue, Places

SUMMARY_BYTES = 1_000_000
"""GitHub takes 1 MiB of a step's summary."""
Result = SuiteResult | SuitesReport
"""A command's result: one suite or several."""


def result_text(
    result: Result,
    form: str | None = None,
    *,
    style: Style = PLAIN,
    verbose: bool = False,
    places: Places | None = None,
) -> str | Iterable[bytes]:
    """Return a result in one of the formats of `--format`; None is the table, or for `places` the default folders."""
    several = result.results if isinstance(result, SuitesReport) else [result]
    match form:
        case "json":
            from row3.reports.result_json import result_json, suites_json

            return suites_json(result) if isinstance(result, SuitesReport) else result_json(result)
        case "junit":
            from row3.reports.junit import junit_xml  # only this format needs the XML library

            return junit_xml(several)
        case "github":
            from row3.reports.issues import HERE, github_text

            return github_text(*_issues(result, places or HERE), places or HERE)
        case "codequality":
            from row3.reports.issues import HERE, codequality_json

            return codequality_json(_issues(result, places or HERE)[0], places or HERE)
        case "comment":
            return comment_markdown(several)
        case "markdown":
            return markdown_text(_document(result, whole=True))
    if isinstance(result, SuitesReport) or result.run is None:
        return terminal_text(_document(result, verbose=verbose), style)
    if not verbose and isinstance(result, SuiteResult) and result.comparison is not None:
        return with_first_line(result.run, comparison_page(result.comparison, style), style)
    return with_first_line(result.run, _document(result, verbose=verbose, headed=False), style)


def with_first_line(run: Run, document: Document, style: Style = PLAIN) -> str:
    """Return a document for a terminal, below the line that names the versions."""
    head = what_runs(run, run.suite.name)
    lines = style.wrap(head, then="  ") if style.terminal else [head]
    return "\n".join([*lines, "", terminal_text(document, style)])


def step_summary(result: Result) -> str:
    """Return the Markdown for `$GITHUB_STEP_SUMMARY`, without folded sections if it would be too long."""
    text = markdown_text(_document(result, whole=True))
    return text if len(text.encode("utf-8", "replace")) <= SUMMARY_BYTES else markdown_text(_document(result))


def _document(result: Result, *, verbose: bool = False, whole: bool = False, headed: bool = True) -> Document:
    if isinstance(result, SuiteResult) and result.comparison is not None:
        return comparison_document(result.comparison, verbose=verbose, folded=whole, headed=headed)
    if isinstance(result, SuiteResult) and result.run is not None:
        return scorecard_document(result.run, declines=result.declines, verbose=verbose, headed=headed)
    report = result if isinstance(result, SuitesReport) else SuitesReport([result])
    return suites_document(report, verbose=verbose or whole)


def _issues(result: Result, places: Places) -> tuple[list[Issue], Issue | None]:
    from row3.reports.issues import run_issues, run_notice, suites_issues, suites_notice

    if isinstance(result, SuiteResult) and result.run is not None:
        notice = None if result.comparison is None else run_notice(result.comparison)
        return run_issues(result.run, result.comparison, declines=result.declines, places=places), notice
    report = result if isinstance(result, SuitesReport) else SuitesReport([result])
    return suites_issues(report, places), suites_notice(report)
