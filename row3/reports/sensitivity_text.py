"""What a comparison of this size and spread can see: under every comparison, and at the head of `row3 power`."""

from __future__ import annotations

from row3.gate.power import Needed
from row3.gate.sensitivity import Sensitivity
from row3.reports import numbers

UNKNOWN = "How small a drop can be seen is unknown"
BEYOND = ">100"
"""Points that no metric can fall."""


def sensitivity_sentence(seen: Sensitivity | None, *, what: str = "drops", verb: str = "") -> str:
    """`With 15 cases this suite sees drops of 4.0 points or more where they differ as unevenly as here; to see 2 …`

    The spread is that of one pair of runs: another change of the same suite may hit its cases more evenly, or less.

    Args:
        seen: None with fewer than two independent cases.
        what: the thing that is seen, `drops of Concept recall`.
        verb: `see` or `block`; by default what the gate's policy makes of it.
    """
    if seen is None:
        return f"{UNKNOWN}: fewer than two independent cases say nothing of the spread."
    if seen.sees is None:
        return f"{UNKNOWN}: the {asked(seen)} all moved alike, and no spread is no promise."
    verb = verb or ("block" if seen.blocks else "see")
    size = f"{points(seen.sees)} points or more"
    first = f"With {asked(seen)} this suite {verb}s {what} of {size} where they differ as unevenly as here"
    if not possible(seen.sees):
        first = f"{asked(seen)[:1].upper()}{asked(seen)[1:]} are too few to say which {what} this suite {verb}s"
    return f"{first}; {_wanted(seen, verb)}."


def _wanted(seen: Sensitivity, verb: str) -> str:
    wish = f"{100 * seen.wanted:.3g}"
    cases, repeats = seen.needs_cases, seen.needs_repeats
    if seen.sees is not None and seen.sees <= seen.wanted and cases.count is None:
        return f"so it {verb}s {wish}"
    ways = [text for text in (_cases(cases), _repeats(repeats, seen.repeats)) if text]
    if ways:
        return f"to {verb} {wish} you need {' or '.join(ways)}"
    if cases.why == "never":
        return f"no number of cases is sure to {verb} {wish}"
    return f"what it takes to {verb} {wish} is unknown"


def asked(seen: Sensitivity) -> str:
    """`15 cases`, `15 cases asked 3 times`."""
    return numbers.count(seen.cases, "case") + times(seen.repeats)


def times(repeats: float) -> str:
    """` asked 3 times`; nothing of once. Of sides that were asked differently often it is their harmonic mean."""
    whole = abs(repeats - round(repeats)) < 1e-9
    return "" if repeats <= 1.0 else f" asked {'' if whole else 'about '}{repeats:.3g} times"


def possible(drop: float) -> bool:
    """Whether a metric can fall that far: all of them lie between 0 and 100 %."""
    return drop <= 1.0


def points(drop: float) -> str:
    """A drop in percentage points, with one decimal; what is nearly nothing keeps the digits that matter.

    More than a metric can fall is no drop that is ever seen: `>100`.
    """
    if not possible(drop):
        return BEYOND
    shown = 100 * drop
    return f"{shown:.1f}" if shown >= 0.05 else f"{shown:.1g}"


def _cases(needed: Needed) -> str:
    return "" if needed.count is None else numbers.count(needed.count, "case")


def _repeats(needed: Needed, now: float) -> str:
    """Only where more than now are needed: what is there already is nothing to buy."""
    return "" if needed.count is None or needed.count <= now else numbers.count(needed.count, "repeat")
