"""How often the forbidden may still happen: an exact bound beside every rate of canaries."""

from __future__ import annotations

from row3.gate.exact import upper_bound
from row3.reports import numbers
from row3.reports.model import RunView

LEVEL = 0.95
FORBIDDEN = {"hallucinationRate": "canaries", "forbiddenRelationshipRate": "forbidden relationships"}


def bounds(run: RunView) -> dict[str, tuple[int, int, float]]:
    """By metric: cases that had any, cases, and the exact one-sided 95 % bound of the share of cases that would.

    Cases and not items, since the items of one answer are not independent.
    """
    seen = run.collected.seen_in
    return {key: (*seen[key], upper_bound(*seen[key], LEVEL)) for key in FORBIDDEN if seen.get(key, (0, 0))[1]}


def bounds_lines(run: RunView) -> list[str]:
    """`canaries in 0 of 15 cases: at most 18.1% of cases have any, at 95%`; no bound where all have some."""
    return [
        f"{FORBIDDEN[key]} in {seen:,} of {numbers.count(cases, 'case')}"
        + (f": at most {numbers.percent(upper)} of cases have any, at 95%" if seen < cases else "")
        for key, (seen, cases, upper) in bounds(run).items()
    ]
