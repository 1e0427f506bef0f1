"""How far a case's result moves by itself, with the same prompts and model, and whether that makes it flaky.

Values come from repeats within a run, whose order means nothing, or from the history of runs, whose order does: a
case that changed once and stayed has been moved by something (the provider's model, the data), one that goes back
and forth is flaky. So with an order only steps between neighbours are counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
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
    """How often two answers (neighbours, where there is an order) disagree on passing; None without a pass mark."""
    verdict: Steadiness
    hidden: float | None
    """Share of answers that could fall on the rarer side of the pass mark, at 95 %: 0 of 3 leave 63 % possible. None
    without a pass mark."""

    @property
    def spread(self) -> float:
        """Highest less lowest value."""
        return self.highest - self.lowest


def flakiness(values: Sequence[float], *, pass_mark: float | None = None, ordered: bool = False) -> Flakiness | None:
    """Spread, flip rate and verdict of one case.

    The rule. `unknown` with fewer than `LEAST` values. Otherwise `flaky` where

    - the outcome flips: the flip rate is at least `FLIPS`, and where there is an order it flipped at least twice; or
    - the value wanders: the noise is at least `NOISE`.

    Otherwise `steady`, which means that nothing was seen, not that nothing can happen: `hidden` says how much could.

    Formulas, for n values x of which f pass. Without an order: noise is the sample standard deviation, flip rate
    f (n - f) / (n (n - 1) / 2), the share of pairs that disagree. With one: noise is sqrt(sum (x_{i+1} - x_i)^2 /
    (2 (n - 1))), flip rate the share of neighbours that disagree. Both estimate the same if nothing drifts. For
    lower-is-better values pass the negatives of the values and of the mark.

    Args:
        values: fractions, oldest first where `ordered`.
        pass_mark: values of at least this pass; None looks at the values only.
    Returns:
        None of no values.
    Raises:
        ValueError: a value is not finite.
    Source: von Neumann 1941, Annals of Mathematical Statistics 12, 367-395, for the successive differences; the
    thresholds are row3's own.
    """
    n = len(values)
    if not all(map(math.isfinite, values)):
        raise ValueError("a value is not finite")
    if n == 0:
        return None
    wander = _noise(values, ordered)
    passes = None if pass_mark is None else [value >= pass_mark for value in values]
    changes, pairs = (0, 0) if passes is None else _flips(passes, ordered)
    rate = None if passes is None else changes / pairs if pairs else 0.0
    hidden = None if passes is None else upper_bound(min(sum(passes), n - sum(passes)), n)
    flipping = rate is not None and changes >= (2 if ordered else 1) and rate >= FLIPS
    verdict: Steadiness = "unknown" if n < LEAST else "flaky" if flipping or wander >= NOISE else "steady"
    return Flakiness(n, min(values), max(values), wander, rate, verdict, hidden)


def _noise(values: Sequence[float], ordered: bool) -> float:
    n = len(values)
    if n < 2:
        return 0.0
    if ordered:
        steps = math.fsum((new - old) ** 2 for old, new in pairwise(values))
        return math.sqrt(steps / (2 * (n - 1)))
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))


def _flips(passes: Sequence[bool], ordered: bool) -> tuple[int, int]:
    """Pairs that disagree, and pairs that were looked at."""
    n = len(passes)
    if ordered:
        return sum(old != new for old, new in pairwise(passes)), n - 1
    return sum(passes) * (n - sum(passes)), n * (n - 1) // 2
