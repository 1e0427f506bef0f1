"""Approvals that a change lacks and that are in the work tree's history: they were only not added."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from row3.errors import Row3Error
from row3.reports.suites.suites_model import Gone, Judged, SuiteResult
from row3.store.history import HistoryEntry, read_history
from row3.store.tree import WorkTree
from row3.workflows.against.at_ref import Base
from row3.workflows.against.signed_since import signed_since
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.evidence import approved_before


def approved_beside(results: Iterable[SuiteResult], work_tree: Path, base: Base | None) -> set[str]:
    """The blocked suites that somebody approved of, for this very evidence, where people work.

    Args:
        results: what came of the project as it was judged.
        work_tree: the same project where people work.
        base: what judged; an approval that it has already was for an earlier change.
    """
    blocked = {result.suite: _evidence(result) for result in results if result.exit_code == 1}
    if not any(blocked.values()):
        return set()
    try:
        history = read_history(WorkTree(work_tree))
    except Row3Error:  # what cannot be read is nothing to add
        return set()
    return {suite for suite, evidence in blocked.items() if evidence and _signed(base, history, evidence)}


def _signed(base: Base | None, history: Iterable[HistoryEntry], evidence: str) -> bool:
    found = approved_before(history, evidence) if base is None else signed_since(base, history, evidence)
    return found is not None


def _evidence(result: SuiteResult) -> str:
    if isinstance(result, Gone):
        return result.evidence
    if not isinstance(result, Judged):
        return ""
    assert isinstance(result.comparison, Comparison)
    return result.comparison.evidence
