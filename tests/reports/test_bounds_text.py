"""What is said of the forbidden that may still happen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.metrics.aggregate import Seen
from row3.reports.bounds_text import bounds_lines


@pytest.mark.parametrize(
    ("seen", "line"),
    [
        ((0, 15, 0, 15), "canaries in 0 of 15 cases: at most 18.1% of cases have any, at 95%"),
        ((4, 5, 4, 5), "canaries in 4 of 5 cases: at most 99.0% of cases have any, at 95%"),
        ((5, 5, 5, 5), "canaries in 5 of 5 cases"),
        ((1, 1, 1, 1), "canaries in 1 of 1 case"),
        (
            (3, 15, 1, 5),
            "canaries in 3 of 15 cases (1 of 5 sources): at most 65.7% of sources have any, at 95%",
        ),
    ],
)
def test_the_bound_is_left_out_where_every_case_has_some(
    comparison: Any, make: Any, seen: tuple[int, int, int, int], line: str
) -> None:
    run = replace(comparison.run, seen_in={"hallucinationRate": Seen(*seen)})
    assert bounds_lines(run) == [line]
