"""A promotion as a document: what the gate saw, what was written, what to do next."""

from __future__ import annotations

from row3.domain.judgements import Code, Judgement
from row3.domain.verdicts import Verdict
from row3.gate.outcomes import PromotionResult
from row3.reports import numbers
from row3.reports.advice import SCORES, look_of
from row3.reports.comparison import brief_comparison, comparison_document, reason_blocks
from row3.reports.document import Block, Document, Lines, Note, Span, Title
from row3.reports.headline import title_of
from row3.reports.reason_text import Words, grounds
from row3.reports.scorecard import brief_scorecard, scorecard_document


def promotion_document(result: PromotionResult, *, verbose: bool = False) -> Document:
    """Return what the gate saw, in short where it passed the version and unless verbose, and what was written."""
    brief = not result.refused and not verbose
    comparison = result.comparison
    if comparison is not None:
        whole = comparison_document(comparison, verbose=verbose, headed=False).blocks
        return Document([*(brief_comparison(comparison) if brief else whole), *_outcome(result)])
    card = brief_scorecard(result.run) if brief else scorecard_document(result.run, verbose=verbose, headed=False)
    return Document([*card.blocks, *first_verdict(result), *_outcome(result)])


def first_verdict(result: PromotionResult) -> list[Block]:
    """Return the verdict on a first promotion, which the zones alone judge, with its reasons and the next step."""
    suite, run = result.run.suite, result.run
    judgement = Judgement(result.verdict, tuple(result.reasons), complete=True, signature="", approval=result.approval)
    look = look_of(judgement, informational=suite.policy.informational)
    value = run.header.metrics.get(suite.kind.primary)
    shown = "" if value is None else f"{title_of(suite, suite.kind.primary)} {numbers.percent(value)} · "
    line = f"  {shown}{numbers.count(run.cases, 'case')}, no baseline to compare with"
    words = Words({metric.key: metric for metric in suite.kind.metrics}, {}, suite.policy)
    blocks: list[Block] = [Title([look.span, line]), *reason_blocks(grounds(result.reasons, words))]
    if result.approval is not None:
        return [*blocks, Note([Span(f"approved by {result.approval.by}: {result.approval.reason}", "warning")])]
    if result.refused:
        return [*blocks, Note([_again(result)])]
    return blocks


def _again(result: PromotionResult) -> str:
    blocking = [reason for reason in result.reasons if reason.verdict is Verdict.BLOCK]
    scores = all(reason.code in SCORES or reason.code is Code.NO_CASE for reason in blocking)
    again = f"row3 promote{result.run.suite.flags('row3 promote', str(result.ref))} {result.ref} again"
    fix = "fix the prompt" if scores else "fix what is named above"
    return f"Next: {fix} and run {again}, or accept it with --approve REASON."


def _outcome(result: PromotionResult) -> list[Block]:
    name = f"{result.ref.name} {result.ref.version}"
    if result.refused:
        return [Note([f"{name} was not promoted; nothing was written."])]
    if result.dry_run:
        head = f"{name} would be promoted; without --dry-run these files are written:"
        return [Note([head]), Lines(list(result.files)), Lines(result.entry.rstrip("\n").split("\n"), "markdown")]
    last = [f"committed as {result.commit[:10]}"] if result.commit else []
    if not last and result.run.header.commit is not None:
        last = ["Commit these files together."]
    return [Note([f"{name} is promoted. Written as one change:"]), Lines(list(result.files)), Note(list(last))]
