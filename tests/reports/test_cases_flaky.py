"""`row3 flaky` as a table: what wavers first, and no more said than is known."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from row3.domain.quarantine import NO_QUARANTINE, Quarantine, Quarantined
from row3.gate.case_worth import FlakyCase, FlakyReport, flakiness
from row3.reports.cases import flaky_document, flaky_json
from row3.reports.terminal import PLAIN, Style, terminal_text
from tests.reports.conftest import OVERALL


def case(name: str, *values: float) -> FlakyCase:
    return flakiness(name, values, 0.65)


WAVERS, STILL, ONCE = case("rye", 0.7, 0.4, 0.7), case("oven", 0.8, 0.8, 0.8), case("yeast", 0.8)
REPORT = FlakyReport("bread", OVERALL, "extract v1.1 · m", True, 0.65, (WAVERS, STILL), (), (), NO_QUARANTINE)


def flaky_text(report: FlakyReport, style: Style = PLAIN, *, verbose: bool = False) -> str:
    return terminal_text(flaky_document(report, verbose=verbose), style)


def said(**changes: object) -> str:
    return " ".join(flaky_text(replace(REPORT, **changes)).split())  # type: ignore[arg-type]


def test_a_flaky_case_and_a_steady_one() -> None:
    text = flaky_text(REPORT)
    rows = [line for line in text.split("\n") if line.startswith(("rye", "oven"))]
    assert rows[0].split() == ["rye", "3", "40.0…70.0", "17.3", "67%", "flaky"]
    assert rows[1].split() == ["oven", "3", "80.0…80.0", "0.0", "0%", "steady"]
    assert "2 cases: 1 flaky, 1 steady, 0 unknown" in text
    assert "row3 flaky quarantine rye --until DATE --reason TEXT" in text


def test_nothing_was_asked_twice() -> None:
    text = said(cases=(ONCE,))
    assert "No case has two answers, so nothing is known. To find out: row3 --repeats 3 --mode record" in text
    assert "Next:" not in text


def test_another_setting_is_said_to_be_one() -> None:
    text = said(own=False, others=("extract v1.0 · m",), unknown=("oven",))
    assert "Not the current versions" in text
    assert "Also asked several times: extract v1.0 · m (--prompt)." in text
    assert "is unknown for oven: no answer, or the metric does not apply." in text


def test_a_quarantined_case_is_marked_and_not_urged() -> None:
    held = Quarantine(
        (Quarantined("rye", "2026-11-22", "2026-12-01", "wavers"),),
        (Quarantined("oven", "2026-11-01", "2026-11-20", "x"),),
    )
    text = said(quarantine=held)
    assert "flaky (quarantined)" in text
    assert "quarantined: 1 case (rye until 2026-12-01: wavers)" in text
    assert "row3 flaky quarantine rye" not in text
    assert "row3 flaky release oven" in text


def test_many_cases_are_cut_short() -> None:
    many = tuple(case(f"c{i:03}", 0.8, 0.8, 0.8) for i in range(45))
    assert "and 15 more (-v shows all)" in said(cases=many)
    assert "more (-v" not in flaky_text(replace(REPORT, cases=many), verbose=True)


def test_json() -> None:
    value = json.loads(json.dumps(flaky_json(REPORT)))
    assert value["schemaVersion"] == 1
    assert value["cases"][0] == {
        "id": "rye",
        "verdict": "flaky",
        "answers": 3,
        "lowest": 0.4,
        "highest": 0.7,
        "spread": pytest.approx(0.3),
        "noise": pytest.approx(0.17320508),
        "flipRate": pytest.approx(2 / 3),
    }
    assert value["quarantined"] == []
