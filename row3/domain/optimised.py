"""The result of optimising a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from row3.domain.changes import Interval
from row3.domain.metrics import Metric
from row3.domain.prompts import PromptRef


@dataclass(frozen=True, slots=True)
class Evidence:
    """The old and the new prompt's primary metric on the same cases."""

    before: float
    after: float
    cases: int
    interval: Interval | None = None
    """95 % interval of the paired difference; None with fewer than two independent cases."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """The draft, with its scores on the selection cases and on held-out cases."""

    suite: str
    metric: Metric
    source: PromptRef
    draft: PromptRef | None
    """None if no variant was better."""
    asked: int
    budget: int
    train: int
    """Number of cases that gave feedback."""
    selection: Evidence
    held_out: Evidence | None
