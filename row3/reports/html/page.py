"""Assemble the pages from template, style, script and compressed data; and the index of all suites."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from row3.charting.timeline import TrendPoint, run_timeline
from row3.charting.trend_chart import message, trend_chart
from row3.domain import numbers
from row3.gate.results import Comparison, SuitesReport
from row3.reports.comparison import facts, ground_text, heading, legend, metrics_table, next_note
from row3.reports.differences import prompt_folds
from row3.reports.document import Block, Document, Fold, Note, Plot, Span, Text, Title, spans
from row3.reports.html.blocks import FOLDER, blocks_html, templates
from row3.reports.html.cases import MOST_OPEN, case_list
from row3.reports.judges import judge_card
from row3.reports.match_counts import moved_counts, run_counts
from row3.reports.reason_text import grounds_of
from row3.reports.scorecard import missing_note, problem_blocks, usage_note
from row3.reports.sentences import quarantine_note
from row3.reports.suites import headword, index_blocks
from row3.reports.verdict_text import verdict_label, worst_case

MOST_RUNS = 60
"""Maximum runs of the history on the chart; more would overlap."""
SHOWN_REASONS = 3
"""Maximum reasons that leave room for the worst case on the first screen."""
BUFFERED = 200
"""Parts of the template in a piece of the page."""


def html_report(comparison: Comparison, history: Sequence[TrendPoint] = ()) -> Iterator[bytes]:
    """Yield the page in pieces of UTF-8; the run's details are lines of `case_pages`, `history` is oldest first."""
    run = comparison.run
    header = run.header
    label = " · ".join(f"{name} {version}" for name, version in header.prompts.items())
    now = TrendPoint(datetime.fromisoformat(header.at), "compare", label, header.metrics, comparison.verdict.word)
    prompts = [
        block for fold in prompt_folds(comparison.prompt_diffs) for block in (Title(fold.title, 5), *fold.blocks)
    ]
    scorecard = [facts(comparison), metrics_table(comparison, verbose=True), legend(comparison, verbose=True)]
    cases = case_list(run, worst_case(comparison))
    yield from _page(
        title=f"{verdict_label(comparison).word} · {run.suite.name}",
        tone=verdict_label(comparison).tone,
        heading=blocks_html([*heading(comparison, headed=True), next_note(comparison)]),
        summary=[card for card in (_why(comparison),) if card],
        scorecard=[card for card in map(blocks_html, (scorecard, judge_card(run))) if card],
        suite=run.suite.name,
        trend=blocks_html([_trend(comparison, [*history, now])]),
        cases=cases,
        most_open=MOST_OPEN,
        prompts=blocks_html(prompts),
        run=blocks_html(_run(comparison)),
    )


def index_html(report: SuitesReport, pages: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the index of the suites as UTF-8; `pages` has the file of each suite with a page, in the same folder."""
    title, *rest = index_blocks(report)
    links = {suite: quote(page) for suite, page in pages.items()}
    tone = spans(title.text)[0].tone
    yield from _page(
        title=headword(report), tone=tone, heading=blocks_html([title]), summary=[blocks_html(rest, links)]
    )


def document_html(title: str, document: Document) -> Iterator[bytes]:
    """Yield a document's page as UTF-8: its first title on top, and a card for each section of level 3."""
    cards: list[list[Block]] = [[]]
    for block in document.blocks:
        if isinstance(block, Title) and block.level > 2:
            cards.append([Title(block.text, block.level + 1)])
        else:
            cards[-1].append(block)
    yield from _page(
        title=title, tone="", heading=blocks_html(cards[0]), summary=[blocks_html(each) for each in cards[1:]]
    )


def _page(*, suite: str = "", **values: Any) -> Iterator[bytes]:
    """Yield the template with these values in pieces of UTF-8; only a suite's page has a script."""
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    script = (FOLDER / "page.js").read_text(encoding="utf-8") if suite else ""
    own = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - our own files
    whole = {"policy": policy(script, style), "suite": suite}
    stream = templates().get_template("page.html").stream(whole | own | values)
    stream.enable_buffering(BUFFERED)
    yield from (piece.encode() for piece in stream)


def _why(comparison: Comparison) -> Markup:
    """Return the reasons, each with a link to its case; all but the first few are folded."""
    known = {change.case_id for change in comparison.cases}
    lines: list[Text] = []
    links: dict[str, str] = {}
    for ground in grounds_of(comparison, noise=True):
        lines.append(ground_text(ground))
        if len(ground.reasons) == 1 and (subject := ground.reasons[0].subject) in known:
            link = f"→ {subject}"
            lines[-1] = [*spans(lines[-1]), Span(" "), Span(link)]
            links[link] = f"#case={quote(subject)}"
    rest = lines[SHOWN_REASONS:]
    more = [Fold(f"{numbers.count(len(rest), 'more reason')}", [Note(rest)])] if rest else []
    return blocks_html([Title("Why", 4), Note(lines[:SHOWN_REASONS]), *more], links) if lines else Markup()


def _run(comparison: Comparison) -> list[Block]:
    run = comparison.run
    counts = [each for each in (run_counts(run, every=True), moved_counts(comparison, every=True)) if each.rows]
    return [
        *problem_blocks(run, verbose=True),
        quarantine_note(run.quarantine),
        *counts,
        missing_note(run),
        usage_note(run, verbose=True),
        Note([f"{run.header.run_id} · {numbers.moment(run.header.at)} UTC"], "quiet"),
    ]


def _trend(comparison: Comparison, history: Sequence[TrendPoint]) -> Block:
    """Return the chart of the last runs, oldest first; a note for a single one."""
    suite, runs = comparison.run.suite, history[-MOST_RUNS:]
    if len(runs) < 2:
        return Note(["One run so far; a trend needs two."], "quiet")
    return Plot(message(run_timeline(runs), suite.kind.primary_metric), trend_chart(runs, suite), "")


def policy(script: str, style: str) -> str:
    """Return the page's Content-Security-Policy: its own script and style by digest, and nothing else.

    An injected script has no such digest, and an event handler has none; `trusted-types 'none'` also keeps scripts from
    turning text into markup or `javascript:` addresses.
    """
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
