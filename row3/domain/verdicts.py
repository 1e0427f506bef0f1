"""What the gate says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal


class Verdict(IntEnum):
    """Ordered, so that the worst of many is `max`."""

    PROCEED, INVESTIGATE, BLOCK = range(3)

    @property
    def word(self) -> str:
        """The word of the vocabulary, as files and output spell it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Reason:
    """One ground of a verdict."""

    verdict: Verdict
    text: str
    metric: str | None = None
    case_id: str | None = None


CaseMove = Literal["improved", "unchanged", "regressed", "broke", "fixed", "new", "removed", "not comparable", "failed"]


@dataclass(frozen=True, slots=True)
class CaseChange:
    """How one case moved between two runs. Deltas are current minus baseline, fractions."""

    case_id: str
    move: CaseMove
    delta: float
    """Change of `overall`."""
    deltas: Mapping[str, float] = field(default_factory=dict)
    gained: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lost: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By list: `concepts` and `relationships` found in one run only, `extra` what was invented."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class MetricChange:
    """How one aggregate moved; means over the cases that both runs have."""

    key: str
    baseline: float | None
    current: float | None
    delta: float | None
    worse_by: float | None
    """In the gate's unit: percentage points, or per cent of the baseline; negative where it improved."""
    verdict: Verdict
    cases: int
