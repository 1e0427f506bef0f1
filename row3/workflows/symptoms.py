"""What an investigation says first, whatever the kind: each metric of the case beside its target and the baseline."""

from __future__ import annotations

from row3.domain.scores import CaseScore
from row3.errors import Row3Error
from row3.gate.zones import zones_of
from row3.reports.investigation_parts import Symptom
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.saved_runs import read_run
from row3.store.suites import Suite


def symptoms_of(
    project: Project, suite: Suite, stored: StoredCase, score: CaseScore
) -> tuple[tuple[Symptom, ...], list[str]]:
    """The metrics that apply or could, and a line about the baseline. Raises nothing."""
    metrics, limits = suite.kind.metrics, suite.rules.thresholds
    before, notes = _baseline(project, suite, stored)
    zones = zones_of(score.metrics, metrics, limits)
    old = before.metrics if before is not None else {}
    return tuple(
        Symptom(m, score.metrics.get(m.key), zones.get(m.key), limits.get(m.key), old.get(m.key))
        for m in metrics
        if m.key in score.metrics or not m.optional
    ), notes


def _baseline(project: Project, suite: Suite, stored: StoredCase) -> tuple[CaseRecord | None, list[str]]:
    path = project.baseline(suite.name)
    if not path.is_file():
        return None, ["There is no baseline to compare with."]
    try:
        run = read_run(path, where=f"baselines/{path.name}")
        record = run.record(stored.id)
    except Row3Error as error:
        return None, [f"The baseline cannot be used: {error}"]
    if record is None:
        return None, ["The case is not in the baseline."]
    prompts = ", ".join(f"{name} {version}" for name, version in run.header.prompts.items())
    changed = "; the golden case was changed since" if record.digest != stored.digest else ""
    return record, [f"Baseline: {run.header.at[:10]}, {prompts}, {run.header.model}{changed}."]
