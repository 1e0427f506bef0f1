"""How small a drop a comparison of this size and spread detects: under every comparison, and at the head of a plan."""

from __future__ import annotations

from row3.gate.power import Needed, Sensitivity
from row3.reports import numbers

BEYOND = ">100"
"""Points that no metric can fall."""


def sensitivity_sentence(seen: Sensitivity | None, title: str, *, what: str = "drop") -> str:
    """Return what the cases detect: `Overall: 15 cases with this much spread detect a drop of 7.3 points; 9 would …`.

    Args:
        seen: None with fewer than two independent cases.
        title: of the metric.
        what: `drop`, or `rise` where lower is better.
    """
    if seen is None:
        return f"{title}: how small a {what} is detected is unknown, as it takes two independent cases."
    who = asked(seen)
    if seen.sees is None and seen.needs_cases.why == "unknown":
        return f"{title}: how small a {what} {who} detect is unknown, as no case moved."
    if seen.sees is None or not possible(seen.sees):
        return f"{title}: {who} with this much spread are too few to detect any {what} reliably{_more(seen)}."
    return f"{title}: {who} with this much spread detect a {what} of {points(seen.sees)} points{_more(seen)}."


def _more(seen: Sensitivity) -> str:
    """Return what it takes to detect the wanted drop, where that is more than there is."""
    if seen.sees is not None and seen.sees <= seen.wanted:
        return ""
    wish = f"{100 * seen.wanted:.3g}"
    ways = [text for text in (_cases(seen.needs_cases), _repeats(seen.needs_repeats, seen.variance.repeats)) if text]
    if ways:
        return f"; {' or '.join(ways)} would detect {wish}"
    return f"; no number of cases is sure to detect {wish}" if seen.needs_cases.why == "never" else ""


def asked(seen: Sensitivity) -> str:
    """Return `15 cases`, `15 cases asked 3 times`."""
    return numbers.count(seen.variance.cases, "case") + times(seen.variance.repeats)


def times(repeats: float) -> str:
    """Return ` asked 3 times`, empty for once; for sides that were asked differently often, their harmonic mean."""
    whole = abs(repeats - round(repeats)) < 1e-9
    return "" if repeats <= 1.0 else f" asked {'' if whole else 'about '}{repeats:.3g} times"


def possible(drop: float) -> bool:
    """Return whether a metric can fall that far: all lie between 0 and 100 %."""
    return drop <= 1.0


def points(drop: float) -> str:
    """Return a drop in percentage points with one decimal, or more for tiny ones; `>100` beyond what is possible."""
    if not possible(drop):
        return BEYOND
    shown = 100 * drop
    return f"{shown:.1f}" if shown >= 0.05 else f"{shown:.1g}"


def _cases(needed: Needed) -> str:
    return "" if needed.count is None else numbers.count(needed.count, "case")


def _repeats(needed: Needed, now: float) -> str:
    """Return the repeats only where more than now are needed."""
    return "" if needed.count is None or needed.count <= now else numbers.count(needed.count, "repeat")
