"""`row3 promote` and `row3 optimize`: what was judged, chosen and written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row3.commands.optimizing.optimize import Evidence, Optimised
from row3.commands.promoting.promote import PromotionResult
from row3.domain import numbers
from row3.domain.judgements import Code, Verdict
from row3.domain.models import as_json
from row3.domain.prompts import names_of
from row3.reports.comparison import comparison_document, comparison_page, heading, reason_blocks
from row3.reports.document import Block, Document, Facts, Lines, Note, Span, Title, code
from row3.reports.json_values import json_fields
from row3.reports.reason_text import Words, grounds, grounds_of
from row3.reports.scorecard import brief_scorecard, scorecard_document
from row3.reports.sentences import title_of
from row3.reports.terminal import PLAIN, Style
from row3.reports.verdict_text import SCORES, judgement_label


def optimised_document(result: Optimised) -> Document:
    """Return the result for people."""
    head = Note([f"{result.suite} · {result.source}"])
    asked = ("answers requested", f"{result.asked:,} of {result.budget:,}")
    if result.draft is None or result.held_out is None:
        chosen = f"{numbers.percent(result.selection.before)}, n = {result.selection.cases}"
        what = f"no draft beats {result.source} on the selection cases ({chosen}); nothing was written"
        return Document([head, Note([what]), Facts([asked])])
    title = result.metric.title
    facts = [(f"{title}, held out", _moved(result.held_out)), (f"{title}, selection", _moved(result.selection)), asked]
    said = Note(["Only the held-out cases are evidence: the others shaped the draft. It is not promoted."])
    after = Note([["Next: ", code(f"row3 --compare --mode auto --suite {result.suite}")]])
    return Document([head, Title(f"wrote prompts/{result.draft}.md"), Facts(facts), said, after])


def _moved(evidence: Evidence) -> str:
    text = f"{numbers.moved(evidence.before, evidence.after)}, n = {evidence.cases}"
    if evidence.interval is not None:
        text += f", 95%: {numbers.interval(evidence.interval.low, evidence.interval.high)}"
    return text


def optimised_json(result: Optimised) -> dict[str, Any]:
    """Return the result as plain values; all numbers but counts are fractions."""
    return {
        "schemaVersion": 1,
        **json_fields(result, "suite", "budget", "asked"),
        "metric": result.metric.key,
        "prompt": str(result.source),
        "draft": None if result.draft is None else str(result.draft),
        "trainingCases": result.train,
        "selection": _evidence_json(result.selection),
        "heldOut": None if result.held_out is None else _evidence_json(result.held_out),
    }


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    found = evidence.interval
    interval = None if found is None else {"low": found.low, "high": found.high}
    return {**as_json(evidence), "interval": interval}


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
        fell = result.approval is None and result.comparison is not None and result.comparison.fell
        reason = ", given a reason (--approve REASON)" if fell else ""
        head = f"{names} would be promoted{reason}; without --dry-run row3 writes these files:"
        entries = "\n".join(result.entries).rstrip("\n").split("\n")
        return [Note([head]), Lines(list(result.files)), Lines(entries, "markdown")]
    last = [f"committed as {result.commit[:10]}"] if result.commit else []
    if not last and result.run.header.commit is not None:
        last = ["Commit these files together."]
    head = f"{names} {'are' if several else 'is'} promoted. Written as one change: {', '.join(result.files)}"
    return [Note([head, *last])]
