"""Puts the pages together: template, style, script, and compressed data; and the page that leads to all suites."""

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
from row3.reports.advice import look, worst_case
from row3.reports.charting.timeline import TrendPoint
from row3.reports.comparison import facts, ground_text, heading, legend, metrics_table, next_note
from row3.reports.document import Block, Document, Fold, Note, Span, Text, Title, spans
from row3.reports.headline import prompt_folds
from row3.reports.html.blocks import blocks_html, seen
from row3.reports.html.charts import HEIGHT, WIDTH, charts
from row3.reports.judge_block import judge_card
from row3.reports.match_counts import moved_counts, run_counts
from row3.reports.quarantine_text import quarantine_note
from row3.reports.reason_text import grounds_of
from row3.reports.scorecard import missing_note, problem_blocks, usage_note
from row3.reports.suites import headword, index_blocks

FOLDER = Path(__file__).parent
SCRIPTS = ("base.js", "marks.js", "answer.js", "case.js", "list.js", "boot.js")
"""In the order in which they need each other."""
DATA = "<!-- data -->"
UNQUOTED = "!'()*"
"""What `encodeURIComponent` of the script leaves as it is, beside what `quote` does."""
CASES_A_CHUNK = 40
"""Cases that are unpacked together when one of them is opened."""
SHOWN_REASONS = 3
"""Reasons that leave room for the worst case on the first screen."""
LEVEL = 6
"""Of compression: below it the page is a third larger, above it takes longer for next to nothing."""


def html_report(comparison: Comparison, history: Sequence[TrendPoint] = ()) -> Iterator[bytes]:
    """Return the page in pieces of UTF-8; the run's details are lines of `case_pages`, `history` is oldest first."""
    run = comparison.run
    kind, header = run.suite.kind, run.header
    label = " · ".join(f"{name} {version}" for name, version in header.prompts.items())
    now = TrendPoint(datetime.fromisoformat(header.at), "compare", label, header.metrics, comparison.verdict.word)
    prompts = [
        block for fold in prompt_folds(comparison.prompt_diffs) for block in (Title(fold.title, 5), *fold.blocks)
    ]
    scorecard = [facts(comparison), metrics_table(comparison, verbose=True), legend(comparison, verbose=True)]
    text = _page(
        title=f"{look(comparison).word} · {run.suite.name}",
        script="\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS),
        tone=look(comparison).tone,
        heading=blocks_html([*heading(comparison, headed=True), next_note(comparison)]),
        summary=[card for card in (_why(comparison),) if card],
        scorecard=[card for card in map(blocks_html, (scorecard, judge_card(run))) if card],
        suite=run.suite.name,
        charts=charts([*history, now], kind.metrics, run.suite.rules.thresholds, kind.primary),
        chart_size=(WIDTH, HEIGHT),
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
    """Return the page that leads to the suites, as UTF-8; `pages` are the files of those that have one, beside it."""
    title, *rest = index_blocks(report)
    links = {suite: quote(page) for suite, page in pages.items()}
    tone = spans(title.text)[0].tone
    text = _page(
        title=headword(report), script="", tone=tone, heading=blocks_html([title]), summary=[blocks_html(rest, links)]
    )
    yield text.encode()


def document_html(title: str, document: Document) -> Iterator[bytes]:
    """Return a page of a document as UTF-8: its first title on top, and a card for each section of level 3."""
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
    """The template with these values: what it is given is escaped, and text that cannot be seen is named."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, finalize=finalize, trim_blocks=True, lstrip_blocks=True
    )
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    own = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - our own files
    page: str = environment.get_template("page.html").render(policy=policy(script, style), **own, **values)
    return page


def _why(comparison: Comparison) -> Markup:
    """The reasons, each with a link to the case that it is about; all but the first few to unfold."""
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


def island(name: str, content: bytes) -> bytes:
    """Return a data block of the page; `name` is an id of ours."""
    packed = base64.b64encode(gzip.compress(content, LEVEL, mtime=0))
    return b'<script type="application/gzip" id="%b">%b</script>\n' % (name.encode(), packed)


def rows_island(lines: Iterable[bytes]) -> bytes:
    """Return what the list shows of every case: the part of each line before its tab."""
    return island("rows", b"[" + b",\n".join([line.partition(b"\t")[0] for line in lines]) + b"]")


def case_islands(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Return what is shown of opened cases: the parts after the tab, in blocks of `CASES_A_CHUNK`."""
    left = iter(lines)
    number = 0
    while bodies := [line.partition(b"\t")[2] for line in islice(left, CASES_A_CHUNK)]:
        yield island(f"cases-{number}", b"[" + b",\n".join(bodies) + b"]")
        number += 1


def finalize(value: Any) -> Any:
    """Return what the template writes of a value: text is made visible, and markup of the page itself is left alone."""
    return seen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def policy(script: str, style: str) -> str:
    """Return the page's Content-Security-Policy: its own script and style by their digests, and nothing from anywhere.

    An injected script has no such digest and an event handler none at all; `trusted-types 'none'` also refuses
    markup and `javascript:` addresses that a script would make of text.
    """
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
