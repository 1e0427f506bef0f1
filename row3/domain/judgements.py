"""Criteria as values by key, and the gate's judgement: a verdict with reasons as codes and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from row3.domain.changes import Verdict
from row3.domain.models import PART

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
class Approval:
    """A person's approval of a comparison."""

    __pydantic_config__: ClassVar[ConfigDict] = PART

    reason: str
    by: str
    at: str
    """UTC, ISO 8601."""
    id: str | None = None
    """Distinguishes approvals with the same content in the same second."""


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
