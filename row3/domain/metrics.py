"""What a metric is: its key, its direction and its zones (STANDARDS, section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


class Zone(IntEnum):
    """Ordered, so that the worst of many is `min`."""

    FAIL, MARGINAL, PASS, EXCELLENT = range(4)

    @property
    def word(self) -> str:
        """The word of the vocabulary, as files and output spell it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where a metric's zones begin; fractions in [0, 1].

    Where higher is better: below `minimum` fails, from `target` passes, from `excellent` is excellent.
    Where lower is better: above `minimum` fails, up to `target` passes, up to `excellent` is excellent.
    """

    minimum: float
    target: float
    excellent: float
    blocking: bool = True
    """Whether the fail zone blocks; else it only warns."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One number a kind computes for a case."""

    key: str
    title: str
    higher_is_better: bool = True
    threshold: Threshold | None = None
    weight: float = 0.0
    """Its part in the composite; a penalty is negative."""
    companion: bool = False
    """Shown beside the headline metrics; moves the gate to investigate at the most."""
    blocking: bool = True
    """Can block a change by itself, where it is no companion; one that cannot is warned of in its fail zone."""
    share: bool = False
    """A run alone shows its interval as that of a share of the cases; grades, which lie between, vary less."""
    optional: bool = False
    """Only for suites whose cases carry what it needs: where none of a run's does, it is not spoken of."""
    alarm: bool = False
    """Any of it at all is for a person to look at: answers contain what the golden cases forbid."""
    also: str = ""
    """What EXPERIMENTS or V7 calls it, which limits and results take and give too."""


def by_other_names(metrics: Iterable[Metric], values: Mapping[str, float]) -> dict[str, float]:
    """Return the values by the other names of their metrics; empty where no optional one with such a name applies."""
    named = [metric for metric in metrics if metric.also and metric.key in values]
    return {each.also: values[each.key] for each in named} if any(each.optional for each in named) else {}


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
