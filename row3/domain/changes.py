"""Verdicts of the gate; changes of single cases and of aggregate metrics: differences, intervals and codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Literal, NamedTuple

Word = Literal["proceed", "investigate", "block"]
WORDS: Final[tuple[Word, Word, Word]] = ("proceed", "investigate", "block")


class Verdict(IntEnum):
    """The gate's verdict; ordered, so that the worst of several is `max`."""

    PROCEED, INVESTIGATE, BLOCK = range(3)

    @property
    def word(self) -> Word:
        """The verdict's name in files and output."""
        return WORDS[self]


CaseMove = Literal["improved", "unchanged", "regressed", "broke", "fixed", "new", "removed", "not comparable", "failed"]


class CaseChange(NamedTuple):
    """Change of one case between two runs. Deltas are current minus baseline, fractions."""

    case_id: str
    move: CaseMove
    delta: float
    """Change of the primary metric."""
    deltas: Mapping[str, float] = {}
    gained: Mapping[str, tuple[str, ...]] = {}
    lost: Mapping[str, tuple[str, ...]] = {}
    """By list: `concepts` and `relationships` found in one run only, `extra` for invented ones."""
    note: str = ""


ChangeCode = Literal["", "worse", "worse_unproven", "inconclusive", "no_longer_measured"]
"""Why a metric's verdict is not `proceed`; empty if it is.

`worse`: the metric is worse by more than a limit of the policy. `worse_unproven`: so is this one, but noise could
explain the drop. `inconclusive`: a loss beyond the limit is neither shown nor ruled out. `no_longer_measured`: a gated
metric no longer has a value.
"""
Noise = Literal["", "beyond", "within", "unknown"]
"""Whether a fall is beyond noise, by the one-sided test; `unknown`: too few units for any test to reject, empty: no
test was made."""
Doubt = Literal["", "few_units", "rare_loss"]
"""Why a metric has no firmer verdict.

`few_units`: too few independent units moved for any test to reject. `rare_loss`: too few units to rule out a loss that
is rare and large.
"""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate from cases with its uncertainty; fractions, unrounded, never NaN.

    If no spread was seen, `standard_error` is 0 and the interval a point, which says nothing about other cases.
    """

    estimate: float
    low: float
    high: float
    level: float
    p_value: float
    """Two-sided, for a true value of 0."""
    standard_error: float
    df: float
    """Degrees of freedom of the t distribution; whole unless clusters differ in size."""
    units: int
    """Independent units: clusters, or single cases."""

    @property
    def degenerate(self) -> bool:
        """Whether no spread was seen; see the class."""
        return self.standard_error == 0.0

    def negated(self) -> Interval:
        """Return the interval of the negative, for metrics where lower is better."""
        # Subtraction from 0 instead of negation, so that no -0.0 reaches a report.
        return replace(self, estimate=0.0 - self.estimate, low=0.0 - self.high, high=0.0 - self.low)


def cut(low: float, high: float) -> tuple[float, float]:
    """Return the ends of a difference's interval, clipped to [-1, 1]. For display, not for judging."""
    return max(low, -1.0), min(high, 1.0)


@dataclass(frozen=True, slots=True)
class MetricChange:
    """Change of one aggregate metric between two runs; means over the cases that both runs have."""

    key: str
    baseline: float | None
    current: float | None
    delta: float | None
    """Current minus baseline, a fraction."""
    worse_by: float | None
    """Drop in the gate's unit, percentage points or per cent of the baseline; negative for an improvement."""
    verdict: Verdict
    cases: int
    interval: Interval | None = None
    """Paired interval of `delta`, widened for `tests`; None with fewer than two independent units."""
    single: Interval | None = None
    """The same without widening, so that the metrics of a comparison have intervals of one level."""
    limit: float = 5.0
    """The largest drop the gate accepts, in the unit of `worse_by`."""
    code: ChangeCode = ""
    noise: Noise = ""
    unconfirmed: bool = False
    """The metric blocks, but the fall may be noise: more answers can clear it."""
    p: float | None = None
    """One-sided p-value behind the verdict, adjusted for `tests`; None if no test decided."""
    tests: int = 1
    """Divisor of this metric's error rate in Holm's correction."""
    doubt: Doubt = ""
    moved: int = 0
    """Independent units whose value changed."""
    units: int = 0
    """Independent units: cases, or sources if cases share one."""
    units_needed: int = 0
    """For `few_units` and `rare_loss`, how many units would resolve the doubt; 0 if unknown."""

    @property
    def significant(self) -> bool:
        """Whether the paired interval excludes 0; False without an interval."""
        return self.interval is not None and not self.interval.low <= 0.0 <= self.interval.high
