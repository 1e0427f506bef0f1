"""Criteria as keyed values, and the gate's result: a verdict, and reasons as codes and figures."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from row3.domain.verdicts import Verdict

Looser = Literal["lower", "higher", "fewer", "more", "absent"]
"""The direction in which a rule is looser."""
Effect = Literal["added", "removed", "changed", "loosened", "tightened"]


class Rule(Struct, frozen=True):
    """One rule of a suite."""

    value: Any
    """A number, text or truth value; a frozenset of names for a list without order."""
    looser: Looser | None = None
    """None for a rule without order: any difference is a change."""
    instead: tuple[str, ...] = ()
    """Keys of the rules that apply if this one is not set, nearest first."""


class Criteria(Struct, frozen=True):
    """A suite's criteria, by key."""

    rules: Mapping[str, Rule]
    """`threshold.recall.minimum`, `weight.recall`, `gate.block`, `matching.threshold` …"""
    cases: Mapping[str, str]
    """Digest of each golden case by id."""
    quarantine: Mapping[str, str] = {}
    """End of the quarantine (YYYY-MM-DD) by case id."""
    locks: Mapping[str, str] = {}
    """Digest of each version that was ever promoted, by reference."""
    baseline: str = ""
    """Digest of the manifest without its time, id and commit; empty for none."""


class CriteriaChange(Struct, frozen=True):
    """One key in which head and base differ."""

    effect: Effect
    key: str
    """`case <id>`, `case <id> concept carbon dioxide`, `rule threshold.recall.minimum`, `quarantine <id>` …"""
    before: Any = None
    after: Any = None
    case_id: str = ""
    """Of the golden case it lies in."""


class Code(StrEnum):
    """Why a verdict is what it is; docs/gate.md has the meaning of each and the verdicts that it can lead to."""

    WORSE = "worse"
    WORSE_UNPROVEN = "worse_unproven"
    INCONCLUSIVE = "inconclusive"
    ROLLING_DROP = "rolling_drop"
    NO_LONGER_MEASURED = "no_longer_measured"
    ENTERED_FAIL_ZONE = "entered_fail_zone"
    IN_FAIL_ZONE = "in_fail_zone"
    CANARY = "canary"
    CASE_BROKE = "case_broke"
    CRITICAL_BROKE = "critical_broke"
    QUARANTINED_FELL = "quarantined_fell"
    NO_ANSWER = "no_answer"
    NO_CASE = "no_case"
    INCOMPARABLE = "incomparable"
    MODEL_CHANGED = "model_changed"
    SERVED_MODEL_CHANGED = "served_model_changed"
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


class Reason(Struct, frozen=True):
    """One ground of a verdict; its sentence is written in `reports/`."""

    code: Code
    verdict: Verdict
    """PROCEED for a note, which changes no verdict."""
    subject: str = ""
    """What it is about: a metric's key, a case id, a file, or a key of the inventory."""
    figures: Mapping[str, Any] = {}
    """What its sentence needs: numbers in the units of the metric (fractions), names, ids."""
    after: bool = False
    """By the criteria of the change itself: what the next change would be stopped by."""

    @property
    def key(self) -> tuple[str, str]:
        """What an approval is bound to."""
        return self.code.value, self.subject


class Approval(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who let a comparison proceed, when and why."""

    reason: str
    by: str
    at: str
    """UTC, ISO 8601."""
    id: str | None = None
    """Tells it from another that says the same in the same second."""


class Judgement(Struct, frozen=True):
    """The gate's word on a change."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    """Worst first; notes last."""
    complete: bool
    """False where an answer is missing: an incomplete run is never judged, and cannot be approved."""
    signature: str
    """What an approval has to name: contents and codes, no sentence."""
    approval: Approval | None = None
