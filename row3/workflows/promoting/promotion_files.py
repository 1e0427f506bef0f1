"""The files that a promotion writes: lock, baseline, changelog, history and charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from row3.domain.prompts import Prompt, PromptRef
from row3.errors import InvalidFile
from row3.store import prompts as prompt_store
from row3.store.changelog import FILE as CHANGELOG
from row3.store.changelog import read_changelog
from row3.store.history import FILE as HISTORY
from row3.store.history import history_text, parse_history
from row3.store.project import Project
from row3.workflows.comparing.baseline import archived, baseline_files
from row3.workflows.history.trend import chart_files, chart_name
from row3.workflows.promoting.promotion import PromotionResult
from row3.workflows.session import Session, entry_of


def planned_files(project: Project, result: PromotionResult) -> tuple[str, ...]:
    """The files that a promotion would write, without making their contents."""
    suite, comparison = result.run.suite, result.comparison
    baseline = project.baseline(suite.name, suite.tier)
    old = (
        ()
        if comparison is None or not project.tree.exists(baseline)
        else (archived(suite.name, comparison.baseline.run_id),)
    )
    charts = (f"{chart_name(suite)}.svg", f"{chart_name(suite)}.png")
    return (prompt_store.PROMOTED, *old, baseline, CHANGELOG, HISTORY, *charts)


def check_entry(project: Project, ref: PromptRef) -> None:
    """Raise `InvalidFile` where the changelog's entry for a version tells of another prompt too."""
    from row3.reports.changelogs.changelog_insert import MEND_MIXED, mixed_entries

    for entry in mixed_entries(read_changelog(project)):
        if entry.concerns(str(ref.version), ref.name):
            raise InvalidFile(f"{entry.told}", where=f"{CHANGELOG}:{entry.line}", fix=f"{MEND_MIXED}, then promote")


def as_inserted(project: Project, result: PromotionResult) -> str:
    """The entry as it would stand in the changelog, with what a hand wrote there for this version."""
    from row3.reports.changelogs.changelog_insert import merged_entry

    return merged_entry(read_changelog(project), result.entry, str(result.ref.version), result.ref.name)


def promotion_files(session: Session, result: PromotionResult, newly: Sequence[Prompt]) -> dict[str, bytes]:
    """The new contents of every file that a promotion writes. Raises `InvalidFile`."""
    from row3.reports.changelogs.changelog_insert import insert_entry

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
    files |= baseline_files(project, suite, run)
    changelog = read_changelog(project)
    files[CHANGELOG] = insert_entry(changelog, result.entry, str(result.ref.version), result.ref.name).encode()
    entry = entry_of(run, result.comparison, result.approval)
    if result.comparison is None:
        entry = entry.model_copy(update={"verdict": result.verdict.word, "reasons": [r.text for r in result.reasons]})
    history = history_text(project.tree, entry)
    files[HISTORY] = history.encode()
    files |= chart_files(suite, parse_history(history), weekly=False)
    return files
