"""Golden cases that ask for more than what runs can do are told by the change that brings them, not by the next one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judging import said
from tests.projects import CASES, SUITE, Box, first, flawless

MORE = [{"label": f"unheard of {name}"} for name in ("one", "two", "three", "four", "five", "six")]
HARDER = {case_id: case | {"expectedConcepts": [*case["expectedConcepts"], *MORE]} for case_id, case in CASES.items()}
FAILS = "Concept recall 40.0% is in its fail zone{} by the golden cases of this change, though not by those of main"


def make_harder(box: Box, most: int = len(MORE)) -> None:
    for case_id, case in CASES.items():
        box.case(case_id, expectedConcepts=[*case["expectedConcepts"], *MORE[:most]])


def add_easy(box: Box, number: int) -> None:
    for each in range(number):
        case: dict[str, Any] = CASES["rye"] | {"sourceText": f"{CASES['rye']['sourceText']} ({each})"}
        box.case(f"easy-{each}", **case)
        box.record("1.1", {f"easy-{each}": flawless(case)})


@pytest.mark.parametrize("new_baseline", [False, True])
def test_cases_that_what_runs_cannot_pass_block(work: Box, new_baseline: bool) -> None:
    make_harder(work)
    if new_baseline:
        work.row3("--baseline", code=0)
    told = said(work, 1)
    assert f"block {FAILS.format('')}: all that comes after would block" in told
    assert told.count("by the golden cases of this change") == told.count("all that comes after")
    assert "put the golden cases back" in told
    work.row3("--compare", "--against", "main", "--approve", "a better prompt is on its way", code=0)
    assert "BLOCK, approved" in said(work, 0)


def test_after_an_approval_a_prompt_that_passes_them_is_let_in(work: Box) -> None:
    make_harder(work)
    work.row3("--compare", "--against", "main", "--approve", "a better prompt is on its way", code=0)
    work.commit("harder")
    work.git("branch", "-f", "main", "work")
    said(work, 1)
    work.prompt("1.2")
    work.record("1.2", {case_id: flawless(case) for case_id, case in HARDER.items()})
    assert "fail zone" not in said(work, 0)


def test_cases_that_are_only_a_little_harder_do_not(work: Box) -> None:
    make_harder(work, most=1)
    assert "fail zone" not in said(work, 0)


def test_nor_where_the_gate_is_informational(work: Box) -> None:
    work.write("row3.toml", work.read("row3.toml") + f"[suites.{SUITE}.gate]\ninformational = true\n")
    work.row3("--baseline", code=0)
    work.commit("informational")
    work.git("branch", "-f", "main", "work")
    make_harder(work)
    assert "fail zone" not in said(work, 0)


def test_a_metric_that_fails_by_the_base_s_cases_too_is_told_once(work: Box) -> None:
    make_harder(work)
    work.commit("harder")
    work.git("branch", "-f", "main", "work")
    work.case("rye", expectedConcepts=[*HARDER["rye"]["expectedConcepts"], {"label": "one more"}])
    told = said(work, 1)
    assert "block Concept recall 40.0% is in its fail zone" in told
    assert "by the golden cases of this change" not in told


def test_easy_cases_beside_them_hide_nothing(work: Box) -> None:
    make_harder(work)
    add_easy(work, 6)
    told = said(work, 1)
    over = " over the baseline's cases"
    assert f"block {FAILS.format(over)}: all that comes after would block" in told
    work.row3("--baseline", code=0)
    assert "fail zone" not in said(work, 0), "its baseline has them all"


def test_so_do_cases_that_are_taken_away(work: Box) -> None:
    """What is left is what the prompt cannot do."""
    add_easy(work, 6)
    work.record("1.1", {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
    work.row3("--baseline", code=0)
    work.commit("easy ones")
    work.git("branch", "-f", "main", "work")
    for each in range(6):
        work.path(f"golden/{SUITE}/easy-{each}.gold.json").unlink()
    told = said(work, 1)
    assert "golden cases removed since main" in told
    assert "Concept recall 50.0% is in its fail zone by the golden cases of this change" in told
