"""A promotion's entry in the changelog: what changed, how the metrics moved, which cases are worth a word."""

from __future__ import annotations

from datetime import UTC, datetime

from row3.domain.counts import count
from row3.domain.prompts import PromptRef
from row3.errors import Row3Error
from row3.gate.zones import SLACK
from row3.store import prompts as prompt_store
from row3.store.project import Project
from row3.workflows.promoting.promotion import PromotionResult

NOTABLE = 0.02
"""Change of a case's composite from which the changelog mentions it."""
SIGNIFICANT = 0.05
NOTED_CASES = 5
UNSAID = "Nobody wrote what changes and why"
"""Begins what stands for the reason of a version whose description is an earlier one's."""


def promotion_entry(project: Project, result: PromotionResult) -> str:
    """The entry of STANDARDS 5.3: what changed, the metric deltas, the notable cases."""
    from row3.reports.changelogs.changelog import changelog_entry

    comparison, run, approval = result.comparison, result.run, result.approval
    baseline = comparison.baseline.metrics if comparison is not None else {}
    # Promoted or not: the version whose figures stand beside the new ones.
    before = comparison.baseline.prompts.get(result.ref.name) if comparison is not None else None
    rows = [
        (
            _begun(metric.title.removeprefix("Concept ")),
            baseline.get(metric.key),
            run.header.metrics[metric.key],
            metric.higher_is_better,
        )
        for metric in result.run.suite.kind.metrics
        if not metric.companion and metric.key in run.header.metrics
    ]
    others = [name for name in result.promoted if name != str(result.ref)]
    return changelog_entry(
        version=str(result.ref.version),
        date=datetime.now(UTC).date().isoformat(),
        prompt=result.ref.name,
        changes=_changes(project, result.ref),
        rows=rows,
        baseline_version=None if before == str(result.ref.version) else before,
        notes=[*_notes(result), *(f"Promoted with it: {name}" for name in others)],
        approval="" if approval is None else f"{approval.reason} ({approval.by}, {approval.at})",
    )


def unexplained(entry: str) -> bool:
    """Whether an entry, as it stands in the changelog, says that nobody wrote what the version changes."""
    return any(line.startswith(f"- {UNSAID}") for line in entry.splitlines())


def _changes(project: Project, ref: PromptRef) -> list[str]:
    """What the prompt's description says; of one that was only copied, that it tells nothing of this version."""
    described = prompt_store.read_prompt(project.tree, ref).description
    if not described:
        return []
    earlier = [version for version in prompt_store.versions(project.tree)[ref.name] if version < ref.version]
    for version in reversed(earlier):
        try:
            old = prompt_store.read_prompt(project.tree, PromptRef(ref.name, version)).description
        except Row3Error:  # `row3 lint` is for that
            continue
        if old.split() == described.split():
            return [f"{UNSAID}: the prompt's description is still that of {version}."]
    return [described]


def _begun(title: str) -> str:
    """With a capital at the beginning; the others (F1, MRR, NDCG) stay."""
    return title[:1].upper() + title[1:]


def _notes(result: PromotionResult) -> list[str]:
    run = result.run
    notes = [f"{run.cases} golden cases, model {run.header.model}, verdict {result.verdict.word}"]
    if result.comparison is None:
        notes.append("First promotion: no earlier baseline to compare with")
        return notes
    moves: list[str] = []
    for change in result.comparison.cases:
        file = f"{change.case_id}.gold.json"
        if change.move == "broke":
            moves.append(f"{file} broke: its answer cannot be used")
        elif change.delta >= NOTABLE - SLACK:
            size = "Significant improvement" if change.delta >= SIGNIFICANT else "Improvement"
            moves.append(f"{size} on {file} ({100 * change.delta:+.1f} points)")
        elif change.delta <= -NOTABLE + SLACK:
            size = "Significant regression" if -change.delta >= SIGNIFICANT else "Slight regression"
            moves.append(f"{size} on {file} ({100 * change.delta:+.1f} points, investigate)")
    notes += moves[:NOTED_CASES]
    if len(moves) > NOTED_CASES:
        notes.append(
            f"and {count(len(moves) - NOTED_CASES, 'more case')} that moved by {100 * NOTABLE:g} points or more"
        )
    return notes
