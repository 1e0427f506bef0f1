"""Cost, tokens and latency of a comparison, in words and as rows of a table."""

from __future__ import annotations

import math
from typing import NamedTuple

from row3.domain import numbers
from row3.domain.judgements import Reason
from row3.domain.verdicts import Verdict
from row3.gate.figures import FigureChange
from row3.reports.document import Span, Text
from row3.reports.style import VERDICT_MARKS, arrow
from row3.reports.verdict_text import TONES

TITLES = {"cost": "Cost per case", "tokens": "Tokens per case", "latency": "Latency per case"}


class Cells(NamedTuple):
    """A figure for people."""

    title: str
    before: str
    now: str
    rise: str
    """In per cent: `+20%`."""


def cells_of(change: FigureChange) -> Cells:
    """Return a figure's title, values and rise."""
    rise = "from 0" if math.isinf(change.rise) else numbers.per_cent(change.rise)
    return Cells(TITLES[change.key], _value(change.before, change.unit), _value(change.now, change.unit), rise)


def _value(value: float, unit: str) -> str:
    return numbers.money(value) if unit == "USD" else numbers.seconds(value) if unit == "s" else f"{value:,.0f}"


def figure_row(change: FigureChange, gate: Verdict | None, *, verbose: bool) -> list[Text]:
    """Return the row of a figure in the table of the metrics; `gate` is the verdict on it, if it has a limit."""
    cells = cells_of(change)
    moved: Text = cells.rise
    if change.rise:
        moved = Span(f"{cells.rise} {arrow(change.rise < 0)}", "plain" if gate is None else "bad")
    mark: Text = "" if gate is None else Span(VERDICT_MARKS[gate], TONES[gate])
    return [cells.title, cells.before, cells.now, moved, "–", *(["–"] if verbose else []), "", mark]


def figure_text(reason: Reason) -> str:
    """Return the sentence of a figure that rose beyond its limit."""
    found = reason.figures
    cells = cells_of(FigureChange(reason.subject, found["before"], found["after"], 0))
    return f"{cells.title} went from {cells.before} to {cells.now} ({cells.rise}, limit {found['limit']:g}%)"
