"""What becomes of many suites: their standings, the one exit code, the one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from row3.domain.verdicts import Verdict
from row3.reports.suites.suites_model import (
    Broken,
    Gone,
    Judged,
    Ran,
    SuiteResult,
    SuitesReport,
    Unjudged,
    standing,
    worst_code,
)


def test_the_worst_exit_code_comes_first_in_whatever_order() -> None:
    for codes in permutations((0, 1, 2, 3)):
        assert worst_code(codes) == 2
    assert worst_code((0, 3, 1)) == 1
    assert worst_code((3, 0)) == 3
    assert worst_code(()) == 0


def judged(make: Any, run: Any, verdict: Verdict, **rest: Any) -> Judged:
    return Judged(make.comparison(run, (), verdict=verdict, **rest))


def test_standings(make: Any, run: Any) -> None:
    unanswered = replace(run, collected=make.Collected(failed=("ozone",)))
    results: Sequence[tuple[SuiteResult, str, int]] = (
        (judged(make, run, Verdict.PROCEED), "proceed", 0),
        (judged(make, run, Verdict.INVESTIGATE), "investigate", 0),
        (judged(make, run, Verdict.BLOCK), "block", 1),
        (judged(make, run, Verdict.BLOCK, approval=make.Approval()), "approved", 0),
        (judged(make, unanswered, Verdict.BLOCK), "incomplete", 3),
        (Ran(run), "none", 0),
        (Ran(unanswered), "incomplete", 3),
        (Unjudged("new", "no baseline yet"), "none", 0),
        (Gone("old"), "block", 1),
        (Gone("old", approval=make.Approval()), "approved", 0),
        (Broken("torn", "a.gold.json: not JSON", 2), "unusable", 2),
        (Broken("shut", "the key is refused", 3), "incomplete", 3),
    )
    for result, word, code in results:
        assert (standing(result), result.exit_code) == (word, code), result


@pytest.mark.parametrize(
    ("verdicts", "more", "verdict", "code"),
    [
        ((Verdict.PROCEED, Verdict.PROCEED), (), Verdict.PROCEED, 0),
        ((Verdict.PROCEED, Verdict.INVESTIGATE), (), Verdict.INVESTIGATE, 0),
        ((Verdict.INVESTIGATE, Verdict.BLOCK), (), Verdict.BLOCK, 1),
        ((Verdict.PROCEED,), (Broken("torn", "not JSON", 2),), Verdict.BLOCK, 2),
        ((Verdict.PROCEED,), (Unjudged("new", "no baseline yet"),), Verdict.PROCEED, 0),
    ],
)
def test_what_could_not_be_judged_does_not_pass(
    make: Any, run: Any, verdicts: tuple[Verdict, ...], more: tuple[SuiteResult, ...], verdict: Verdict, code: int
) -> None:
    report = SuitesReport([*(judged(make, run, each) for each in verdicts), *more])
    assert (report.verdict, report.exit_code, report.judged) == (verdict, code, True)
