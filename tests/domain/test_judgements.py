"""Significant changes of metrics."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.judgements import Interval, MetricChange, Verdict
from tests.rows import every_row

CHANGE = MetricChange("overall", 0.7, 0.75, 0.05, -5.0, Verdict.PROCEED, 10)


@every_row(("low", "high", "said"), [(0.01, 0.09, True), (-0.09, -0.01, True), (-0.01, 0.11, False)])
def test_a_change_is_significant_if_its_interval_excludes_0(low: float, high: float, said: bool) -> None:
    interval = Interval((low + high) / 2, low, high, 0.95, 0.5, 0.02, 9, 10)
    assert replace(CHANGE, interval=interval).significant is said


def test_without_an_interval_nothing_is_significant() -> None:
    assert not CHANGE.significant


def test_the_worst_verdict_is_the_largest() -> None:
    assert max([Verdict.PROCEED, Verdict.BLOCK, Verdict.INVESTIGATE]) is Verdict.BLOCK


def test_verdicts_are_spelled_as_in_the_vocabulary() -> None:
    assert [verdict.word for verdict in Verdict] == ["proceed", "investigate", "block"]
