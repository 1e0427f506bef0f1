"""Why a case failed, for a person who reads a test's output."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.metrics import Zone
from row3.domain.verdicts import CaseChange
from row3.reports.cases.case_failure import case_text, movement_line, score_text, shortfall_lines
from row3.reports.style import cells
from tests.reports.conftest import Suite

METRICS = {"recall": 0.5, "overall": 0.6}
CHANGE = CaseChange(
    "ozone",
    "regressed",
    -0.1,
    deltas={"recall": -0.25, "overall": -0.1},
    gained={"wrongConcepts": ("Gas",)},
    lost={"missedConcepts": ("Halons", "ozone layer"), "missedRelationships": ("Halons IS_A Gas",)},
)
TEXT = """\
regressed −10.0: Overall 70.0% → 60.0%

  − lost: Halons, ozone layer
  − 1 relationship lost: Halons IS_A Gas
  + no longer unexpected: Gas

  metric          before    now  points  zone
  ───────────────────────────────────────────
  Concept recall   75.0%  50.0%   −25.0  fail
  Overall          70.0%  60.0%   −10.0  fail

Next: row3 investigate ozone --suite decomposition"""


def test_it_says_what_was_lost_item_by_item() -> None:
    assert case_text(Suite(), "ozone", "scored", METRICS, CHANGE, why="regressed", advice=True) == TEXT


def test_what_has_nothing_to_compare_with_shows_its_value() -> None:
    for change in (None, CaseChange("ozone", "new", 0.0)):
        assert movement_line(Suite(), METRICS, change) == "Overall 60.0%"


def test_a_bad_answer_shows_how_it_begins() -> None:
    text = case_text(Suite(), "a", "bad_answer", {}, None, why="bad answer", problem="no JSON", raw="\x1b[2Jno " * 200)
    assert text.startswith("bad answer: no JSON\n\nThe answer begins:\n  no no ")
    assert "\x1b" not in text
    assert text.endswith("…")


def test_reasons_stand_below_the_headline() -> None:
    lines = case_text(Suite(), "a", "scored", METRICS, None, why="blocks the gate", reasons=["critical case a broke"])
    assert lines.split("\n") == ["blocks the gate: Overall 60.0%", "  critical case a broke"]


def test_long_lists_are_counted() -> None:
    found = {"missedConcepts": [f"c{i}" for i in range(50)], "wrongRelationships": [f"r{i}" for i in range(9)], "x": []}
    text = " ".join(" ".join(shortfall_lines(found)).split())
    assert text.startswith("− missed concepts: c0; c1;")
    assert "c39; and 10 more" in text
    assert text.endswith("− wrong relationships: r0; r1; r2; r3; r4; r5; r6; r7; and 1 more")


def test_the_score_is_narrow() -> None:
    assert [score_text(0.741, zone) for zone in (Zone.MARGINAL, None)] == ["74.1% ! marginal", "74.1%"]
    assert score_text(None, None) == ""


@given(st.text(), st.lists(st.text(max_size=30)))
def test_any_text_is_printable_and_fits(name: str, items: list[str]) -> None:
    change: Any = CaseChange(name, "regressed", -0.1, {"overall": -0.1}, {}, {"missedConcepts": tuple(items)})
    text = case_text(Suite(), name, "scored", METRICS, change, why="regressed")
    assert all(line.isprintable() and cells(line) <= 80 for line in text.split("\n"))
