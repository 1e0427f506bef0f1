"""How many cases and repeats a suite needs to detect a drop, planned from the variance of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.power import smallest_drop
from row3.gate.sensitivity import POWER, Sensitivity, of_variance
from row3.gate.variance import DifferenceVariance

CASES = (15, 30, 50, 100, 200)
REPEATS = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class MetricPlan:
    """What a suite sees of one metric, and what more of either would bring; drops are fractions."""

    seen: Sensitivity
    variance: DifferenceVariance
    margin: float
    """What a drop has to exceed to be detected: the limit under `paired`, else 0."""
    before: float
    """The metric's mean on the first side."""
    table: tuple[tuple[int, tuple[float | None, ...]], ...] = ()
    """By number of cases: the smallest drop for each number of repeats; None where that is unknown."""

    @property
    def within_limit(self) -> bool:
        """The wanted drop is one that `paired` never blocks, however well it is seen."""
        return self.seen.blocks and self.seen.wanted <= self.margin


def plan_metric(pairs: Pairs, key: str, policy: GatePolicy, *, detect: float | None = None) -> MetricPlan | None:
    """The plan for one metric; None where fewer than two independent cases have it.

    Args:
        detect: the drop that is to be detected, a fraction; the gate's limit unless given. A limit relative to the
            baseline is taken of the mean before.
    """
    variance = pairs.variance(key)
    if variance is None:
        return None
    before = pairs.means()[0][key]
    limit = policy.limit(key) / 100.0 * (before if policy.unit == "relative" and before > 0.0 else 1.0)
    seen = of_variance(variance, key, policy, wanted=limit if detect is None else detect)
    margin = limit if seen.blocks else 0.0
    return MetricPlan(seen, variance, margin, before, drops(variance, margin=margin))


def drops(
    variance: DifferenceVariance,
    *,
    margin: float = 0.0,
    cases: Sequence[int] = CASES,
    repeats: Sequence[int] = REPEATS,
) -> tuple[tuple[int, tuple[float | None, ...]], ...]:
    """The smallest drop that is detected with 80 % power, by cases and repeats; the present number of cases with them.

    What fewer repeats detect, more of them detect as well: where the doubt about many repeats would promise less, the
    promise for fewer holds.

    Args:
        repeats: in growing order.
    Raises ValueError for repeats below 1.
    """
    # The harmonic mean of equal repeats may be off by a hair, and only what was observed is known without the parts.
    asked = [variance.repeats if abs(variance.repeats - k) < 1e-9 else float(k) for k in repeats]
    rows = []
    for n in sorted({*cases, variance.cases}):
        cells = [smallest_drop(variance, n, k, margin=margin, power=POWER) for k in asked]
        known = [drop for drop in cells if drop is not None]
        best = dict(zip(known, accumulate(known, min), strict=True))
        rows.append((n, tuple([None if drop is None else best[drop] for drop in cells])))
    return tuple(rows)
