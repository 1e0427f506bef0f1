"""What a promotion did, or would do, and the files that it writes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from row3.domain.counts import count
from row3.domain.prompts import Prompt, PromptRef
from row3.errors import InvalidFile, Row3Error
from row3.gate.results import PromotionResult
from row3.gate.zones import SLACK
from row3.store import prompts as prompt_store
from row3.store.history import FILE as HISTORY
from row3.store.history import history_text, parse_history
from row3.store.project import CHANGELOG, Project, read_changelog
from row3.workflows.comparing.baseline import archived, baseline_files
from row3.workflows.history.trend import chart_files, chart_name
from row3.workflows.session import Session, entry_of

NOTABLE = 0.02
"""Change of a case's composite from which the changelog mentions it."""
LARGE = 0.05
NOTED_CASES = 5
UNSAID = "Nobody wrote what changes and why"
"""Begins what stands for the reason of a version whose description is an earlier one's."""


def promotion_entry(project: Project, result: PromotionResult) -> str:
    """Return the entry of STANDARDS 5.3: what changed, the metric deltas, the notable cases."""
    from row3.reports.changelog import changelog_entry

    comparison, run, approval = result.comparison, result.run, result.approval
    baseline = comparison.baseline.metrics if comparison is not None else {}
    before = comparison.baseline.prompts.get(result.ref.name) if comparison is not None else None
    rows = [
        (
            _capitalised(metric.title.removeprefix("Concept ")),
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
    """Return whether an entry says that nobody wrote what the version changes."""
    return any(line.startswith(f"- {UNSAID}") for line in entry.splitlines())


def _changes(project: Project, ref: PromptRef) -> list[str]:
    """What the prompt's description says; of one that was only copied, that it says nothing of this version."""
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


def _capitalised(title: str) -> str:
    """With a capital at the beginning; the others (F1, MRR, NDCG) stay."""
    return title[:1].upper() + title[1:]


def _notes(result: PromotionResult) -> list[str]:
    run = result.run
    notes = [f"{run.cases} golden cases, model {run.header.model}, verdict {result.verdict.word}"]
    if result.comparison is None:
        return [*notes, "First promotion: no earlier baseline to compare with"]
    moves: list[str] = []
    for change in result.comparison.cases:
        file, size = f"{change.case_id}.gold.json", "Large" if abs(change.delta) >= LARGE else "Small"
        points = f"({100 * change.delta:+.1f} points"
        if change.move == "broke":
            moves.append(f"{file} broke: its answer cannot be used")
        elif change.delta >= NOTABLE - SLACK:
            moves.append(f"{size} improvement on {file} {points})")
        elif change.delta <= -NOTABLE + SLACK:
            moves.append(f"{size} regression on {file} {points}, investigate)")
    notes += moves[:NOTED_CASES]
    if len(moves) > NOTED_CASES:
        more = count(len(moves) - NOTED_CASES, "more case")
        notes.append(f"and {more} that moved by {100 * NOTABLE:g} points or more")
    return notes


def planned_files(project: Project, result: PromotionResult) -> tuple[str, ...]:
    """Return the files that a promotion would write, without making their contents."""
    suite, comparison = result.run.suite, result.comparison
    baseline = project.baseline(suite.name, suite.tier)
    known = comparison is not None and project.tree.exists(baseline)
    old = (archived(suite.name, comparison.baseline.run_id),) if comparison is not None and known else ()
    charts = (f"{chart_name(suite)}.svg", f"{chart_name(suite)}.png")
    return (prompt_store.PROMOTED, *old, baseline, CHANGELOG, HISTORY, *charts)


def check_entry(project: Project, ref: PromptRef) -> None:
    """Raise `InvalidFile` where the changelog's entry for a version is about another prompt too."""
    from row3.reports.changelog import mixed_entries

    for entry in mixed_entries(read_changelog(project)):
        if entry.concerns(str(ref.version), ref.name):
            raise InvalidFile(entry.problem, where=f"{CHANGELOG}:{entry.line}", fix="Then promote again")


def as_inserted(project: Project, result: PromotionResult) -> str:
    """Return the entry as it would stand in the changelog, with what a hand wrote there for this version."""
    from row3.reports.changelog import merged_entry

    return merged_entry(read_changelog(project), result.entry, str(result.ref.version), result.ref.name)


def promotion_files(session: Session, result: PromotionResult, newly: Sequence[Prompt]) -> dict[str, bytes]:
    """Return the new contents of every file that a promotion writes. Raises `InvalidFile`."""
    from row3.reports.changelog import insert_entry

    project, suite, run = session.project, session.suite, result.run
    today = datetime.now(UTC).date().isoformat()
    table = prompt_store.read_promoted(project.tree)
    for prompt in newly:
        before = table.get(prompt.ref.name)
        locked = {} if before is None else before.locked | {before.version: before.digest}
        table[prompt.ref.name] = prompt_store.Promotion(
            version=str(prompt.ref.version), digest=prompt.digest, date=today, locked=locked
        )
    files = {prompt_store.PROMOTED: prompt_store.promoted_text(table).encode()}
    files |= baseline_files(project, suite, run, session.answers)
    changelog = read_changelog(project)
    files[CHANGELOG] = insert_entry(changelog, result.entry, str(result.ref.version), result.ref.name).encode()
    history = history_text(project.tree, entry_of(run, result.judgement, result.approval))
    files[HISTORY] = history.encode()
    files |= chart_files(suite, parse_history(history), weekly=False)
    return files
