"""Production figures with their targets, and the conditions that raise alerts (STANDARDS §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from row3.domain.numbers import compact, money, percent
from row3.domain.words import count
from row3.integrations.monitoring.records import moment
from row3.integrations.monitoring.tables import BINS, Totals
from row3.reports.document import Block, Document, Note, Span, Table, Text

SCHEMA_VERSION = 1
"""Of the JSON of the figures."""
NOTHING = "–"
Unit = Literal["", "%", "ms", "USD", "of 5", "per minute"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: how it follows from totals, and its target."""

    key: str
    name: str
    unit: Unit
    """With `%`, values are fractions of 1."""
    of: str
    """Field of `Totals` to show or to divide."""
    by: str = ""
    """Field to divide by."""
    n: str = ""
    """Field with the number of observations; default: `by`."""
    low: float | None = None
    """Lower end of the target."""
    high: float | None = None
    """Upper end of the target."""
    closed: bool = False
    """Whether `low` and `high` themselves meet the target."""

    def value(self, totals: Totals) -> float | None:
        """Return the figure; None without observations."""
        value: float | None = getattr(totals, self.of)
        if not self.by or value is None:
            return value
        return value / divisor if (divisor := getattr(totals, self.by)) else None

    def count(self, totals: Totals) -> int:
        """Return the number of observations behind the value."""
        return int(getattr(totals, self.n or self.by))

    def met(self, value: float | None) -> bool | None:
        """Return whether a value meets the target; None without value or target."""
        if value is None or (self.low is None and self.high is None):
            return None
        if self.closed and value in (self.low, self.high):
            return True
        return (self.low is None or value > self.low) and (self.high is None or value < self.high)


FIGURES = (
    Figure("concepts", "Concepts per topic", "", "concepts", "answered", low=15, high=30, closed=True),
    Figure("relationships", "Relationships per topic", "", "relationships", "answered", low=30, high=60, closed=True),
    Figure("confidence", "Average confidence", "", "confidence_sum", "confidences", low=0.75),
    Figure("latency", "Average latency", "ms", "latency_sum", "timed", high=3000),
    Figure("latencyP50", "Latency p50", "ms", "latency_p50", n="timed"),
    Figure("latencyP95", "Latency p95", "ms", "latency_p95", n="timed"),
    Figure("latencyP99", "Latency p99", "ms", "latency_p99", n="timed"),
    Figure("cost", "Average cost", "USD", "cost_sum", "priced", high=0.05),
    Figure("errors", "Error rate", "%", "errors", "requests"),
    Figure("requests", "Requests", "per minute", "per_minute", n="requests"),
    Figure("acceptable", "Acceptable to experts", "%", "acceptable", "ratings", low=0.80),
    Figure("feedback", "User feedback", "of 5", "score_sum", "scores", low=4.0),
    Figure("verified", "Quotes verified", "%", "verified", "quotes", low=0.95),
    Figure("quoted", "Concepts with a quote", "%", "quotes", "measured_concepts"),
    Figure("ungrounded", "Concepts not in the text", "%", "ungrounded", "measured_concepts"),
    Figure("hallucination", "Canaries of the domain", "%", "canaries", "watched_concepts"),
)
"""In the order of STANDARDS §7.1 and §7.2, with row3's own in between."""
FIGURE = {figure.key: figure for figure in FIGURES}


@dataclass(frozen=True, slots=True)
class Condition:
    """When a figure raises an alert."""

    figure: str
    """Key of the figure; also the name of the condition."""
    severity: Literal["warning", "critical"]
    action: str
    threshold: float
    records: str
    """Field of `Totals` with the number of records behind the figure."""
    below: bool = False
    """Whether values below the threshold raise the alert; otherwise those above."""


CONDITIONS = (
    Condition("confidence", "warning", "Investigate prompt drift", 0.7, "answered", below=True),
    Condition("hallucination", "critical", "Pause deployments, investigate", 0.02, "watched"),
    Condition("latency", "warning", "Check API performance", 5000, "timed"),
    Condition("cost", "warning", "Review token usage", 0.10, "priced"),
    Condition("concepts", "warning", "Check extraction completeness", 10, "answered", below=True),
    Condition("errors", "critical", "Check API availability", 0.01, "requests"),
)
"""The conditions of STANDARDS §7.3."""


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
