"""What optimising a prompt came to."""

from __future__ import annotations

from dataclasses import dataclass

from row3.domain.changes import Interval
from row3.domain.metrics import Metric
from row3.domain.prompts import PromptRef


@dataclass(frozen=True, slots=True)
class Evidence:
    """The primary metric of the old and the new prompt on the same cases."""

    before: float
    after: float
    cases: int
    interval: Interval | None = None
    """Of the paired difference at 95%; None with fewer than two independent cases."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """The draft, how it was chosen, and what cases say that had no part in it."""

    suite: str
    metric: Metric
    source: PromptRef
    draft: PromptRef | None
    """None where nothing was better."""
    asked: int
    budget: int
    train: int
    """Cases that gave feedback."""
    selection: Evidence
    held_out: Evidence | None
    """None without a draft."""
