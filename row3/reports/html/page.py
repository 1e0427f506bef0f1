"""Assemble the pages from template, style, script and compressed data; and the index of all suites."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from row3.gate.results import Comparison, SuitesReport
from row3.reports import numbers
from row3.reports.advice import verdict_label, worst_case
from row3.reports.charting.timeline import TrendPoint, run_timeline
from row3.reports.charting.trend_chart import message, trend_chart
from row3.reports.comparison import facts, ground_text, heading, legend, metrics_table, next_note
from row3.reports.document import Block, Document, Fold, Note, Plot, Span, Text, Title, spans
from row3.reports.headline import prompt_folds
from row3.reports.html.blocks import blocks_html, mark_invisible
from row3.reports.judge_block import judge_card
from row3.reports.match_counts import moved_counts, run_counts
from row3.reports.quarantine_text import quarantine_note
from row3.reports.reason_text import grounds_of
from row3.reports.scorecard import missing_note, problem_blocks, usage_note
from row3.reports.suites import headword, index_blocks

FOLDER = Path(__file__).parent
SCRIPTS = ("base.js", "marks.js", "answer.js", "case.js", "list.js", "boot.js")
"""In the order of their dependencies."""
DATA = "<!-- data -->"
UNQUOTED = "!'()*"
"""Characters that the script's `encodeURIComponent` leaves alone and `quote` does not."""
CASES_A_CHUNK = 40
"""Cases unpacked together when one of them is opened."""
MOST_RUNS = 60
"""Maximum runs of the history on the chart; more would overlap."""
SHOWN_REASONS = 3
"""Maximum reasons that leave room for the worst case on the first screen."""
LEVEL = 6
"""Of compression: a lower one makes the page a third larger, a higher one costs time for little."""


def html_report(comparison: Comparison, history: Sequence[TrendPoint] = ()) -> Iterator[bytes]:
    """Yield the page in pieces of UTF-8; the run's details are lines of `case_pages`, `history` is oldest first."""
    run = comparison.run
    kind, header = run.suite.kind, run.header
    label = " · ".join(f"{name} {version}" for name, version in header.prompts.items())
    now = TrendPoint(datetime.fromisoformat(header.at), "compare", label, header.metrics, comparison.verdict.word)
    prompts = [
        block for fold in prompt_folds(comparison.prompt_diffs) for block in (Title(fold.title, 5), *fold.blocks)
    ]
    scorecard = [facts(comparison), metrics_table(comparison, verbose=True), legend(comparison, verbose=True)]
    text = _page(
        title=f"{verdict_label(comparison).word} · {run.suite.name}",
        script="\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS),
        tone=verdict_label(comparison).tone,
        heading=blocks_html([*heading(comparison, headed=True), next_note(comparison)]),
        summary=[card for card in (_why(comparison),) if card],
        scorecard=[card for card in map(blocks_html, (scorecard, judge_card(run))) if card],
        suite=run.suite.name,
        trend=blocks_html([_trend(comparison, [*history, now])]),
        cases=len(run.details),
        prompts=blocks_html(prompts),
        run=blocks_html(_run(comparison)),
    )
    top, _, bottom = text.rpartition(DATA)
    meta = {
        "chunk": CASES_A_CHUNK,
        "primary": kind.primary,
        "worst": worst_case(comparison, comparison.reasons),
        "metrics": {metric.key: [metric.title, metric.higher_is_better, metric.companion] for metric in kind.metrics},
        "quarantined": {entry.case_id: entry.until for entry in run.quarantine.active},
    }
    yield top.encode()
    yield island("meta", json.dumps(meta, allow_nan=False).encode())
    yield rows_island(run.details)
    yield from case_islands(run.details)
    yield bottom.encode()


def index_html(report: SuitesReport, pages: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the index of the suites as UTF-8; `pages` has the file of each suite with a page, in the same folder."""
    title, *rest = index_blocks(report)
    links = {suite: quote(page) for suite, page in pages.items()}
    tone = spans(title.text)[0].tone
    text = _page(
        title=headword(report), script="", tone=tone, heading=blocks_html([title]), summary=[blocks_html(rest, links)]
    )
    yield text.encode()


def document_html(title: str, document: Document) -> Iterator[bytes]:
    """Yield a document's page as UTF-8: its first title on top, and a card for each section of level 3."""
    cards: list[list[Block]] = [[]]
    for block in document.blocks:
        if isinstance(block, Title) and block.level > 2:
            cards.append([Title(block.text, block.level + 1)])
        else:
            cards[-1].append(block)
    yield _page(
        title=title,
        script="",
        tone="",
        heading=blocks_html(cards[0]),
        summary=[blocks_html(each) for each in cards[1:]],
    ).encode()


def _page(*, script: str, **values: Any) -> str:
    """Return the template with these values, which are escaped; invisible characters are named."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, finalize=finalize, trim_blocks=True, lstrip_blocks=True
    )
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    own = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - our own files
    page: str = environment.get_template("page.html").render(policy=policy(script, style), **own, **values)
    return page


def _why(comparison: Comparison) -> Markup:
    """Return the reasons, each with a link to its case; all but the first few are folded."""
    known = {change.case_id for change in comparison.cases}
    lines: list[Text] = []
    links: dict[str, str] = {}
    for ground in grounds_of(comparison):
        lines.append(ground_text(ground))
        subject = ground.reasons[0].subject
        if len(ground.reasons) == 1 and subject in known:
            link = f"→ {subject}"
            lines[-1] = [*spans(lines[-1]), Span(" "), Span(link)]
            links[link] = f"#case={quote(subject, safe=UNQUOTED)}"
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
    drawing = trend_chart(
        runs,
        suite.kind.metrics,
        suite=suite.name,
        primary=suite.kind.primary,
        thresholds=suite.rules.thresholds,
        weekly=False,
    )
    return Plot(message(run_timeline(runs), suite.kind.primary_metric), drawing, "")


def island(name: str, content: bytes) -> bytes:
    """Return a data block of the page; `name` is a literal id."""
    packed = base64.b64encode(gzip.compress(content, LEVEL, mtime=0))
    return b'<script type="application/gzip" id="%b">%b</script>\n' % (name.encode(), packed)


def rows_island(lines: Iterable[bytes]) -> bytes:
    """Return the list's data of every case: the part of each line before its tab."""
    return island("rows", b"[" + b",\n".join([line.partition(b"\t")[0] for line in lines]) + b"]")


def case_islands(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of opened cases: the parts after the tab, in blocks of `CASES_A_CHUNK`."""
    left = iter(lines)
    number = 0
    while bodies := [line.partition(b"\t")[2] for line in islice(left, CASES_A_CHUNK)]:
        yield island(f"cases-{number}", b"[" + b",\n".join(bodies) + b"]")
        number += 1


def finalize(value: Any) -> Any:
    """Return a template value with invisible characters named; markup is left alone."""
    return mark_invisible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


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
