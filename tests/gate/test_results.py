"""Results of several suites: standings, exit code and verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from row3.domain.judgements import Code, Judgement, Reason, Verdict
from row3.gate.policy import GatePolicy
from row3.gate.results import SuiteResult, SuitesReport, judged, ran, worst_code
from tests.reports.conftest import ANN, Make
from tests.reports.conftest import comparison as comparison  # noqa: PLC0414
from tests.reports.conftest import run as run  # noqa: PLC0414

NOTE, INVESTIGATE, BLOCK = Verdict
REMOVED = Reason(Code.CRITERIA_REMOVED, BLOCK, "suite old")


def verdict_on(comparison: Any, verdict: Verdict, **rest: Any) -> SuiteResult:
    return judged(Make.judged(comparison, Reason(Code.WORSE, verdict, "recall"), **rest))


def test_the_worst_exit_code_comes_first_in_any_order() -> None:
    for codes in permutations((0, 1, 2, 3)):
        assert worst_code(codes) == 2
    assert (worst_code((0, 3, 1)), worst_code((3, 0)), worst_code(())) == (1, 3, 0)


def test_standings(comparison: Any, run: Any) -> None:
    unanswered = replace(run, failed=("ozone",))
    informs = replace(run, suite=replace(run.suite, policy=GatePolicy(informational=True)))
    signed = Judgement(BLOCK, (REMOVED,), complete=True, signature="", approval=ANN)
    results: Sequence[tuple[SuiteResult, str, int]] = (
        (verdict_on(comparison, NOTE), "proceed", 0),
        (verdict_on(comparison, INVESTIGATE), "investigate", 0),
        (verdict_on(comparison, BLOCK), "block", 1),
        (verdict_on(comparison, BLOCK, approved=True), "approved", 0),
        (verdict_on(comparison, BLOCK, complete=False), "incomplete", 3),
        (verdict_on(replace(comparison, run=unanswered), BLOCK), "incomplete", 3),
        (verdict_on(replace(comparison, run=informs), BLOCK), "informational", 0),
        (ran(run), "none", 0),
        (ran(unanswered), "incomplete", 3),
        (SuiteResult("new", problem="no baseline yet"), "none", 0),
        (SuiteResult("old", judgement=replace_approval(signed)), "block", 1),
        (SuiteResult("old", judgement=signed), "approved", 0),
        (SuiteResult("torn", problem="a.gold.json: not JSON", fault=2), "unusable", 2),
        (SuiteResult("shut", problem="the key is refused", fault=3), "incomplete", 3),
    )
    for result, word, code in results:
        assert (result.standing, result.exit_code) == (word, code), result


def replace_approval(judgement: Judgement) -> Judgement:
    return Judgement(judgement.verdict, judgement.reasons, complete=True, signature="")


@pytest.mark.parametrize(
    ("verdicts", "more", "verdict", "code"),
    [
        ((NOTE, NOTE), (), NOTE, 0),
        ((NOTE, INVESTIGATE), (), INVESTIGATE, 0),
        ((INVESTIGATE, BLOCK), (), BLOCK, 1),
        ((NOTE,), (SuiteResult("torn", problem="not JSON", fault=2),), BLOCK, 2),
        ((NOTE,), (SuiteResult("new", problem="no baseline yet"),), NOTE, 0),
    ],
)
def test_an_unjudged_suite_does_not_pass(
    comparison: Any, verdicts: tuple[Verdict, ...], more: tuple[SuiteResult, ...], verdict: Verdict, code: int
) -> None:
    report = SuitesReport([*(verdict_on(comparison, each) for each in verdicts), *more])
    assert (report.verdict, report.exit_code, report.judged) == (verdict, code, True)


def test_an_approved_suite_stops_nothing(comparison: Any, run: Any) -> None:
    report = SuitesReport([verdict_on(comparison, BLOCK, approved=True)])
    assert (report.verdict, report.exit_code) == (NOTE, 0)
    assert not SuitesReport([ran(run)]).judged


def test_how_far_the_branch_is_behind(comparison: Any) -> None:
    assert SuitesReport([judged(replace(comparison, behind=2, against="main"))]).behind == (2, "main")
    assert SuitesReport([judged(comparison)]).behind is None
