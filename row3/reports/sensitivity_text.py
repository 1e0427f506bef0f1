"""How small a drop a comparison of this size and spread detects: under every comparison, and at the head of a plan."""

from __future__ import annotations

from row3.gate.power import Sensitivity
from row3.reports import numbers


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
    repeats = seen.needs_repeats.count or 0
    ways = [numbers.count(seen.needs_cases.count, "case")] if seen.needs_cases.count else []
    ways += [numbers.count(repeats, "repeat")] if repeats > seen.variance.repeats else []
    more = f"; {' or '.join(ways) or 'no number of cases'} would detect {100 * seen.wanted:.3g}"
    if seen.sees is None or seen.sees > 1.0:
        return f"{title}: {who} with this much spread are too few to detect any {what} reliably{more}."
    more = "" if seen.sees <= seen.wanted else more
    return f"{title}: {who} with this much spread detect a {what} of {points(seen.sees)} points{more}."


def asked(seen: Sensitivity) -> str:
    """Return `15 cases`, `15 cases asked 3 times`."""
    return numbers.count(seen.variance.cases, "case") + times(seen.variance.repeats)


def times(repeats: float) -> str:
    """Return ` asked 3 times`, empty for once; for sides that were asked differently often, their harmonic mean."""
    whole = abs(repeats - round(repeats)) < 1e-9
    return "" if repeats <= 1.0 else f" asked {'' if whole else 'about '}{repeats:.3g} times"


def points(drop: float) -> str:
    """Return a drop in percentage points with one decimal, or more for tiny ones; `>100` beyond what is possible."""
    shown = 100 * drop
    return ">100" if drop > 1.0 else f"{shown:.1f}" if shown >= 0.05 else f"{shown:.1g}"
