"""The limits of a suite's gate, and how it deals with noise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from row3.domain.counts import did_you_mean
from row3.errors import UsageError

ALPHA = 0.025
"""One-sided error rate of `paired`: a 95 % interval lies wholly beyond a limit by chance this often."""
ALPHA_FALL = 0.05
"""One-sided error rate of `evidence`: a metric that did not fall is taken to have fallen at most this often."""
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
MOST = 100
"""Points, or per cent of the baseline: no metric can fall by more."""
NO_NAMES: Mapping[str, str] = {}
SHAPE = "Write METRIC:LIMIT, separated by commas, as in overall:5,recall:3,hallucination:0"

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
    inclusive: bool = False
    """A drop of exactly the limit blocks too, as STRATEGY has it."""
    baseline: Literal["saved", "rolling", "both"] = "saved"
    """Whether the mean of the latest runs gates beside the saved baseline, which always does."""
    window: int = 5
    """Runs in that mean."""
    drop: float = 15.0
    """Drop from that mean that blocks; per cent of it."""

    @property
    def level(self) -> float:
        """Level of the two-sided intervals that go with the policy's one-sided test."""
        return 1.0 - 2.0 * (ALPHA_FALL if self.policy == "evidence" else ALPHA)

    def limit(self, key: str) -> float:
        """Return how much worse a metric may be, in the gate's unit."""
        limit = self.limits.get(key, self.block)
        # Everything compares with "more than the limit", and forgives a millionth.
        return limit - 1e-6 if self.inclusive else limit


def parse_limits(
    text: str, metrics: Sequence[str], *, where: str, also: Mapping[str, str] = NO_NAMES
) -> dict[str, float]:
    """Return the limit by metric key, in the gate's unit; `also` has other names of metrics. Raises `UsageError`.

    A metric may be shortened to an unambiguous beginning: `hallucination` is `hallucinationRate`. One that lacks only
    its last letter is a slip, and refused.
    """
    limits: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        if not name or not colon:
            raise UsageError(f"`{part.strip()}` is no limit", where=where, fix=SHAPE)
        key = find_metric(also.get(name.casefold(), name), metrics, where)
        if key in limits:
            raise UsageError(f"`{key}` has two limits", where=where, fix="Keep one of them")
        if NUMBER.fullmatch(number) is None or float(number) > MOST:
            raise UsageError(f"`{number}` is no limit for {key}", where=where, fix=f"Give a number from 0 to {MOST}")
        limits[key] = float(number)
    return limits


def find_metric(name: str, metrics: Sequence[str], where: str) -> str:
    """The key that a name, or an unambiguous beginning of one, means; raises `UsageError` for none or two."""
    folded = name.casefold()
    exact = [key for key in metrics if key.casefold() == folded]
    slips = [key for key in metrics if len(key) - len(folded) == 1 and key[-1].isalpha()]
    found = exact or [key for key in metrics if key.casefold().startswith(folded) and key not in slips]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"`{name}` may be {' or '.join(found)}", where=where, fix="Write more of it")
    hint = did_you_mean(name, metrics, f"Metrics: {', '.join(metrics)}")
    raise UsageError(f"`{name}` is not a metric of this kind", where=where, fix=hint)
