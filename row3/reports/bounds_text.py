"""How often the forbidden may still happen: an exact bound beside every rate of canaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from row3.gate.exact import upper_bound
from row3.gate.results import Run
from row3.metrics.aggregate import Seen
from row3.reports import numbers

LEVEL = 0.95
FORBIDDEN = {"hallucinationRate": "canaries", "forbiddenRelationshipRate": "forbidden relationships"}


def bounds_lines(run: Run) -> list[str]:
    """Return `canaries in 0 of 15 cases: at most 18.1% of cases have any, at 95%`; without a bound where all have some.

    Cases are counted and not items, and sources where cases share one: neither items nor such cases are independent.
    """
    lines = []
    for key, found in _seen(run).items():
        line = f"{FORBIDDEN[key]} in {found.seen:,} of {numbers.count(found.cases, 'case')}"
        if found.units != found.cases:
            line += f" ({found.units_seen:,} of {numbers.count(found.units, 'source')})"
        if found.units_seen < found.units:
            unit = "cases" if found.units == found.cases else "sources"
            line += f": at most {numbers.percent(_upper(found))} of {unit} have any, at {100 * LEVEL:.0f}%"
        lines.append(line)
    return lines


def bounds_json(run: Run) -> dict[str, Any]:
    """Return the same as plain values."""
    return {
        key: {
            "seenIn": found.seen,
            "cases": found.cases,
            **({} if found.units == found.cases else {"sources": found.units}),
            "upper95": _upper(found),
        }
        for key, found in _seen(run).items()
    }


def _seen(run: Run) -> Mapping[str, Seen]:
    seen = run.seen_in
    return {key: seen[key] for key in FORBIDDEN if key in seen and seen[key].cases}


def _upper(found: Seen) -> float:
    return upper_bound(found.units_seen, found.units, LEVEL)
