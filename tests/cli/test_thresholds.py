"""Thresholds of `row3.toml`: those that block, those that only warn."""

from __future__ import annotations

import pytest

from tests.journeys import judged
from tests.projects import CONFIG, SUITE, Box, worse

HIGH = f"""[suites.{SUITE}.thresholds.recall]
minimum = 0.9
target = 0.95
excellent = 1
"""
WARNS = f"{HIGH}blocking = false\n"


@pytest.fixture
def judged_by(box: Box) -> Box:
    """A version that finds half of the concepts, whose moves alone would not block."""
    worse(box)
    return box


def settings(box: Box, thresholds: str) -> None:
    """Settings with a baseline made under them."""
    box.write("row3.toml", f"{CONFIG}{thresholds}[suites.{SUITE}.gate]\nblock = 90\ninvestigate = 80\n")
    box.row3("--baseline", code=0)


def test_a_fail_zone_blocks_unless_it_only_warns(judged_by: Box) -> None:
    settings(judged_by, HIGH.replace("0.9\n", "0.6\n"))
    assert "block entered_fail_zone recall" in judged(judged_by, against=None, code=1).reasons
    settings(judged_by, WARNS)
    warned = judged(judged_by, against=None, code=0)
    assert (warned.value["verdict"], warned.value["warningOnly"]) == ("investigate", ["recall"])
    assert "investigate in_fail_zone recall" in warned.reasons


def test_a_scorecard_marks_the_minimum_that_only_warns(judged_by: Box) -> None:
    settings(judged_by, WARNS)
    done = judged_by.row3(code=0)
    assert "(≥90%)" in done.out
    assert "a minimum in brackets warns and does not block" in done.out
    assert "Concept recall (warns, does not block)" in " ".join(done.out.split())
    assert "(≥90%)" in judged_by.row3("--format", "markdown", code=0).out


def test_what_a_threshold_leaves_out_is_the_kinds(judged_by: Box) -> None:
    judged_by.write("row3.toml", f"{CONFIG}[suites.{SUITE}.thresholds.recall]\nblocking = false\n")
    assert "(≥60%)    ≥70%       ≥85%" in judged_by.row3(code=0).out
    judged_by.write("row3.toml", f"{CONFIG}[suites.{SUITE}.thresholds.f1]\nminimum = 0.5\n")
    assert "f1: `target` is missing" in judged_by.row3(code=2).err


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("thresholds.recall]\nminimum = 0.95", "minimum 0.95, target 0.7 (the default), excellent 0.85 (the default)"),
        ("live.thresholds.recall]\ntarget = 0.2", "minimum 0.6 (as in other modes), target 0.2, excellent 0.85 (as in"),
    ],
)
def test_zones_that_overlap_are_told_with_what_was_not_given(box: Box, table: str, told: str) -> None:
    box.write("row3.toml", f"{CONFIG}[suites.{SUITE}.{table}\n")
    (error,) = box.row3(*(["--mode", "live"] if "live" in table else []), code=2).errors
    assert f"the zones overlap: {told}" in error
    assert "Keep minimum ≤ target ≤ excellent" in error
