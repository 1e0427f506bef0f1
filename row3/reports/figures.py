"""Cost, tokens and latency of a comparison, in words and as rows of a table."""

from __future__ import annotations

import math

from row3.domain import numbers
from row3.domain.judgements import Reason
from row3.domain.verdicts import Verdict
from row3.domain.words import part
from row3.gate.figures import FigureChange
from row3.reports.document import Span, Text, Tone
from row3.reports.spans import TONES
from row3.reports.style import VERDICT_MARKS, arrow

TITLES = {"cost": "Cost per case", "tokens": "Tokens per case", "latency": "Latency per case"}


def cells_of(change: FigureChange) -> tuple[str, str, str, str]:
    """Return a figure's title, both values, and the rise in per cent: `+20%`."""
    rise = "from 0" if math.isinf(change.rise) else numbers.per_cent(change.rise)
    return TITLES[change.key], _value(change.before, change.unit), _value(change.now, change.unit), rise


def _value(value: float, unit: str) -> str:
    return numbers.money(value) if unit == "USD" else numbers.seconds(value) if unit == "s" else f"{value:,.0f}"


def figure_row(change: FigureChange, gate: Verdict | None, compared: int, *, verbose: bool) -> list[Text]:
    """Return the row of a figure in the table of the metrics; `gate` is the verdict on it, if it has a limit."""
    title, before, now, rise = cells_of(change)
    title += f" ({part(change.cases, compared, 'case')})" if change.cases < compared else ""
    tone: Tone = "plain" if gate is None else "bad"
    moved: Text = Span(f"{rise} {arrow(change.rise < 0)}", tone) if change.rise else rise
    mark: Text = "" if gate is None else Span(VERDICT_MARKS[gate], TONES[gate])
    return [title, before, now, moved, "–", *(["–"] if verbose else []), "", mark]


def figure_text(reason: Reason) -> str:
    """Return the sentence of a figure that rose beyond its limit."""
    found = reason.figures
    title, before, now, rise = cells_of(FigureChange(reason.subject, found["before"], found["after"], 0))
    return f"{title} went from {before} to {now} ({rise}, limit {found['limit']:g}%)"
