"""A live comparison's rounds and provider drift, in sentences and as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.domain import numbers
from row3.domain.counts import part
from row3.domain.metrics import Metric
from row3.gate.adaptive import Progress
from row3.gate.drift import Drift, other_moves
from row3.gate.results import Comparison
from row3.reports.json_fields import json_fields

SHOWN = 3
"""Metrics that a line names after the primary one."""
MOVED = {
    "moved": "have moved since the baseline",
    "steady": "have not moved since the baseline",
    "open": "have not moved significantly since the baseline",
}


def drift_line(drift: Drift, metrics: Sequence[Metric]) -> str:
    """Return how far the answers to the baseline's prompts have moved since it was saved."""
    change = drift.change
    if change is None or change.delta is None:
        return "unknown whether answers moved since the baseline: no case could be compared"
    titles = {metric.key: metric.title for metric in metrics}
    beside = [f"{titles.get(key, key)} {numbers.points(delta)}" for key, delta in other_moves(drift).items()][:SHOWN]
    listed = ", ".join([f"{drift.about.title} {drift_move_text(drift)}", *beside])
    same = f"{part(drift.same, drift.cases, 'case')} word for word as before"
    return f"answers {MOVED[drift.state]}: {listed}; {same}{detection_text(drift)}"


def drift_move_text(drift: Drift) -> str:
    """Return `−6.1 points (95%: −8.0…−4.2)`; `unknown` if no case could be compared."""
    change = drift.change
    if change is None or change.delta is None:
        return "unknown"
    known = change.interval
    span = "" if known is None else f" (95%: {numbers.interval(known.low, known.high)})"
    return f"{numbers.points(change.delta)} points{span}"


def detection_text(drift: Drift) -> str:
    """Return the smallest move that would be noticed: ` (detects 3.2 points or more)`."""
    if drift.state == "moved" or drift.smallest_drop is None:
        return ""
    if drift.smallest_drop >= 1.0:
        return f" ({numbers.count(drift.cases, 'case is', 'cases are')} too few to detect any)"
    return f" (detects {numbers.points(drift.smallest_drop).lstrip('+')} points or more)"


def rounds_line(progress: Progress) -> str:
    """Return how many rounds were asked, and why no more."""
    why = {
        "loss": "a loss beyond the limit is shown",
        "within": "a loss beyond the limit is ruled out",
        "steady": f"none of {numbers.count(progress.repeated, 'repeated answer')} differed",
        "few": f"{numbers.count(progress.cases, 'case is', 'cases are')} too few to rule out a loss",
        "open": "a loss beyond the limit is neither shown nor ruled out",
    }
    text = f"{progress.rounds} of at most {progress.most}"
    if progress.stop is None:
        return text
    needs = "" if progress.needs is None else f", about {progress.needs} would do"
    return f"{text}: {why[progress.stop]}{needs}"


def live_json(comparison: Comparison) -> dict[str, Any]:
    """Return how a comparison was asked; empty if it asked nothing."""
    value: dict[str, Any] = {}
    if comparison.interleaved:
        value["interleaved"] = True
    if (drift := comparison.drift) is not None:
        value["drift"] = drift_json(drift)
    if (progress := comparison.adaptive) is not None:
        value["adaptive"] = {
            **json_fields(progress, "rounds", "cases", "stop", "repeated", "changed"),
            "maxRounds": progress.most,
            "meanDifference": progress.mean,
            "capitalLoss": min(progress.loss, 1e300),
            "capitalWithin": min(progress.within, 1e300),
            "casesNeeded": progress.needs,
        }
    return value


def drift_json(drift: Drift) -> dict[str, Any]:
    """Return each metric then, now and the difference; fractions."""
    return {
        "state": drift.state,
        "metric": drift.about.key,
        "cases": drift.cases,
        "same": drift.same,
        "smallestDrop": drift.smallest_drop,
        "metrics": {
            change.key: {
                "baseline": change.baseline,
                "now": change.current,
                "delta": change.delta,
                "interval": None
                if (known := change.interval) is None
                else {"low": known.low, "high": known.high, "level": known.level, "pValue": known.p_value},
            }
            for change in drift.metrics
            if change.delta is not None
        },
    }
