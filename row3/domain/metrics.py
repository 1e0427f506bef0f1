"""What a metric is: its key, its direction and its zones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
