"""Every result in every format: the one place that knows which renderer `--format` names."""

from __future__ import annotations

from collections.abc import Iterable

from row3.gate.results import Comparison, Run, SuitesReport
from row3.reports.comparison import comparison_document
from row3.reports.document import Document
from row3.reports.headline import what_runs
from row3.reports.issues import (
    HERE,
    Places,
    codequality_json,
    github_text,
    run_issues,
    run_notice,
    suites_issues,
    suites_notice,
)
from row3.reports.markdown import markdown_text
from row3.reports.scorecard import scorecard_document
from row3.reports.style import PLAIN, Style
from row3.reports.suites import comment_markdown, comparison_comment, suites_document
from row3.reports.terminal import terminal_text

SUMMARY_BYTES = 1_000_000
"""GitHub takes 1 MiB of a step's summary."""


def run_text(
    run: Run,
    comparison: Comparison | None = None,
    form: str | None = None,
    *,
    declines: int = 0,
    style: Style = PLAIN,
    verbose: bool = False,
    places: Places = HERE,
) -> str | Iterable[bytes]:
    """Return a run, or a comparison of it, in one of the formats of `--format`; None is the table.

    A run has no comment: `comment` takes a comparison.
    """
    match form:
        case "json":
            from row3.reports.result_json import result_json

            return result_json(run, comparison, declines=declines)
        case "junit":
            from row3.reports.junit import junit_xml  # the XML library is for this format alone

            return junit_xml(run, comparison)
        case "github":
            notice = None if comparison is None else run_notice(comparison)
            return github_text(run_issues(run, comparison, declines=declines, places=places), notice, places)
        case "codequality":
            return codequality_json(run_issues(run, comparison, declines=declines, places=places), places)
        case "comment" if comparison is not None:
            return comparison_comment(comparison)
        case "markdown":
            return markdown_text(_document(run, comparison, declines=declines, folded=True))
    document = _document(run, comparison, declines=declines, verbose=verbose, headed=False)
    return with_first_line(run, document, style)


def with_first_line(run: Run, document: Document, style: Style = PLAIN) -> str:
    """Return a document for a terminal, below the one line that names what runs."""
    head = what_runs(run, run.suite.name)
    lines = style.wrap(head, then="  ") if style.terminal else [head]
    return "\n".join([*lines, "", terminal_text(document, style)])


def _document(
    run: Run,
    comparison: Comparison | None,
    *,
    declines: int,
    verbose: bool = False,
    folded: bool = False,
    headed: bool = True,
) -> Document:
    if comparison is None:
        return scorecard_document(run, declines=declines, verbose=verbose, headed=headed)
    return comparison_document(comparison, verbose=verbose, folded=folded, headed=headed)


def run_summary(run: Run, comparison: Comparison | None = None, *, declines: int = 0) -> str:
    """Return the Markdown for `$GITHUB_STEP_SUMMARY`, without what unfolds where it would be too long."""
    text = markdown_text(_document(run, comparison, declines=declines, folded=True))
    return text if _fits(text) else markdown_text(_document(run, comparison, declines=declines))


def suites_text(
    report: SuitesReport, form: str | None = None, *, style: Style = PLAIN, verbose: bool = False, places: Places = HERE
) -> str | Iterable[bytes]:
    """Return the results of several suites in one of the formats of `--format`; None is the table."""
    match form:
        case "json":
            from row3.reports.result_json import suites_json

            return suites_json(report)
        case "junit":
            from row3.reports.junit import suites_junit

            return suites_junit(report.results)
        case "github":
            return github_text(suites_issues(report, places), suites_notice(report), places)
        case "codequality":
            return codequality_json(suites_issues(report, places), places)
        case "comment":
            return comment_markdown(report.results)
        case "markdown":
            return markdown_text(suites_document(report, verbose=True))
    return terminal_text(suites_document(report, verbose=verbose), style)


def suites_summary(report: SuitesReport) -> str:
    """Return the Markdown for `$GITHUB_STEP_SUMMARY`, without what unfolds where it would be too long."""
    text = markdown_text(suites_document(report, verbose=True))
    return text if _fits(text) else markdown_text(suites_document(report))


def _fits(text: str) -> bool:
    return len(text.encode("utf-8", "replace")) <= SUMMARY_BYTES
