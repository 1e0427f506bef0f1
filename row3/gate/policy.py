"""The limits of a suite's gate, and how it deals with noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ALPHA = 0.025
"""One-sided error rate of `paired`: a 95 % interval lies wholly beyond a limit by chance this often."""
ALPHA_FALL = 0.05
"""One-sided error rate of `evidence`: a metric that did not fall is taken to have fallen at most this often."""

PolicyName = Literal["evidence", "fixed", "paired"]


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Limits of the gate (STANDARDS 2, 4.3 and 5.2) and what a metric has to show before it blocks."""

    unit: Literal["points", "relative"] = "points"
    block: float = 5.0
    """Drop beyond which a metric can block; percentage points, or per cent of the baseline."""
    investigate: float = 1.0
    """Drop from which a person should look."""
    metrics: tuple[str, ...] = ()
    """Metrics whose zones and drops can block."""
    declines: int = 3
    """Consecutive declining runs that are announced."""
    policy: PolicyName = "evidence"
    """What a drop beyond the limit has to show.

    `evidence`: the primary metric blocks, any other only where the drop is more than noise. `fixed`: every gated metric
    blocks. `paired`: the interval decides, and the primary metric has to be shown to be within its limit.
    """
    inconclusive: Literal["investigate", "block"] = "investigate"
    """Verdict of `paired` where neither a drop beyond the limit nor its absence is shown."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits of single metrics, in place of `block`."""
    informational: bool = False
    """Report and never block."""

    @property
    def level(self) -> float:
        """Level of the two-sided intervals that go with the policy's one-sided test."""
        return 1.0 - 2.0 * (ALPHA_FALL if self.policy == "evidence" else ALPHA)

    def limit(self, key: str) -> float:
        """Return how much worse a metric may be, in the gate's unit."""
        return self.limits.get(key, self.block)
