from __future__ import annotations

from row3.domain.verdicts import Verdict


def test_the_worst_verdict_is_the_largest() -> None:
    assert max([Verdict.PROCEED, Verdict.BLOCK, Verdict.INVESTIGATE]) is Verdict.BLOCK


def test_verdicts_are_spelled_as_in_the_vocabulary() -> None:
    assert [verdict.word for verdict in Verdict] == ["proceed", "investigate", "block"]
