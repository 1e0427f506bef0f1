"""The worth of cases, by hand and against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.scores import Metric, Threshold
from row3.gate.case_worth import CaseWorth, redundant, worth
from tests.rows import every_row

OVERALL = Metric("overall", "Overall")
FOUR = [
    {"good": 0.2, "noise": 0.9, "easy": 1.0, "also": 0.3},
    {"good": 0.4, "noise": 0.2, "easy": 1.0, "also": 0.4},
    {"good": 0.7, "noise": 0.8, "easy": 1.0, "also": 0.6},
    {"good": 0.9, "noise": 0.3, "easy": 1.0, "also": 0.9},
]
TABLES = st.integers(3, 8).flatmap(
    lambda versions: st.lists(st.lists(st.floats(0, 1), min_size=versions, max_size=versions), min_size=2, max_size=6)
)


def by_id(columns: list[dict[str, float]]) -> dict[str, CaseWorth]:
    return {each.case_id: each for each in worth(columns, OVERALL, None)}


def test_by_hand() -> None:
    found = by_id(FOUR)
    rest = [sum(v for k, v in column.items() if k != "good") / 3 for column in FOUR]
    assert found["good"].tells == pytest.approx(np.corrcoef([0.2, 0.4, 0.7, 0.9], rest)[0, 1])
    assert (found["good"].mean, found["good"].lowest, found["good"].highest) == (pytest.approx(0.55), 0.2, 0.9)
    assert found["good"].spread == pytest.approx(np.std([0.2, 0.4, 0.7, 0.9], ddof=1))
    assert (found["also"].tells or 0) > (found["noise"].tells or 0)
    assert (found["easy"].tells, found["easy"].why) == (None, "it never moves")


@given(TABLES)
@settings(deadline=None, max_examples=60)
def test_item_rest_correlation_equals_numpys(rows: list[list[float]]) -> None:
    columns = [{f"c{i}": row[v] for i, row in enumerate(rows)} for v in range(len(rows[0]))]
    table = np.array(rows)
    for each in worth(columns, OVERALL, None):
        i = int(each.case_id[1:])
        rest = np.delete(table, i, axis=0).mean(axis=0)
        if each.tells is None:
            assert np.ptp(table[i]) < 1e-8 or np.ptp(rest) < 1e-8
        else:
            assert each.tells == pytest.approx(np.corrcoef(table[i], rest)[0, 1], abs=1e-6)


@every_row("versions", [1, 2])
def test_fewer_than_three_versions_have_no_correlation(versions: int) -> None:
    for each in worth(FOUR[:versions], OVERALL, None):
        assert (each.tells, each.why) == (None, "too few versions")


def test_a_constant_case_has_no_correlation() -> None:
    columns = [{"a": value, "b": 0.5} for value in (0.1, 0.5, 0.9)]
    found = by_id(columns)
    assert (found["a"].tells, found["a"].why) == (None, "the others never move")
    assert found["b"].why == "it never moves"


def test_a_version_without_the_hard_cases_does_not_look_better() -> None:
    """`b` follows `a`; a column without the hard case `h` must not look like the best version."""
    full = [{"a": v, "b": v, "h": v - 0.5} for v in (0.6, 0.7, 0.8)]
    lacking = {"a": 0.6, "b": 0.6}
    found = by_id([*full, lacking])
    assert (found["a"].tells or 0.0) > 0.9


def test_a_single_case_has_no_correlation() -> None:
    found = by_id([{"a": 0.1}, {"a": 0.2}, {"a": 0.3}])
    assert (found["a"].tells, found["a"].versions) == (None, 3)


def test_redundant_cases_share_expectations() -> None:
    asks = {"good": list("xyz1"), "also": list("xyz2"), "noise": list("xyab"), "easy": ["q"]}
    # 3 of 5 lines in common; the other pairs share 2 of 6.
    assert redundant(asks) == [("also", "good", pytest.approx(0.6))]


def test_an_expectation_that_all_cases_share_is_ignored() -> None:
    many = {f"c{i}": ["same"] for i in range(150)}
    assert redundant(many) == []


def test_cases_that_never_or_always_fail_come_last() -> None:
    columns = [{"up": v, "down": 1 - v, "top": 0.9, "low": 0.1, "mid": 0.7} for v in (0.2, 0.5, 0.7)]
    found = worth(columns, OVERALL, Threshold(0.6, 0.7, 0.85), {"low"})
    assert {each.case_id: each.standing for each in found} == {
        "up": "", "down": "", "top": "never fails", "low": "always fails", "mid": "",
    }  # fmt: skip
    assert [each.case_id for each in found if each.quarantined] == ["low"]
    assert [each.case_id for each in found][2:] == ["mid", "low", "top"]
