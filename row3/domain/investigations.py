"""Results of `row3 investigate` for any kind: the metrics of one case, and the items of a case that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from row3.domain.items import ItemExpectation, ItemMatch, Items
from row3.domain.metrics import Metric, Threshold, Zone


@dataclass(frozen=True, slots=True)
class Verification:
    """What the commands that verify a change of this case need."""

    flags: str = ""
    """Options of `row3 --compare`, after a space."""
    prompts: tuple[tuple[str, str], ...] = ()
    """Name and version of each prompt that ran, in pipeline order."""
    promoted: frozenset[str] = frozenset()
    """Names of the prompts that ran in their promoted version."""


class Fall(NamedTuple):
    """How much worse than the baseline a metric is, where that is more than the gate lets a metric lose."""

    worse: float
    """In the gate's unit: percentage points, or per cent of the baseline."""
    limit: float
    """In the same unit."""
    least: float
    """The worst value that is within the limit, a fraction."""
    relative: bool
    """The unit is per cent of the baseline."""
    blocks: bool
    """Whether the gate blocks on this metric; else it is to be investigated."""


class Symptom(NamedTuple):
    """One metric of the case; fractions."""

    metric: Metric
    value: float | None
    """None where it does not apply."""
    zone: Zone | None
    threshold: Threshold | None
    baseline: float | None
    fall: Fall | None = None
    """None where it did not fall, or within the limit."""

    @property
    def failing(self) -> bool:
        """Below its target."""
        return self.zone in (Zone.FAIL, Zone.MARGINAL)


@dataclass(frozen=True, slots=True)
class ItemsInvestigation:
    """What is known of the case."""

    case_id: str
    suite: str
    kind: str
    date: str
    prompts: Mapping[str, str]
    model: str
    status: str
    problem: str
    raw: str
    notes: tuple[str, ...]
    symptoms: tuple[Symptom, ...]
    items: Items
    query: str = ""
    """What was asked; empty where a case has a text."""

    @property
    def missed(self) -> list[ItemExpectation]:
        """What was expected and not found."""
        return [each for each in self.items.expected if each.found_by is None]

    @property
    def wrong(self) -> list[ItemMatch]:
        """What was answered and is not right."""
        return [each for each in self.items.items if each.state not in self.items.correct]

    @property
    def right(self) -> list[ItemMatch]:
        """What was answered and is."""
        return [each for each in self.items.items if each.state in self.items.correct]
