"""Figures and the result of an ingest, as documents and as JSON."""

from __future__ import annotations

from typing import Any

from row3.domain.counts import count
from row3.domain.numbers import compact, money, percent
from row3.integrations.monitoring.figures import FIGURES, Figure
from row3.integrations.monitoring.ingest import Ingested
from row3.integrations.monitoring.records import moment
from row3.integrations.monitoring.tables import BINS
from row3.integrations.monitoring.totals import Totals
from row3.reports.document import Block, Document, Note, Span, Table, Text

SCHEMA_VERSION = 1
"""Of the JSON of the figures."""
NOTHING = "–"


def value_text(figure: Figure, value: float | None) -> str:
    """Return a figure's value with its unit."""
    if value is None:
        return NOTHING
    match figure.unit:
        case "%":
            return percent(value, limits=[each for each in (figure.low, figure.high) if each is not None])
        case "USD":
            return money(value)
        case "ms":
            return f"{value:,.0f} ms"
        case "":
            return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
        case unit:
            return f"{value:,.2f} {unit}"


def target_text(figure: Figure) -> str:
    """Return a figure's target: `15–30`, `> 80%`, `< 3,000 ms`."""
    low, high = figure.low, figure.high
    if low is not None and high is not None:
        return f"{low:g}–{high:g}"
    limit = low if high is None else high
    if limit is None:
        return NOTHING
    text = {"%": compact(limit), "USD": f"${limit:.2f}", "ms": f"{limit:,g} ms"}.get(figure.unit, f"{limit:g}")
    return f"{'>' if high is None else '<'} {text}"


def figures_document(totals: Totals) -> Document:
    """Return every figure with its target, and the distribution of confidence."""
    if totals.first_ms is None or totals.last_ms is None:
        return Document([Note(["Production · no records in this period"])])
    span = f"{moment(totals.first_ms)} to {moment(totals.last_ms)}"
    head = f"Production · {count(totals.requests, 'record')} · {span}"
    marks: dict[bool | None, Text] = {True: Span("met", "good"), False: Span("missed", "bad"), None: ""}
    rows: list[list[Text]] = []
    for figure in FIGURES:
        value, n = figure.value(totals), figure.count(totals)
        rows.append([figure.name, value_text(figure, value), target_text(figure), marks[figure.met(value)], f"{n:,}"])
    bins = [
        [f"{place / BINS:.1f}–{(place + 1) / BINS:.1f}", f"{number:,}", percent(number / totals.confidences)]
        for place, number in enumerate(totals.distribution)
        if number
    ]
    blocks: list[Block] = [Note([head]), Table(("figure", "value", "target", "", "n"), rows, "lrrlr")]
    return Document([*blocks, *([Table(("confidence", "concepts", "share"), bins, "lrr")] if bins else [])])


def figures_json(totals: Totals) -> dict[str, Any]:
    """Return the figures as JSON; rates are fractions of 1, times RFC 3339."""
    figures = [
        {
            "figure": figure.key,
            "unit": figure.unit,
            "value": (value := figure.value(totals)),
            "low": figure.low,
            "high": figure.high,
            "met": figure.met(value),
            "n": figure.count(totals),
        }
        for figure in FIGURES
    ]
    return {
        "schemaVersion": SCHEMA_VERSION,
        "figures": figures,
        "records": totals.requests,
        "from": None if totals.first_ms is None else moment(totals.first_ms),
        "to": None if totals.last_ms is None else moment(totals.last_ms),
        "confidence": list(totals.distribution),
    }


def ingested_text(done: Ingested) -> str:
    """Return a line with the number of new and known entries."""
    parts = [f"{count(done.new, 'record')} new", f"{done.known:,} known"]
    if done.opinions or done.known_opinions:
        parts.append(
            f"{count(done.opinions, 'rating or score', 'ratings and scores')} new, {done.known_opinions:,} known"
        )
    return " · ".join(parts)


def ingested_notes(done: Ingested, aside: str) -> list[str]:
    """Return notes on bad lines, conflicts, missing ratings and wrong clocks."""
    notes = list(done.named)
    if done.bad or done.conflicts:
        parts = [count(done.bad, "bad line")] if done.bad else []
        parts += [f"{count(done.conflicts, 'record')} with the id of a different one"] if done.conflicts else []
        notes.append(f"{', '.join(parts)}: kept in {aside}")
    if done.unrated:
        notes.append(f"{count(done.unrated, 'line')} of a sample without a rating: set `acceptable` to true or false")
    if done.unknown:
        notes.append(f"{count(done.unknown, 'rating or score', 'ratings and scores')} kept for records still to come")
    if done.backwards:
        notes.append(f"{count(done.backwards, 'record is', 'records are')} older than the one before")
    if done.future:
        notes.append(f"{count(done.future, 'record is', 'records are')} from the future: check the clock")
    return notes
