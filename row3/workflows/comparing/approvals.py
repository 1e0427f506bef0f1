"""Approvals: who signed exactly this comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from row3.domain.judgements import Approval
from row3.domain.runs import HistoryEntry
from row3.errors import UsageError
from row3.store.history import FILE as HISTORY
from row3.store.project import CHANGELOG
from row3.store.snapshot import Snapshot
from row3.workflows.reasons import check_reason


def find_approval(history: Sequence[HistoryEntry], base: Snapshot | None, signature: str) -> Approval | None:
    """Return the newest approval of a signature that the base does not have yet."""
    given = _given(entry for entry in history if entry.evidence == signature)
    if given and base is not None:
        earlier = _given(base.history())
        given = [approval for approval in given if approval not in earlier]
    return max(reversed(given), key=lambda approval: approval.at, default=None)


def stale_approval(
    history: Sequence[HistoryEntry], base: Snapshot | None, suite: str, signature: str
) -> Approval | None:
    """Return the newest approval of a suite that came with the change and was given for something else."""
    if base is None:
        return None
    earlier = _given(base.history())
    given = _given(entry for entry in history if entry.suite == suite and entry.evidence != signature)
    return max((each for each in given if each not in earlier), key=lambda each: each.at, default=None)


def _given(history: Iterable[HistoryEntry]) -> list[Approval]:
    return [entry.approval for entry in history if entry.approval is not None]


def check_approval(approve: str | None, *, may_write: bool, partial: bool = False, gate_flags: str = "") -> None:
    """Raise `UsageError` for an approval that says nothing, or that hook and CI could not know."""
    if approve is None:
        return
    check_reason(approve, where="--approve", write="why the change is acceptable")
    if not may_write:
        raise UsageError(
            "nothing is written in CI or for its formats, so an approval would be lost",
            where="--approve",
            fix=f"Approve on a developer's machine, and commit {HISTORY} and {CHANGELOG}",
        )
    if partial:
        raise UsageError(
            "--case and --only run part of the suite, so there is no verdict to approve",
            where="--approve",
            fix="Run all cases",
        )
    if gate_flags:
        raise UsageError(
            "hook, CI and promotion judge by row3.toml, so an approval of another gate would hold nowhere",
            where=f"--approve with {gate_flags}",
            fix="Leave these out, or write them into row3.toml",
        )


def says_the_same(approval: Approval, before: Approval | None) -> bool:
    """Return whether the same person gave the same reason before."""
    return before is not None and (before.reason, before.by) == (approval.reason, approval.by)
