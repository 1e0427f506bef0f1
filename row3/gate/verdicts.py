"""The verdict on a comparison, with every reason (STANDARDS 2, 4.3, 5.2; DESIGN, "Gate")."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric, Zone
from row3.domain.verdicts import Reason, Verdict
from row3.gate.policy import GatePolicy
from row3.gate.zones import SLACK


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the verdict rests on."""

    metrics: Sequence[Metric]
    changes: Sequence[MetricChange]
    values: Mapping[str, float]
    """Aggregates of the run."""
    zones: Mapping[str, Zone]
    policy: GatePolicy
    cases: int
    failed: Sequence[str] = ()
    """Cases without an answer."""
    removed: Sequence[str] = ()
    weakened: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By case, what it no longer demands."""
    loosened: Sequence[str] = ()
    """Thresholds, weights and limits that ask for less than the baseline's, a line each."""
    changed: Sequence[str] = ()
    """Cases whose expectations changed without asking for less."""
    incomparable: Sequence[str] = ()
    """Cases that could not be compared."""
    broke: Sequence[str] = ()
    critical: Mapping[str, str] = field(default_factory=dict)
    """Critical cases that broke, and how; each of them blocks, whatever the mean does."""
    newly_resting: Mapping[str, str] = field(default_factory=dict)
    """Cases in quarantine that the baseline counted and that broke since, and how."""
    declines: int = 0
    """Consecutive declining runs, this one included."""
    partial: bool = False
    """Only some of the cases were run."""
    shared: Mapping[str, float] = field(default_factory=dict)
    """Aggregates over the cases that the baseline has too; new easy cases cannot lift them."""
    shared_zones: Mapping[str, Zone] = field(default_factory=dict)
    warning: Collection[str] = ()
    """Metrics whose fail zone warns and does not block."""
    sentences: Mapping[str, str] = field(default_factory=dict)
    """By metric, why it moved the verdict."""


def judge(evidence: Evidence) -> tuple[Verdict, tuple[Reason, ...]]:
    """The worst of all reasons; proceed where there are none."""
    reasons = [*_completeness(evidence), *_zones(evidence), *_moves(evidence), *_rules(evidence), *_notices(evidence)]
    reasons.sort(key=lambda reason: -reason.verdict)
    return max((reason.verdict for reason in reasons), default=Verdict.PROCEED), tuple(reasons)


def _completeness(evidence: Evidence) -> list[Reason]:
    reasons = []
    if evidence.cases == 0:
        reasons.append(Reason(Verdict.BLOCK, "no case was scored", cause="cases"))
    if evidence.failed:
        reasons.append(Reason(Verdict.BLOCK, f"the run is incomplete: no answer for {_listed(evidence.failed)}"))
    if evidence.partial:
        what = "only a part of the cases was run; a part is no gate"
        reasons.append(Reason(Verdict.INVESTIGATE, what, cause="part"))
    return reasons


def _zones(evidence: Evidence) -> list[Reason]:
    """A fail zone blocks where the metric is gated; one that only warns is told of, gated or not."""
    titles = {metric.key: metric.title for metric in evidence.metrics}
    judged = evidence.policy.metrics
    warning = {metric.key for metric in evidence.metrics if not metric.blocking and metric.key not in judged}
    reasons = []
    for zones, values, over in (
        (evidence.zones, evidence.values, ""),
        (evidence.shared_zones, evidence.shared, " over the baseline's cases"),
    ):
        for key, zone in zones.items():
            told = over and evidence.zones.get(key) is Zone.FAIL
            if zone is not Zone.FAIL or told:
                continue
            what = f"{titles[key]} {values[key]:.1%} is in its fail zone{over}"
            if key in evidence.warning or key in warning:
                what = f"{what}, which does not block"
                reasons.append(Reason(Verdict.INVESTIGATE, what, metric=key))
            elif key in judged:
                reasons.append(Reason(Verdict.BLOCK, what, metric=key))
    return reasons


def _moves(evidence: Evidence) -> list[Reason]:
    return [
        Reason(change.verdict, evidence.sentences.get(change.key, change.key), metric=change.key)
        for change in evidence.changes
        if change.code
    ]


def _rules(evidence: Evidence) -> list[Reason]:
    reasons = []
    if evidence.removed:
        what = f"removed since the baseline: {_listed(evidence.removed)}"
        reasons.append(Reason(Verdict.BLOCK, what, cause="cases"))
    for case_id, gone in evidence.weakened.items():
        what = f"{case_id} demands less than in the baseline: {_listed(gone)}"
        reasons.append(Reason(Verdict.BLOCK, what, case_id=case_id, cause="cases"))
    reasons += [Reason(Verdict.BLOCK, line, cause="rules") for line in evidence.loosened]
    for case_id, how in evidence.critical.items():
        broke = case_id in evidence.broke
        reasons.append(Reason(Verdict.BLOCK, f"critical case {case_id} {how}", case_id=case_id, broke=broke))
    for case_id, how in evidence.newly_resting.items():
        what = f"{case_id}, which the baseline counted and which is in quarantine now, {how}"
        reasons.append(Reason(Verdict.INVESTIGATE, what, case_id=case_id))
    for case_id in evidence.broke:
        if case_id not in evidence.critical:
            what = f"{case_id} broke: its answer cannot be used"
            reasons.append(Reason(Verdict.INVESTIGATE, what, case_id=case_id, broke=True))
    return reasons


def _notices(evidence: Evidence) -> list[Reason]:
    reasons = []
    for key, what in (
        ("hallucinationRate", "canaries were extracted"),
        ("forbiddenRelationshipRate", "forbidden relationships were extracted"),
    ):
        rate = evidence.values.get(key, 0.0)
        if rate > SLACK:
            reasons.append(Reason(Verdict.INVESTIGATE, f"{what}: {rate:.1%}", metric=key))
    if evidence.declines >= evidence.policy.declines:
        what = f"{evidence.declines} consecutive declining runs"
        reasons.append(Reason(Verdict.INVESTIGATE, what, cause="history"))
    if evidence.changed:
        what = f"expectations changed, both sides scored by the new ones: {_listed(evidence.changed)}"
        reasons.append(Reason(Verdict.INVESTIGATE, what, cause="cases"))
    if evidence.incomparable:
        what = f"not comparable with the baseline: {_listed(evidence.incomparable)}"
        reasons.append(Reason(Verdict.INVESTIGATE, what, cause="cases"))
    return reasons


def _listed(names: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
