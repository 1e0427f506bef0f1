"""Which approval counts for what a verdict rests on."""

from __future__ import annotations

from row3.store.history import Approval, HistoryEntry
from row3.workflows.comparing.evidence import approved_before


def entry(reason: str, at: str, evidence: str = "e1") -> HistoryEntry:
    return HistoryEntry(
        run_id=reason,
        at="2026-11-20T10:00:00Z",
        action="compare",
        suite="bread",
        prompts={},
        model="",
        mode="replay",
        cases=0,
        metrics={},
        evidence=evidence,
        approval=Approval(reason=reason, by="Ann", at=at),
    )


def counting(*entries: HistoryEntry) -> str | None:
    found = approved_before(entries, "e1")
    return None if found is None else found.reason


def test_the_newest_approval_of_the_evidence_counts() -> None:
    old, new = entry("old", "2026-11-20T10:00:00Z"), entry("new", "2026-11-21T09:00:00Z")
    assert counting(old, new) == "new"
    assert counting(new, old) == "new", "a merge may have put them in another order"
    assert counting(old, new, old) == "new"


def test_of_one_second_the_later_entry_counts() -> None:
    at = "2026-11-20T10:00:00Z"
    assert counting(entry("first", at), entry("second", at)) == "second"


def test_of_other_evidence_none_counts() -> None:
    other = entry("other", "2026-11-22T10:00:00Z", "e2")
    assert counting(other) is None
    assert counting(entry("own", "2026-11-20T10:00:00Z"), other) == "own"
