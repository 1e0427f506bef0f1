"""The trend of each metric on the page."""

from __future__ import annotations

import math
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
    assert [level.name for level in made[0].levels] == ["frame", "frame"]
    assert [level.name for level in made[1].levels] == ["frame", "frame", "minimum", "target"]
    assert made[1].value == "80.0%"
    assert made[1].spoken == "Concept recall over 2 runs, from 70.0% to 80.0%; higher is better."


def test_a_missing_value_is_a_gap_and_the_shapes_tell_what_the_runs_were() -> None:
    runs = [run(0.6, "baseline"), run(None), run(0.7, verdict="block"), run(0.8)]
    (chart,) = charts(runs, [RECALL], LIMITS, "overall")
    assert chart.path.count("M") == 2
    assert [dot.shape for dot in chart.dots] == ["kept", "blocked", "run"]
    assert "block" in chart.dots[1].title


def test_a_metric_that_no_run_has_is_not_drawn() -> None:
    assert charts([run(None)], [RECALL], LIMITS, "overall") == []
    assert charts([run(math.nan)], [RECALL], LIMITS, "overall") == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=80))
def test_everything_stays_inside_and_higher_values_stand_higher(values: list[float]) -> None:
    (chart,) = charts([run(value) for value in values], [RECALL], LIMITS, "overall")
    for dot in chart.dots:
        assert 0 < dot.x < WIDTH
        assert TOP - 0.1 <= dot.y <= HEIGHT - BOTTOM + 0.1
    assert [dot.x for dot in chart.dots] == sorted(dot.x for dot in chart.dots)
    by_value = sorted(zip(values, (dot.y for dot in chart.dots), strict=True))
    assert all(above >= below - 0.11 for (_, above), (_, below) in pairwise(by_value))
    top, bottom = (level.y for level in chart.levels[:2])
    assert top == pytest.approx(TOP)
    assert bottom == pytest.approx(HEIGHT - BOTTOM)
