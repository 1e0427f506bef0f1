"""The pages of comparisons with their cases, and the index of all suites.

The largest change comes first, then the worst case; the first cases are open, the others are rows.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from row3.charting.timeline import TrendPoint, run_timeline
from row3.charting.trend_chart import message, trend_chart
from row3.domain import numbers
from row3.domain.judgements import CaseChange
from row3.domain.scores import Zone
from row3.domain.words import words_of
from row3.gate.results import Comparison, Lines, Run, SuitesReport
from row3.kinds.base import Kind
from row3.reports.case_changes import flips
from row3.reports.comparison import facts, ground_text, heading, legend, metrics_table, next_note
from row3.reports.differences import prompt_folds
from row3.reports.document import (
    Block,
    Document,
    Fold,
    Items,
    Note,
    Plot,
    Span,
    Table,
    Text,
    Title,
    Tone,
    spans,
    strong,
)
from row3.reports.html.answers import marks_of, missed, sections
from row3.reports.html.blocks import FOLDER, blocks_html, cut, templates
from row3.reports.html.marks import Piece, folded, key, marked, positions
from row3.reports.judges import judge_card
from row3.reports.match_counts import moved_counts, run_counts
from row3.reports.reason_text import grounds_of
from row3.reports.scorecard import missing_note, problem_blocks, usage_note
from row3.reports.sentences import quarantine_note
from row3.reports.spans import better, zone_span
from row3.reports.suites import headword, index_blocks
from row3.reports.terminal import arrow
from row3.reports.verdict_text import verdict_label, worst_case

MOST_OPEN = 300
"""Cases shown in full. A page of every case of a large suite would be tens of megabytes, which nobody reads."""
SHORT = 80
"""Characters of a text that is a field beside a longer one."""
TONES = {"regressed": "bad", "broke": "bad", "failed": "bad", "improved": "good", "fixed": "good"}
ZONES = {zone.word: spans(zone_span(zone))[0] for zone in Zone}


class Filter(NamedTuple):
    """A choice of cases."""

    name: str
    title: str
    has: Callable[[Mapping[str, Any]], bool]


FILTERS = (
    Filter("all", "All", lambda row: True),
    Filter("regressed", "Regressed", lambda row: row["move"] in ("regressed", "broke")),
    Filter("improved", "Improved", lambda row: row["move"] in ("improved", "fixed")),
    Filter("unchanged", "Unchanged", lambda row: row["move"] == "unchanged"),
    Filter("other", "New or changed", lambda row: row["move"] in ("new", "not comparable")),
    Filter("fail", "Fail zone", lambda row: row["zone"] == "fail"),
    Filter("bad", "Bad answer", lambda row: row["status"] == "bad_answer"),
    Filter("failed", "No answer", lambda row: row["status"] == "failed"),
)


@dataclass(frozen=True, slots=True)
class CaseList:
    """The cases of a run, from lines of `case_pages`."""

    kind: Kind
    rows: Sequence[dict[str, Any]]
    """In the order of the list, each with its `place` among the lines."""
    lines: Lines
    worst: str
    """Id of the case that is open at first."""
    resting: Mapping[str, str]
    """Cases in quarantine, and until when."""

    def filters(self) -> list[tuple[Filter, int]]:
        """Return the filters with how many cases each leaves."""
        counted = [(each, sum(map(each.has, self.rows))) for each in FILTERS]
        return [(each, count) for each, count in counted if count or each.name in ("regressed", "improved")]

    def items(self) -> Iterator[Markup]:
        """Yield each case as HTML, in the order of the list."""
        draw = templates().get_template("case.html").render
        wanted = {row["place"] for i, row in enumerate(self.rows) if i < MOST_OPEN or row["id"] == self.worst}
        bodies = {place: line.partition(b"\t")[2] for place, line in enumerate(self.lines) if place in wanted}
        for row in self.rows:
            body = bodies.pop(row["place"], None)
            shown = self._row(row) | (self.case(row, json.loads(body)) if body else {})
            yield Markup(draw(shown))  # noqa: S704 - escaped by the template

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        scored, delta = row["status"] == "scored", row["delta"]
        word = row["move"] if scored else words_of(row["status"])
        points = numbers.points(delta) if scored and delta is not None else ""
        told = (word, row["zone"] and f"{row['zone']} zone", points and f"{points} points")
        return {
            "row": row,
            "is": " ".join(each.name for each in FILTERS if each.has(row)),
            "tone_of_row": TONES.get(row["move"], "even") if scored else "bad",
            "edge": ZONES[row["zone"]].tone if row["zone"] else "even",
            "value": "–" if row["value"] is None else numbers.bare(row["value"]),
            "moved": points or word,
            "told": ", ".join(filter(None, told)),
            "open": row["id"] == self.worst,
        }

    def case(self, row: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the template shows of an open case."""
        longest = max((len(text) for _, text in body["texts"]), default=0)
        short = [(words_of(name), text) for name, text in body["texts"] if len(text) < min(SHORT, longest)]
        long = [(words_of(name), cut(text)) for name, text in body["texts"] if len(text) >= min(SHORT, longest)]
        return {
            "body": body,
            "tone_of_move": TONES.get(row["move"], "even"),
            "resting": self.resting.get(row["id"]),
            "moves": blocks_html(self._moves(row, body)),
            "fields": dict(short),
            "texts": [
                (name if len(body["texts"]) > 1 + len(short) else "", _pieces(body, text)) for name, text in long
            ],
            "sections": list(sections(body)),
            "missed": list(missed(body)),
            "stands": _finder([text for _, text in body["texts"]] if body["marked"] else []),
        }

    def _moves(self, row: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[Block]:
        change = CaseChange(row["id"], row["move"], 0.0, gained=body.get("gained", {}), lost=body.get("lost", {}))
        moved: list[Text] = [
            Span(f"{arrow(flip.good)} {flip.text()}", "good" if flip.good else "bad") for flip in flips(change)
        ]
        if body.get("note"):
            moved.append(body["note"])
        if moved:
            yield from (Title("What changed", 6), Items(moved))
        companions = {metric.key for metric in self.kind.metrics if metric.companion}
        if main := [each for each in body["metrics"] if each[0] not in companions]:
            yield self._figures(main)
        if beside := [each for each in body["metrics"] if each[0] in companions]:
            yield Fold("Companions", [self._figures(beside)])

    def _figures(self, figures: Sequence[Sequence[Any]]) -> Table:
        known, rows = {metric.key: metric for metric in self.kind.metrics}, []
        for name, value, delta, zone in figures:
            metric, good = known[name], better(known[name], delta)
            before = "–" if delta is None else numbers.percent(max(0.0, value - delta))
            tone: Tone = "plain" if good is None else "good" if good else "bad"
            moved = "" if delta is None else Span(numbers.points(delta), tone)
            title: Text = strong(metric.title) if name == self.kind.primary else metric.title
            rows.append([title, before, numbers.percent(value), moved, ZONES[zone] if zone else ""])
        return Table(("metric", "before", "now", "points", "zone"), rows, "lrrrl")


def case_list(run: Run, worst: str | None) -> CaseList:
    """Return the list of a run's cases; `worst` is open at first, or the first one."""
    higher = run.suite.kind.primary_metric.higher_is_better
    rows = [json.loads(line.partition(b"\t")[0]) | {"place": place} for place, line in enumerate(run.details)]

    def order(row: Mapping[str, Any]) -> tuple[float, ...]:
        first = (row["status"] == "failed", row["id"] == worst, row["move"] == "broke", True).index(True)
        value = row["value"] or 0.0
        return first, -abs(row["delta"] or 0.0), value if higher else -value

    rows.sort(key=order)
    resting = {entry.case_id: entry.until for entry in run.quarantine.active}
    return CaseList(run.suite.kind, rows, run.details, worst or (rows[0]["id"] if rows else ""), resting)


def _pieces(body: Mapping[str, Any], text: str) -> list[tuple[str, list[Piece]]]:
    """Return a text as marked for this answer and, if there is another, for the baseline's."""
    if not body["marked"]:
        return [("Now", list(marked(text, [], [])))]
    words = folded(text)
    return [
        (name, list(marked(text, *marks_of(body[side], body["aliases"], words))))
        for name, side in (("Now", "now"), ("Baseline", "before"))
        if side == "now" or body[side]
    ]


def _finder(texts: Sequence[str]) -> Callable[[str], str]:
    """Return what gives the key of a name that stands in the texts, and an empty one for another."""
    all_words = "".join(map(folded, map(cut, texts)))
    return lambda name: key(name) if positions(all_words, name) else ""


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
