"""What an investigation says first, whatever the kind: each metric of the case beside its target and the baseline."""

from __future__ import annotations

from row3.domain.investigations import Fall, Symptom
from row3.domain.metrics import Metric
from row3.domain.scores import CaseScore
from row3.errors import Row3Error
from row3.gate.comparison import POINT, worse_by
from row3.gate.policy import GatePolicy
from row3.gate.silence import both_sides
from row3.gate.zones import SLACK, zones_of
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.suites import Suite, baseline_tier
from row3.workflows.comparing.sides import baseline_side


def symptoms_of(
    project: Project, suite: Suite, stored: StoredCase, score: CaseScore
) -> tuple[tuple[Symptom, ...], list[str]]:
    """The metrics that apply or could, beside the baseline's as the gate pairs them, and what is to be known of it.

    Raises nothing.
    """
    metrics, limits = suite.kind.metrics, suite.rules.thresholds
    before, notes = _baseline(project, suite, stored)
    zones = zones_of(score.metrics, metrics, limits)
    old, now = (before.metrics, score.metrics) if before is not None else ({}, score.metrics)
    if before is not None:
        old, now = both_sides(suite.kind, before.metrics, score.metrics)
        if old is not before.metrics or now is not score.metrics:
            who = "The baseline's answer" if old is not before.metrics else "This answer"
            notes.append(f"{who} is silent where nothing is to be found, which is flawless beside one that invents.")
    return tuple(
        Symptom(
            m,
            now.get(m.key),
            zones.get(m.key),
            limits.get(m.key),
            old.get(m.key),
            fall_of(m, old.get(m.key), now.get(m.key), suite.policy),
        )
        for m in metrics
        if m.key in now or not m.optional
    ), notes


def fall_of(metric: Metric, before: float | None, now: float | None, policy: GatePolicy) -> Fall | None:
    """How far a metric fell beyond its limit; None where it did not, or where one side has no value.

    The gate looks at the means over the cases; here its limit is held against the one case.
    """
    if before is None or now is None:
        return None
    limit, up = policy.limit(metric.key), metric.higher_is_better
    worse = worse_by(before, now, higher_is_better=up, unit=policy.unit)
    if worse <= limit + POINT * SLACK:
        return None
    relative = policy.unit == "relative" and abs(before) > SLACK  # else `worse_by` takes points
    room = limit / POINT * (abs(before) if relative else 1.0)
    return Fall(worse, limit, before - room if up else before + room, relative, metric.key in policy.metrics)


def _baseline(project: Project, suite: Suite, stored: StoredCase) -> tuple[CaseScore | None, list[str]]:
    """The baseline's answer by today's scorer, and what is to be known of it."""
    if not project.tree.exists(project.baseline(suite.name, baseline_tier(project, suite))):
        return None, ["There is no baseline to compare with."]
    try:
        side = baseline_side(project, suite)
        found = side.score(stored)
    except Row3Error as error:
        return None, [f"The baseline cannot be used: {error}"]
    if found is None or side.manifest is None:
        return None, ["The case is not in the baseline."]
    score, header = found[0], side.header
    if score.status == "failed":
        return None, [f"The baseline has no answer to this case: {score.problem}"]
    prompts = ", ".join(f"{name} {version}" for name, version in header.prompts.items())
    changed = "; the golden case was changed since" if side.manifest.cases[stored.id].digest != stored.digest else ""
    return score, [f"Baseline: {header.at[:10]}, {prompts}, {header.model}{changed}."]
