"""The trend of each metric on the page."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.metrics import Metric, Threshold
from row3.reports.charting.timeline import TrendPoint
from row3.reports.html.charts import BOTTOM, HEIGHT, TOP, WIDTH, charts

RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85))
EXTRA = Metric("extra", "Extra", companion=True)
LIMITS = {"recall": Threshold(0.6, 0.7, 0.85)}


def run(
    value: float | None, action: Literal["baseline", "compare", "promotion"] = "compare", verdict: str | None = None
) -> TrendPoint:
    metrics = {} if value is None else {"recall": value, "overall": value, "extra": value}
    return TrendPoint(datetime(2026, 1, 5, 10, tzinfo=UTC), action, "extract v1.0", metrics, verdict)


def test_the_composite_comes_first_and_companions_do_not_come() -> None:
    made = charts([run(0.7), run(0.8)], [RECALL, OVERALL, EXTRA], LIMITS, "overall")
    assert [chart.title for chart in made] == ["Overall", "Concept recall"]
    assert made[0].bands == []
    assert [band.zone for band in made[1].bands] == ["fail", "marginal", "pass", "excellent"]
    assert (made[1].value, made[1].message) == ("80.0%", "up 10.0 points since 5 Jan 2026")


def test_a_missing_value_is_a_gap_and_a_blocked_run_is_told() -> None:
    runs = [run(0.6, "promotion"), run(None), run(0.7, verdict="block"), run(0.8)]
    (chart,) = charts(runs, [RECALL], LIMITS, "overall")
    assert (chart.path.count("M"), chart.path.count("L")) == (2, 1)
    assert [dot.shape for dot in chart.dots] == ["run", "blocked", "run"]
    assert "block" in chart.dots[1].title
    assert chart.promotions == [(chart.dots[0].x, "v1.0")]


def test_runs_that_do_not_compare_have_a_line_of_their_own() -> None:
    old = replace(run(0.9), comparable=False)
    (chart,) = charts([old, old, run(0.7), run(0.8)], [RECALL], LIMITS, "overall")
    assert [path.count("L") for path in (chart.old_path, chart.path)] == [1, 1]
    assert chart.message == "up 10.0 points since 5 Jan 2026"


def test_a_metric_that_one_run_has_is_no_trend() -> None:
    assert charts([run(0.7)], [RECALL], LIMITS, "overall") == []
    assert charts([run(None), run(0.7)], [RECALL], LIMITS, "overall") == []
    assert charts([run(math.nan), run(0.7)], [RECALL], LIMITS, "overall") == []


@given(st.lists(st.floats(0, 1), min_size=2, max_size=80))
def test_everything_stays_inside_and_higher_values_stand_higher(values: list[float]) -> None:
    (chart,) = charts([run(value) for value in values], [RECALL], LIMITS, "overall")
    for dot in chart.dots:
        assert 0 < dot.x < WIDTH
        assert TOP - 0.1 <= dot.y <= HEIGHT - BOTTOM + 0.1
    assert [dot.x for dot in chart.dots] == sorted(dot.x for dot in chart.dots)
    by_value = sorted(zip(values, (dot.y for dot in chart.dots), strict=True))
    assert all(above >= below - 0.11 for (_, above), (_, below) in pairwise(by_value))
    assert [y for y, _ in chart.ends] == [pytest.approx(TOP), pytest.approx(HEIGHT - BOTTOM)]
    assert sum(band.height for band in chart.bands) == pytest.approx(HEIGHT - TOP - BOTTOM, abs=0.3)
