"""What a suite's gate holds to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ALPHA = 0.025
"""One-sided: a 95 % interval lies wholly on one side of a limit by chance this often."""


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Limits of the gate (STANDARDS 2, 4.3 and 5.2) and how noise is dealt with."""

    unit: Literal["points", "relative"] = "points"
    block: float = 5.0
    """Worse by more than this blocks; percentage points, or per cent of the baseline."""
    investigate: float = 1.0
    """Worse by at least this is to be investigated."""
    metrics: tuple[str, ...] = ()
    """Metrics whose zones and moves can block."""
    declines: int = 3
    """Consecutive declining runs from which on they are announced."""
    policy: Literal["fixed", "paired"] = "fixed"
    """`fixed` takes the means as they are; `paired` blocks on what the interval shows and names what it cannot show."""
    inconclusive: Literal["investigate", "block"] = "investigate"
    """What `paired` says where neither a loss beyond the limit nor its absence is shown."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits of single metrics, in place of `block`."""
    informational: bool = False
    """Reports and never blocks."""

    def limit(self, key: str) -> float:
        """How much worse a metric may be, in the gate's unit."""
        return self.limits.get(key, self.block)
