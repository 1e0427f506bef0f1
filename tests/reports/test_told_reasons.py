"""The grounds as they are told: what broke first, and what follows from it in a line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.verdicts import Reason, Verdict
from row3.reports.told_reasons import told_reasons

_, INVESTIGATE, BLOCK = Verdict
FIRST = Reason(BLOCK, "the prompt, not the provider")
RECALL = Reason(BLOCK, "Concept recall is worse by 9", metric="recall", follows=True)
ZONE = Reason(BLOCK, "Concept recall 40% is in its fail zone", metric="recall", follows=True)
OVERALL = Reason(BLOCK, "Overall is worse by 6", metric="overall", follows=True)
BESIDE = Reason(INVESTIGATE, "Duplicate rate is worse by 2", metric="duplicateRate", follows=True)
REMOVED = Reason(BLOCK, "removed since the baseline: a", cause="cases")


def broke(case_id: str, verdict: Verdict = INVESTIGATE) -> Reason:
    return Reason(verdict, f"{case_id} broke", case_id=case_id, broke=True)


@pytest.fixture
def told(comparison: Any) -> Any:
    def told(*reasons: Reason) -> list[tuple[Verdict, str]]:
        return [(each.verdict, each.text) for each in told_reasons(replace(comparison, reasons=reasons))]

    return told


def test_the_cause_comes_first_and_what_follows_is_a_line_a_verdict(told: Any) -> None:
    assert told(FIRST, OVERALL, ZONE, RECALL, REMOVED, BESIDE, broke("a")) == [
        (BLOCK, FIRST.text),
        (INVESTIGATE, "a broke"),
        (BLOCK, "follows from a alone: Concept recall and Overall are worse"),
        (INVESTIGATE, "follows from a alone: Duplicate rate is worse"),
        (BLOCK, REMOVED.text),
    ]


def test_many_that_broke_are_counted_and_critical_ones_all_named(told: Any) -> None:
    some = [broke(name) for name in "abcde"]
    critical = [broke(name, BLOCK) for name in "vwxyz"]
    texts = [text for _, text in told(*critical, OVERALL, *some)]
    assert texts[:8] == [f"{name} broke" for name in "vwxyzabc"]
    assert texts[8:] == [
        "2 more broke: no answer can be used",
        "follows from the 10 cases that broke: Overall is worse",
    ]


def test_what_stands_by_itself_is_told_as_it_is(told: Any) -> None:
    alone = replace(OVERALL, follows=False)
    assert told(alone, REMOVED) == [(BLOCK, alone.text), (BLOCK, REMOVED.text)]
    assert told(alone, broke("a")) == [(BLOCK, alone.text), (INVESTIGATE, "a broke")]
    assert told() == []
