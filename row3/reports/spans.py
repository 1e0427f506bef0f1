"""Values with the colour of what they mean: verdicts, zones and moves."""

from __future__ import annotations

from collections.abc import Mapping

from row3.domain import numbers
from row3.domain.judgements import Verdict
from row3.domain.scores import Metric, Zone
from row3.reports.document import Span, Text, Tone
from row3.reports.terminal import MARKS, arrow

TONES: Mapping[Verdict, Tone] = {Verdict.PROCEED: "good", Verdict.INVESTIGATE: "warning", Verdict.BLOCK: "bad"}
ZONE_TONES: Mapping[Zone, Tone] = {
    Zone.FAIL: "bad",
    Zone.MARGINAL: "warning",
    Zone.PASS: "good",
    Zone.EXCELLENT: "excellent",
}


def zone_span(zone: Zone | None) -> Text:
    """Return mark and word of a zone; empty for none."""
    return "" if zone is None else Span(f"{MARKS[zone]} {zone.word}", ZONE_TONES[zone])


def better(metric: Metric, delta: float | None) -> bool | None:
    """Return whether a metric improved; None if it did not move."""
    if delta is None or abs(delta) < numbers.LEAST_MOVE:
        return None
    return (delta > 0) is metric.higher_is_better


def moved_span(metric: Metric, delta: float | None) -> Text:
    """Return `−2.0 ▼`; a dash without a baseline value."""
    if delta is None:
        return "–"
    good = better(metric, delta)
    text = f"{numbers.points(delta)} {arrow(good)}".rstrip()
    return text if good is None or metric.companion else Span(text, "good" if good else "bad")
