"""What a verdict rests on: the evidence's digest, the approval given for it, and the runs that declined before."""

from __future__ import annotations

from collections.abc import Iterable

from row3.domain.requests import digest_json, digest_text
from row3.domain.tiers import tier_of
from row3.gate.trend import consecutive_declines
from row3.store.cases import case_bytes, case_files
from row3.store.history import Approval, HistoryEntry
from row3.store.project import Project
from row3.store.suites import Suite, make_suite
from row3.workflows.run_header import rules_of
from row3.workflows.run_suite import Run


def own_files(project: Project, suite: Suite) -> str:
    """Digest of the golden cases and rules as the change itself has them, whatever judges it."""
    rules = rules_of(make_suite(project.config, suite.name, suite.tier))
    folder = project.golden(suite.name)
    cases = [(path.name, digest_text(case_bytes(path))) for path in case_files(folder)]
    return digest_json([cases, rules.thresholds, rules.weights, rules.gate])


def evidence_digest(run: Run, baseline_id: str, own: str) -> str:
    """What a verdict rests on: an approval holds for exactly this, and for nothing that was changed afterwards."""
    header = run.header
    return digest_json(
        {
            "prompts": header.prompt_digests,
            "parameters": header.parameters,
            "scorer": header.scorer,
            "baseline": baseline_id,
            "own": own,
            "metrics": {key: round(value, 9) for key, value in header.metrics.items()},
        }
    )[:16]


def approved_before(history: Iterable[HistoryEntry], evidence: str) -> Approval | None:
    """The approval in the history that was given for this very evidence."""
    return next((e.approval for e in history if e.approval is not None and e.evidence == evidence), None)


def declining_runs(history: list[HistoryEntry], run: Run | None, suite: Suite) -> int:
    """Consecutive declining runs of the composite in the suite's tier, the present one (if any) last.

    The same evidence run twice is one run: looking again is no decline and no recovery.
    """
    primary = suite.kind.primary
    values: list[tuple[str, float]] = []
    for entry in [
        e for e in history if e.suite == suite.name and tier_of(e.mode) == suite.tier and primary in e.metrics
    ]:
        key = digest_json([entry.prompts, entry.model, entry.metrics])
        if not values or values[-1][0] != key:
            values.append((key, entry.metrics[primary]))
    if run is not None and primary in run.header.metrics:
        key = digest_json([run.header.prompts, run.header.model, run.header.metrics])
        if not values or values[-1][0] != key:
            values.append((key, run.header.metrics[primary]))
    return consecutive_declines([value for _, value in values])
