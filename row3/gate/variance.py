"""The two parts of the variance of a comparison: what cases differ by, and the noise of the answers.

The variance of one case's paired difference has two parts: omega^2, how differently the change acts on different
cases, and sigma^2, how much one answer varies when the same case is asked again. With K answers a case on each
side a mean difference over n cases has

    SE^2 = (omega^2 + 2 sigma^2 / K) / n

More cases shrink both parts, more repeats only the second: omega^2 / n remains however often one asks.

Source: Miller 2024, arXiv 2411.00640, variance reduction by resampling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from row3.gate.intervals import Clusters, spread_of_mean


@dataclass(frozen=True, slots=True)
class DifferenceVariance:
    """What one comparison tells about the variance of a case's difference; squares of fractions.

    Where no case was asked twice the two parts cannot be told apart: `repeat_variance` and `case_variance` are
    None, and only `total` is known, for as many repeats as were made.
    """

    total: float
    """n SE^2 of the comparison: of one case's mean difference, both parts, clusters taken into account."""
    df: float
    """Degrees of freedom behind `total`."""
    cases: int
    repeats: float
    """Answers a case and side; the harmonic mean where they differ."""
    case_variance: float | None = None
    """omega^2, at least 0."""
    repeat_variance: float | None = None
    """sigma^2 of one answer, the mean of both sides."""
    repeat_df: float = 0.0
    """Degrees of freedom behind `repeat_variance`."""

    def at(self, repeats: float) -> tuple[float, float] | None:
        """The variance of a case's mean difference with that many repeats, and its degrees of freedom.

        None where the parts are not known and `repeats` is not what was observed. The degrees of freedom are
        Satterthwaite's for total + 2 sigma^2 (1/repeats - 1/observed), and never more than `total` has.
        """
        if self.case_variance is None or self.repeat_variance is None:
            return (self.total, self.df) if repeats == self.repeats else None
        variance = self.case_variance + 2.0 * self.repeat_variance / repeats
        moved = 2.0 * self.repeat_variance * (1.0 / repeats - 1.0 / self.repeats)
        doubt = self.total**2 / self.df + (moved**2 / self.repeat_df if moved else 0.0)
        return variance, max(1.0, min(self.df, variance**2 / doubt)) if doubt else self.df


def difference_variance(
    before: Sequence[Sequence[float]], after: Sequence[Sequence[float]], clusters: Clusters | None = None
) -> DifferenceVariance | None:
    """Split the variance of paired differences into cases and repeats (method of moments).

    sigma^2 is pooled over all cases and both sides; omega^2 = max(0, total - sigma^2 mean(1/K_before + 1/K_after)).
    A side that was asked once is taken to be as noisy as the other.

    Args:
        before, after: the same n cases in the same order, each with its repeats' values (one or more fractions).
        clusters: n labels, as in `intervals.mean_interval`.
    Returns:
        None with fewer than two independent units.
    Raises:
        ValueError: lengths differ, a case has no value, or a value is not finite.
    """
    if not all(map(len, before)) or not all(map(len, after)):
        raise ValueError("a case has no value")
    pairs = list(zip(before, after, strict=True))
    moved = [_mean(new) - _mean(old) for old, new in pairs]
    centre = _mean(moved) if moved else 0.0
    spread = spread_of_mean([value - centre for value in moved], clusters)
    if spread is None:
        return None
    n = len(pairs)
    total, df = n * spread[0] ** 2, spread[1]
    shrink = math.fsum(1.0 / len(old) + 1.0 / len(new) for old, new in pairs) / n
    answers = [answers for pair in pairs for answers in pair]
    repeat_df = sum(map(len, answers)) - len(answers)
    if repeat_df == 0:
        return DifferenceVariance(total, df, n, 2.0 / shrink)
    noise = math.fsum((value - _mean(side)) ** 2 for side in answers for value in side) / repeat_df
    return DifferenceVariance(total, df, n, 2.0 / shrink, max(0.0, total - noise * shrink), noise, float(repeat_df))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
