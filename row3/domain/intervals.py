"""What is known of a number that was estimated from cases."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Interval:
    """A number and what is known of it. All values are fractions, unrounded and never NaN.

    `standard_error` 0 says that no spread was seen at all. The interval is then the point itself and the
    p-value 0 or 1: exact where the answers are deterministic and these cases are all there is. It
    says nothing of cases that were not asked: C units that all moved alike by chance have a probability
    of up to 2^(1-C) (`proportions.sign_test`), and 0 of C units that moved are compatible with a share
    of `proportions.upper_bound(0, C)` that would.
    """

    estimate: float
    low: float
    high: float
    level: float
    p_value: float
    """Two-sided, of the null value (0 unless said otherwise)."""
    standard_error: float
    df: float
    """Degrees of freedom of the t distribution; whole unless clusters differ in size."""
    units: int
    """Independent units: clusters, or cases where every case is its own."""

    @property
    def degenerate(self) -> bool:
        """No spread was seen; see the class."""
        return self.standard_error == 0.0

    def negated(self) -> Interval:
        """The interval of the negative, for a metric where lower is better: up is worse, down is better."""
        # Subtracted from 0 and not negated, so that no -0.0 reaches a report.
        return replace(self, estimate=0.0 - self.estimate, low=0.0 - self.high, high=0.0 - self.low)


def cut(low: float, high: float) -> tuple[float, float]:
    """Both ends of an interval of a difference, as far as there can be one.

    Metrics lie between 0 and 1, which an interval of few cases knows nothing of. For showing; nothing is judged by it.
    """
    return max(low, -1.0), min(high, 1.0)
