"""Approvals that a change lacks and that are in the work tree's history: they were only not added."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from row3.errors import Row3Error
from row3.reports.suites.suites_model import Gone, Judged, SuiteResult
from row3.store.history import read_history
from row3.workflows.comparing.comparison import Comparison


def approved_beside(results: Iterable[SuiteResult], work_tree: Path) -> set[str]:
    """The blocked suites that somebody approved of, for this very evidence, where people work.

    Args:
        results: what came of the project as it was judged.
        work_tree: the same project where people work.
    """
    blocked = {result.suite: _evidence(result) for result in results if result.exit_code == 1}
    if not any(blocked.values()):
        return set()
    try:
        history = read_history(work_tree)
    except Row3Error:  # what cannot be read is nothing to add
        return set()
    signed = {entry.evidence for entry in history if entry.approval is not None}
    return {suite for suite, evidence in blocked.items() if evidence and evidence in signed}


def _evidence(result: SuiteResult) -> str:
    if isinstance(result, Gone):
        return result.evidence
    if not isinstance(result, Judged):
        return ""
    assert isinstance(result.comparison, Comparison)
    return result.comparison.evidence
