"""The gate's verdicts, with the changes, criteria and reasons behind them as values, codes and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from row3.domain.runs import Approval


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


Looser = Literal["lower", "higher", "fewer", "more", "removed"]
"""The direction of a change that loosens a rule."""
Effect = Literal["added", "removed", "changed", "loosened", "tightened"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a suite."""

    value: Any
    """A number, string or boolean; a frozenset for an unordered list of names."""
    looser: Looser | None = None
    """None for a rule without order, where any difference is a change."""
    instead: tuple[str, ...] = ()
    """Keys of the rules that apply if this one is not set, nearest first."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """A suite's criteria, by key; locks and baseline are judged without it."""

    rules: Mapping[str, Rule]
    """`threshold.recall.minimum`, `weight.recall`, `gate.block`, `matching.threshold` …"""
    cases: Mapping[str, str]
    """Golden cases' digests by id."""
    quarantine: Mapping[str, str] = field(default_factory=dict)
    """End of the quarantine (YYYY-MM-DD) by case id."""


@dataclass(frozen=True, slots=True)
class CriteriaChange:
    """One key in which head and base differ."""

    effect: Effect
    key: str
    """`case <id>`, `case <id> concept carbon dioxide`, `rule threshold.recall.minimum`, `quarantine <id>` …"""
    before: Any = None
    after: Any = None
    case_id: str = ""
    """The golden case that the key belongs to, if any."""


OMITTED = "the sides were asked without parameters that the endpoint refuses: {before} → {after}"


class Code(StrEnum):
    """Codes of reasons; docs/gate.md describes each and the verdicts it can lead to."""

    WORSE = "worse"
    WORSE_UNPROVEN = "worse_unproven"
    INCONCLUSIVE = "inconclusive"
    ROLLING_DROP = "rolling_drop"
    NO_LONGER_MEASURED = "no_longer_measured"
    ENTERED_FAIL_ZONE = "entered_fail_zone"
    IN_FAIL_ZONE = "in_fail_zone"
    UNCONFIRMED = "unconfirmed"
    CLEARED = "cleared"
    PROVIDER_MOVED = "provider_moved"
    CANARY = "canary"
    CASE_BROKE = "case_broke"
    CRITICAL_BROKE = "critical_broke"
    QUARANTINED_FELL = "quarantined_fell"
    NO_ANSWER = "no_answer"
    NO_CASE = "no_case"
    INCOMPARABLE = "incomparable"
    MODEL_CHANGED = "model_changed"
    SERVED_MODEL_CHANGED = "served_model_changed"
    OMITTED_CHANGED = "omitted_changed"
    RECORDED_AGAIN = "recorded_again"
    RECORDED = "recorded"
    CRITERIA_ADDED = "criteria_added"
    CRITERIA_TIGHTENED = "criteria_tightened"
    CRITERIA_CHANGED = "criteria_changed"
    CRITERIA_REMOVED = "criteria_removed"
    CRITERIA_LOOSENED = "criteria_loosened"
    BASELINE_DIFFERS = "baseline_differs"
    LOCK_BROKEN = "lock_broken"
    HISTORY_REMOVED = "history_removed"
    DECLINING = "declining"
    PARTIAL = "partial"
    APPROVED = "approved"
    APPROVAL_STALE = "approval_stale"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of a verdict; `reports/` puts it into words."""

    code: Code
    verdict: Verdict
    """PROCEED for a note, which does not affect the verdict."""
    subject: str = ""
    """A metric's key, a figure's, a case id, a file, or a key of the inventory."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Values for the text: numbers in the metric's unit (fractions), names, ids."""
    after: bool = False
    """Whether the head's criteria are the reason, which would block the next change."""

    @property
    def key(self) -> tuple[str, str]:
        """Code and subject, to which an approval is bound."""
        return self.code.value, f"figure {self.subject}" if self.of_figure else self.subject

    @property
    def of_figure(self) -> bool:
        """Whether the subject is cost, tokens or latency, which kind `checks` also has as metrics."""
        return "unit" in self.figures


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's judgement of a change."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    """Worst first; notes last."""
    complete: bool
    """False if an answer is missing; an incomplete run is never judged and cannot be approved."""
    signature: str
    """Digest that an approval must match; it covers contents and codes, no text."""
    approval: Approval | None = None
