from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.matching.resemblance import best_resemblance, readings, resemblance

NAMES = st.text(alphabet="abc ()-", max_size=20)


def test_resemblance_by_hand() -> None:
    assert resemblance("Rye bread", "bread, rye") == 1.0
    assert resemblance("rye", "rye") == 1.0
    assert resemblance("RB", "rye bread") == 0.95
    assert resemblance("rye bread (RB)", "rye bread") == 0.95
    assert resemblance("Fixed ordering costs", "ordering costs") == pytest.approx(0.9)
    assert resemblance("rye", "") == 0.0
    assert best_resemblance(["rye", "x"], ["oat", "ryes"]) == pytest.approx(6 / 7)
    assert best_resemblance([], ["rye"]) == 0.0


@given(NAMES, NAMES)
def test_resemblance_is_symmetric_and_a_fraction(one: str, other: str) -> None:
    assert 0.0 <= resemblance(one, other) <= 1.0
    assert resemblance(one, other) == pytest.approx(resemblance(other, one))


def test_readings() -> None:
    assert readings("rye bread (RB)") == ["rye bread (RB)", "rye bread", "RB"]
    assert readings("rye (x) bread") == ["rye (x) bread"]
    assert readings("(RB)") == ["(RB)"]
