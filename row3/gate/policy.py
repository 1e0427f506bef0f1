"""What a suite's gate holds to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Limits of the fixed rule (STANDARDS 2, 4.3 and 5.2)."""

    unit: Literal["points", "relative"] = "points"
    block: float = 5.0
    """Worse by more than this blocks; percentage points, or per cent of the baseline."""
    investigate: float = 1.0
    """Worse by at least this is to be investigated."""
    metrics: tuple[str, ...] = ()
    """Metrics whose zones and moves can block."""
    declines: int = 3
    """Consecutive declining runs from which on they are announced."""
