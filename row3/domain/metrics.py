"""Metrics: key, direction and zones (STANDARDS, section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


class Zone(IntEnum):
    """A metric's zone; ordered, so that the worst of several is `min`."""

    FAIL, MARGINAL, PASS, EXCELLENT = range(4)

    @property
    def word(self) -> str:
        """The zone's name in files and output."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Threshold:
    """The limits of a metric's zones; fractions in [0, 1].

    If higher is better: below `minimum` fails, from `target` passes, from `excellent` is excellent.
    If lower is better: above `minimum` fails, up to `target` passes, up to `excellent` is excellent.
    """

    minimum: float
    target: float
    excellent: float
    blocking: bool = True
    """Whether the fail zone blocks; otherwise it only warns."""
    held: bool = False
    """Whether it only warns because its judge is not calibrated."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that a kind computes for a case."""

    key: str
    title: str
    higher_is_better: bool = True
    threshold: Threshold | None = None
    weight: float = 0.0
    """Weight in the composite; negative for a penalty."""
    companion: bool = False
    """Shown next to the headline metrics; the worst verdict it can cause is investigate."""
    blocking: bool = True
    """Can block a change by itself, unless it is a companion; otherwise its fail zone only warns."""
    share: bool = False
    """A single run shows its interval as for a share of the cases, so not for grades, which vary less."""
    optional: bool = False
    """Applies only to cases with the data it needs; not shown if no case of a run has them."""
    alarm: bool = False
    """Any value above 0 needs a look: answers contain what the golden cases forbid."""
    explained_by: str = ""
    """Key of the companion that says how far the labels let this one rise; shown where it fails."""
    also: str = ""
    """Name in EXPERIMENTS or V7, accepted for limits and included in results."""

    def drop(self, before: float, after: float) -> float:
        """Return how much worse the value after is, a fraction; negative if it is better."""
        return before - after if self.higher_is_better else after - before


def by_other_names(metrics: Iterable[Metric], values: Mapping[str, float]) -> dict[str, float]:
    """Return the values by the metrics' other names; empty unless one of these metrics is optional."""
    named = [metric for metric in metrics if metric.also and metric.key in values]
    return {each.also: values[each.key] for each in named} if any(each.optional for each in named) else {}


SLACK = 1e-9
"""Tolerance of comparisons with a limit: in binary, 0.25 + 3 · 0.2 is not exactly 0.85."""


def zone_of(value: float, threshold: Threshold, *, higher_is_better: bool) -> Zone:
    """Return the zone of a value in [0, 1]."""
    sign = 1.0 if higher_is_better else -1.0
    worth = sign * value + SLACK
    # With `not`, NaN fails too.
    if not worth >= sign * threshold.minimum:
        return Zone.FAIL
    if worth < sign * threshold.target:
        return Zone.MARGINAL
    return Zone.PASS if worth < sign * threshold.excellent else Zone.EXCELLENT


def warning_only(thresholds: Mapping[str, Threshold]) -> frozenset[str]:
    """Return the metrics whose fail zone warns instead of blocking."""
    return frozenset(key for key, threshold in thresholds.items() if not threshold.blocking)


def zones_of(
    values: Mapping[str, float], metrics: Sequence[Metric], thresholds: Mapping[str, Threshold]
) -> dict[str, Zone]:
    """Return the zone of every metric that has thresholds."""
    return {
        metric.key: zone_of(values[metric.key], thresholds[metric.key], higher_is_better=metric.higher_is_better)
        for metric in metrics
        if metric.key in values and metric.key in thresholds
    }
