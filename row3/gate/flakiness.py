"""How far a case's result moves by itself, with the same prompts and model, and whether that makes it flaky.

Values are repeated answers to one request, whose order means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from row3.gate.exact import upper_bound

LEAST = 3
"""Fewer values cannot go back and forth, so nothing is said of them."""
FLIPS = 0.1
"""A case is flaky where two of its answers disagree on passing at least this often."""
NOISE = 0.05
"""A case is flaky where one answer's standard deviation is at least this much; the gate's limit for a whole suite."""

Steadiness = Literal["steady", "flaky", "unknown"]


@dataclass(frozen=True, slots=True)
class Flakiness:
    """One case under unchanged prompts and model. Values are fractions."""

    answers: int
    lowest: float
    highest: float
    noise: float
    """Standard deviation of one answer; 0 of a single one."""
    flip_rate: float | None
    """How often two answers disagree on passing; None without a pass mark."""
    verdict: Steadiness
    hidden: float | None
    """Share of answers that could fall on the rarer side of the pass mark, at 95 %: 0 of 3 leave 63 % possible. None
    without a pass mark."""

    @property
    def spread(self) -> float:
        """Highest less lowest value."""
        return self.highest - self.lowest


def flakiness(values: Sequence[float], *, pass_mark: float | None = None) -> Flakiness | None:
    """Spread, flip rate and verdict of one case.

    The rule. `unknown` with fewer than `LEAST` values. Otherwise `flaky` where

    - the outcome flips: the flip rate is at least `FLIPS`; or
    - the value wanders: the noise is at least `NOISE`.

    Otherwise `steady`, which means that nothing was seen, not that nothing can happen: `hidden` says how much could.

    Formulas, for n values of which f pass: noise is the sample standard deviation, flip rate
    f (n - f) / (n (n - 1) / 2), the share of pairs that disagree.
    For lower-is-better values pass the negatives of the values and of the mark.

    Args:
        values: fractions.
        pass_mark: values of at least this pass; None looks at the values only.
    Returns:
        None of no values.
    Raises:
        ValueError: a value is not finite.
    Source: the thresholds are row3's own.
    """
    n = len(values)
    if not all(map(math.isfinite, values)):
        raise ValueError("a value is not finite")
    if n == 0:
        return None
    wander = _noise(values)
    passes = None if pass_mark is None else [value >= pass_mark for value in values]
    failed = 0 if passes is None else n - sum(passes)
    rate = None if passes is None else failed * (n - failed) / max(1, n * (n - 1) // 2)
    hidden = None if passes is None else upper_bound(min(failed, n - failed), n)
    flipping = rate is not None and rate >= FLIPS
    verdict: Steadiness = "unknown" if n < LEAST else "flaky" if flipping or wander >= NOISE else "steady"
    return Flakiness(n, min(values), max(values), wander, rate, verdict, hidden)


def _noise(values: Sequence[float]) -> float:
    n = len(values)
    if n < 2:
        return 0.0
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
