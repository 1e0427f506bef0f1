"""In which zone a value lies (STANDARDS, section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from row3.domain.metrics import Metric, Threshold, Zone

SLACK = 1e-9
"""Values this close to a limit count as on it: 0.25 + 3 · 0.2 is not exactly 0.85 in binary."""


def zone_of(value: float, threshold: Threshold, *, higher_is_better: bool) -> Zone:
    """The zone of a value; fractions in [0, 1]. Raises nothing."""
    sign = 1.0 if higher_is_better else -1.0
    worth = sign * value + SLACK
    # Written so that NaN, which fails every comparison, fails here too.
    if not worth >= sign * threshold.minimum:
        return Zone.FAIL
    if worth < sign * threshold.target:
        return Zone.MARGINAL
    return Zone.PASS if worth < sign * threshold.excellent else Zone.EXCELLENT


def warning_only(thresholds: Mapping[str, Threshold]) -> frozenset[str]:
    """Metrics whose fail zone warns and does not block."""
    return frozenset(key for key, threshold in thresholds.items() if not threshold.blocking)


def zones_of(
    values: Mapping[str, float], metrics: Sequence[Metric], thresholds: Mapping[str, Threshold]
) -> dict[str, Zone]:
    """The zone of every metric that has thresholds."""
    return {
        metric.key: zone_of(values[metric.key], thresholds[metric.key], higher_is_better=metric.higher_is_better)
        for metric in metrics
        if metric.key in values and metric.key in thresholds
    }
