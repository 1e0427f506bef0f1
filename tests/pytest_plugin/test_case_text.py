"""Why a case failed, for a person who reads a test's output."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.judgements import CaseChange
from row3.domain.printable import cells
from row3.domain.scores import Zone
from row3.pytest_plugin.case_text import case_text, movement_line, score_text
from row3.reports.case_changes import noun_of
from tests.reports.conftest import Suite
from tests.rows import every_row

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

− lost: Halons; ozone layer
+ no longer unexpected: Gas
− 1 relationship lost: Halons IS_A Gas

Next: row3 investigate ozone --suite decomposition"""


def test_it_says_what_was_lost_item_by_item() -> None:
    assert case_text(Suite(), "ozone", "scored", METRICS, CHANGE, why="regressed", advice=True) == TEXT


def test_what_has_nothing_to_compare_with_shows_its_value() -> None:
    for change in (None, CaseChange("ozone", "new", 0.0)):
        assert movement_line(Suite(), METRICS, change) == "Overall 60.0%"


def test_a_bad_answer_shows_how_it_begins() -> None:
    text = case_text(Suite(), "a", "bad_answer", {}, None, why="bad answer", problem="no JSON", raw="\x1b[2Jno " * 200)
    assert text.startswith("bad answer: no JSON\n\nThe answer begins:\nno no ")
    assert "\x1b" not in text
    assert text.endswith("…")


def test_reasons_stand_below_the_headline() -> None:
    lines = case_text(Suite(), "a", "scored", METRICS, None, why="blocks the gate", reasons=["critical case a broke"])
    assert lines.split("\n") == ["blocks the gate: Overall 60.0%", "- critical case a broke"]


def test_long_lists_are_counted() -> None:
    found = {"missedConcepts": [f"c{i}" for i in range(50)], "x": []}
    text = " ".join(case_text(Suite(), "a", "scored", METRICS, None, shortfall=found).split())
    assert "− missed concepts: c0; c1;" in text
    assert text.endswith("c39; and 10 more")


def test_the_score_is_narrow() -> None:
    assert [score_text(0.741, zone) for zone in (Zone.MARGINAL, None)] == ["74.1% ! marginal", "74.1%"]
    assert score_text(None, None) == ""


@given(st.text(), st.lists(st.text(max_size=30)))
def test_any_text_is_printable_and_fits(name: str, items: list[str]) -> None:
    change: Any = CaseChange(name, "regressed", -0.1, {"overall": -0.1}, {}, {"missedConcepts": tuple(items)})
    text = case_text(Suite(), name, "scored", METRICS, change, why="regressed")
    assert all(line.isprintable() and cells(line) <= 80 for line in text.split("\n"))


@every_row(
    ("key", "one", "many"),
    [
        ("missedConcepts", "concept", "concepts"),
        ("missedDueDates", "due date", "due dates"),
        ("wrongEvents", "event", "events"),
        ("canaries", "canary", "canaries"),
        ("missedEntities", "entity", "entities"),
    ],
)
def test_what_a_list_holds(key: str, one: str, many: str) -> None:
    assert (noun_of(key, 1), noun_of(key, 2)) == (one, many)
