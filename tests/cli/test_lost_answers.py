"""A change that makes the baseline's answers impossible to score again is told so itself, not who comes after it."""

from __future__ import annotations

from tests.judging import said
from tests.projects import SUITE, Box


def merge(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "HEAD")


def test_answers_to_a_case_that_was_removed_before_may_be_pruned(work: Box) -> None:
    work.path(f"golden/{SUITE}/rye.gold.json").unlink()
    work.row3("--compare", "--against", "main", "--approve", "of no use", code=0)
    merge(work, "removed")
    assert "2 removed" in work.row3("recordings", "prune", code=0).out
    assert "the baseline is older than the cases and rules there (rye removed since)" in said(work, 0)
