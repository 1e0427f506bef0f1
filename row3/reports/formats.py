"""Every result in every format of `--format`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from row3.domain import numbers
from row3.domain.judgements import Code
from row3.domain.prompts import names_of
from row3.domain.verdicts import Verdict
from row3.gate.outcomes import PromotionResult
from row3.gate.results import Run, SuiteResult, SuitesReport
from row3.reports.advice import SCORES, judgement_label
from row3.reports.comparison import comparison_document, comparison_page, heading, reason_blocks
from row3.reports.document import Block, Document, Lines, Note, Span, Title
from row3.reports.headline import title_of, what_runs
from row3.reports.issues import (
    HERE,
    Issue,
    Places,
    codequality_json,
    github_text,
    run_issues,
    run_notice,
    suites_issues,
    suites_notice,
)
from row3.reports.markdown import markdown_text
from row3.reports.reason_text import Words, grounds, grounds_of
from row3.reports.scorecard import brief_scorecard, scorecard_document
from row3.reports.style import PLAIN, Style
from row3.reports.suites import comment_markdown, suites_document
from row3.reports.terminal import terminal_text

SUMMARY_BYTES = 1_000_000
"""GitHub takes 1 MiB of a step's summary."""
Result = SuiteResult | SuitesReport
"""A command's result: one suite or several."""


def result_text(
    result: Result, form: str | None = None, *, style: Style = PLAIN, verbose: bool = False, places: Places = HERE
) -> str | Iterable[bytes]:
    """Return a result in one of the formats of `--format`; None is the table."""
    several = result.results if isinstance(result, SuitesReport) else [result]
    match form:
        case "json":
            from row3.reports.result_json import result_json, suites_json

            return suites_json(result) if isinstance(result, SuitesReport) else result_json(result)
        case "junit":
            from row3.reports.junit import junit_xml  # only this format needs the XML library

            return junit_xml(several)
        case "github":
            return github_text(*_issues(result, places), places)
        case "codequality":
            return codequality_json(_issues(result, places)[0], places)
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
    if isinstance(result, SuiteResult) and result.run is not None:
        notice = None if result.comparison is None else run_notice(result.comparison)
        return run_issues(result.run, result.comparison, declines=result.declines, places=places), notice
    report = result if isinstance(result, SuitesReport) else SuitesReport([result])
    return suites_issues(report, places), suites_notice(report)


def promotion_document(result: PromotionResult, *, verbose: bool = False, style: Style = PLAIN) -> Document:
    """Return the verdict with its reasons (more if it refuses the version or verbose) and the files written."""
    brief = not result.refused and not verbose
    comparison = result.comparison
    if comparison is not None:
        seen: list[Block] = [*heading(comparison, headed=False), *reason_blocks(grounds_of(comparison))]
        if not brief:
            whole = comparison_document(comparison, verbose=True, headed=False)
            seen = [*(whole if verbose else comparison_page(comparison, style)).blocks]
        return Document([*seen, *_outcome(result)])
    card = brief_scorecard(result.run) if brief else scorecard_document(result.run, verbose=verbose, headed=False)
    return Document([*card.blocks, *first_verdict(result), *_outcome(result)])


def first_verdict(result: PromotionResult) -> list[Block]:
    """Return the verdict on a first promotion, judged by zones alone, with its reasons and the next step."""
    suite, run = result.run.suite, result.run
    judgement = replace(result.judgement, approval=result.approval)
    label = judgement_label(judgement, informational=suite.policy.informational)
    value = run.header.metrics.get(suite.kind.primary)
    shown = "" if value is None else f"{title_of(suite, suite.kind.primary)} {numbers.percent(value)} · "
    line = f"  {shown}{numbers.count(run.cases, 'case')}, no baseline to compare with"
    words = Words({metric.key: metric for metric in suite.kind.metrics}, {}, suite.policy)
    blocks: list[Block] = [Title([label.span, line]), *reason_blocks(grounds(judgement.reasons, words))]
    if result.approval is not None:
        return [*blocks, Note([Span(f"approved by {result.approval.by}: {result.approval.reason}", "warning")])]
    if not result.refused:
        return blocks
    blocking = [reason for reason in judgement.reasons if reason.verdict is Verdict.BLOCK]
    scores = all(reason.code in SCORES or reason.code is Code.NO_CASE for reason in blocking)
    refs = [str(ref) for ref in result.refs]
    again = f"row3 promote{result.run.suite.flags('row3 promote', *refs)} {' '.join(refs)} again"
    fix = "fix the prompt" if scores else "fix the problems above"
    return [*blocks, Note([f"Next: {fix} and run {again}, or accept it with --approve REASON."])]


def _outcome(result: PromotionResult) -> list[Block]:
    names, several = names_of(result.refs), len(result.refs) > 1
    if result.refused:
        return [Note([f"{names} {'were' if several else 'was'} not promoted; nothing was written."])]
    if result.dry_run:
        head = f"{names} would be promoted; without --dry-run row3 writes these files:"
        entries = "\n".join(result.entries).rstrip("\n").split("\n")
        return [Note([head]), Lines(list(result.files)), Lines(entries, "markdown")]
    last = [f"committed as {result.commit[:10]}"] if result.commit else []
    if not last and result.run.header.commit is not None:
        last = ["Commit these files together."]
    head = f"{names} {'are' if several else 'is'} promoted. Written as one change: {', '.join(result.files)}"
    return [Note([head, *last])]
