from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.gate.trend import consecutive_declines


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([], 0),
        ([0.8], 0),
        ([0.8, 0.7], 1),
        ([0.8, 0.7, 0.6], 2),
        ([0.9, 0.8, 0.7, 0.6], 3),
        ([0.5, 0.9, 0.8, 0.7], 2),
        ([0.9, 0.8, 0.7, 0.75], 0),
        ([0.9, 0.8, 0.8, 0.7], 1),
        ([0.8, 0.8, 0.8], 0),
        ([0.9, 0.8, 0.8 - 1e-12], 0),
    ],
)
def test_how_many_of_the_latest_runs_declined(values: list[float], count: int) -> None:
    assert consecutive_declines(values) == count


@given(st.lists(st.floats(0, 1), max_size=20))
@settings(deadline=None)
def test_a_run_that_is_no_worse_ends_the_series(values: list[float]) -> None:
    assert consecutive_declines([*values, *values[-1:]]) == 0
    assert 0 <= consecutive_declines(values) < max(1, len(values))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@settings(deadline=None)
def test_one_more_decline_is_one_more(values: list[float]) -> None:
    assert consecutive_declines([*values, values[-1] - 0.01]) == consecutive_declines(values) + 1
