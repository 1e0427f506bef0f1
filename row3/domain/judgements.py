"""What judges a change, as keyed values, and what the gate says of it: a verdict, and reasons as codes and figures."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from row3.domain.verdicts import Verdict

Looser = Literal["lower", "higher", "fewer", "more", "absent"]
"""Which way a rule asks for less."""
Effect = Literal["added", "removed", "changed", "loosened", "tightened"]


class Rule(Struct, frozen=True):
    """One rule of a suite."""

    value: Any
    """A number, text or truth value; a frozenset of names for a list without order."""
    looser: Looser | None = None
    """None for a rule without order: whatever differs is a change."""
    instead: tuple[str, ...] = ()
    """Keys of the rules that hold where this one is not set, the nearest first."""


class Criteria(Struct, frozen=True):
    """What judges a suite, by key."""

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
    """Why a verdict is what it is. `meaning` and `verdicts` make the table in docs/gate.md."""

    meaning: str
    verdicts: str

    def __new__(cls, value: str, verdicts: str, meaning: str) -> Code:
        """A member that is its own string, with what the table says of it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning, member.verdicts = meaning, verdicts
        return member

    WORSE = "worse", "block, investigate", "A metric fell: by more than its limit, or by 1 point or more."
    WORSE_UNPROVEN = (
        "worse_unproven",
        "investigate",
        "A gated metric fell by more than its limit, within what noise explains (policy `evidence`).",
    )
    INCONCLUSIVE = (
        "inconclusive",
        "investigate, block",
        "A loss beyond the limit is neither shown nor ruled out (policy `paired`).",
    )
    ROLLING_DROP = (
        "rolling_drop",
        "block, investigate, note",
        "A metric is worse than the mean of the latest runs by `drop` per cent or more; without a mean a note.",
    )
    NO_LONGER_MEASURED = "no_longer_measured", "block", "A gated metric has no value any more."
    ENTERED_FAIL_ZONE = "entered_fail_zone", "block", "A gated metric entered its fail zone, or fell further inside it."
    IN_FAIL_ZONE = (
        "in_fail_zone",
        "investigate",
        "A metric is in its fail zone and no worse than before, or its threshold only warns.",
    )
    CANARY = "canary", "investigate", "An answer contains what the golden case forbids."
    CASE_BROKE = "case_broke", "investigate", "The answer to a case can no longer be used."
    CRITICAL_BROKE = "critical_broke", "block", "A case marked `critical` broke or fell beyond the limit."
    QUARANTINED_FELL = "quarantined_fell", "investigate", "A case in quarantine fell beyond the limit."
    NO_ANSWER = "no_answer", "incomplete", "The candidate, or what the change promotes, has no answer to a case."
    NO_CASE = "no_case", "block", "No case was scored."
    INCOMPARABLE = (
        "incomparable",
        "investigate, block",
        "The base cannot answer a case; blocks where that is more than half of them.",
    )
    MODEL_CHANGED = (
        "model_changed",
        "note",
        "Model or parameters differ from the base's; the prompts may not be to blame.",
    )
    SERVED_MODEL_CHANGED = (
        "served_model_changed",
        "note",
        "The provider served another model than for the base's answers.",
    )
    RECORDED_AGAIN = (
        "recorded_again",
        "investigate",
        "An identical request has another recorded answer than at the base.",
    )
    RECORDED = "recorded", "note", "The change records answers to requests that the base has none for; their number."
    CRITERIA_ADDED = "criteria_added", "note", "A case, demand, metric or suite is new."
    CRITERIA_TIGHTENED = "criteria_tightened", "note", "A rule asks for more."
    CRITERIA_CHANGED = (
        "criteria_changed",
        "investigate",
        "An alias, text, weight or matching rule changed, or an addition raises the score of the same answers.",
    )
    CRITERIA_REMOVED = "criteria_removed", "block", "A case, demand, suite or baseline was removed."
    CRITERIA_LOOSENED = "criteria_loosened", "block, note", "A rule asks for less; by a flag: a note."
    BASELINE_DIFFERS = "baseline_differs", "block", "Baseline or locks are not what the promoted versions would write."
    LOCK_BROKEN = "lock_broken", "block", "A promoted version was edited, or its lock or file is gone."
    HISTORY_REMOVED = "history_removed", "investigate", "Entries of metrics-history.json were removed."
    DECLINING = "declining", "investigate", "Three or more consecutive runs declined."
    PARTIAL = "partial", "investigate", "Only part of the cases ran: `--case`, `--only` or a spent `--max-cost`."
    APPROVED = "approved", "note", "An approval covers exactly this change."
    APPROVAL_STALE = "approval_stale", "note", "An approval was given for something else."


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
