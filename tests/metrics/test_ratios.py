from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from row3.metrics.ratios import f1, ratio

COUNTS = st.integers(0, 10**9)


def test_nothing_divided_by_nothing_is_zero() -> None:
    assert ratio(0, 0) == 0.0
    assert f1(0.0, 0.0) == 0.0


@given(COUNTS, COUNTS)
@settings(deadline=None)
def test_a_part_of_a_whole_is_a_fraction(part: int, rest: int) -> None:
    assert 0.0 <= ratio(part, part + rest) <= 1.0


@given(st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_f1_lies_between_precision_and_recall(precision: float, recall: float) -> None:
    value = f1(precision, recall)
    assert 0.0 <= value <= 1.0
    if precision > 1e-150 and recall > 1e-150:  # below, the product underflows
        assert min(precision, recall) - 1e-12 <= value <= max(precision, recall) + 1e-12
    assert value == f1(recall, precision)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
@settings(deadline=None)
def test_f1_agrees_with_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    truth, guess = zip(*pairs, strict=True)
    hits = sum(t and g for t, g in pairs)
    ours = f1(ratio(hits, sum(guess)), ratio(hits, sum(truth)))
    assert ours == pytest.approx(f1_score(truth, guess, zero_division=0.0), abs=1e-12)
