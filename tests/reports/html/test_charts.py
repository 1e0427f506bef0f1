"""The drawings of the page: zones, intervals, trends."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.intervals import Interval
from row3.domain.metrics import Metric, Threshold
from row3.reports.html.charts import (
    BOTTOM,
    HEIGHT,
    SCALE_WIDTH,
    TOP,
    WIDTH,
    Moment,
    charts,
    whisker,
    widest,
    zone_scale,
)

RECALL = Metric("recall", "Concept recall")
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False)


def interval(low: float, high: float) -> Interval:
    return Interval((low + high) / 2, low, high, 0.95, 0.04, 0.02, 4.0, 5)


def test_zones_stand_in_order_and_where_they_begin() -> None:
    scale = zone_scale(RECALL, Threshold(0.5, 0.75, 0.9), 0.8, 0.25)
    assert scale is not None
    assert [part.zone for part in scale.stretches] == ["fail", "marginal", "pass", "excellent"]
    assert [part.x for part in scale.stretches] == [0, 60, 90, 108]
    assert (scale.now, scale.before) == (96.0, 30.0)


def test_a_rate_runs_the_other_way_on_a_scale_of_its_own() -> None:
    scale = zone_scale(RATE, Threshold(0.05, 0.02, 0.0), 0.04, None)
    assert scale is not None
    # Nothing but 0 is excellent, and a stretch of no width is not drawn.
    assert [part.zone for part in scale.stretches] == ["pass", "marginal", "fail"]
    assert scale.now == 38.4  # 0.04 of a scale that ends at 0.125
    assert scale.before is None


def test_without_limits_or_value_there_is_no_scale() -> None:
    assert zone_scale(RECALL, None, 0.5, 0.5) is None
    assert zone_scale(RECALL, Threshold(0.5, 0.75, 0.9), None, 0.5) is None


def test_the_tone_of_an_interval_is_open_where_it_holds_zero() -> None:
    assert whisker(interval(-0.02, 0.03), 0.1, higher_is_better=True).tone == "open"
    assert whisker(interval(0.01, 0.03), 0.1, higher_is_better=True).tone == "good"
    assert whisker(interval(0.01, 0.03), 0.1, higher_is_better=False).tone == "bad"
    assert whisker(interval(-0.03, -0.01), 0.1, higher_is_better=False).tone == "good"


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted), min_size=1))
def test_every_interval_fits_the_widest(ends: list[list[float]]) -> None:
    intervals = [interval(low, high) for low, high in ends]
    most = widest(intervals)
    for one in intervals:
        drawn = whisker(one, most, higher_is_better=True)
        assert 0 <= drawn.low <= drawn.at <= drawn.high <= SCALE_WIDTH


def test_no_change_is_larger_than_there_can_be() -> None:
    assert widest([interval(-2.3, 1.9)]) == 1.0
    drawn = whisker(interval(-2.3, 0.5), 1.0, higher_is_better=True)
    assert (drawn.low, drawn.high) == (0.0, 0.75 * SCALE_WIDTH)


RECALL = Metric("recall", "Concept recall", threshold=Threshold(0.6, 0.7, 0.85))
OVERALL = Metric("overall", "Overall", threshold=Threshold(0.65, 0.75, 0.85))
EXTRA = Metric("extra", "Extra", companion=True)
LIMITS = {"recall": Threshold(0.6, 0.7, 0.85)}


def run(value: float | None, action: str = "compare", verdict: str | None = None) -> Moment:
    metrics = {} if value is None else {"recall": value, "overall": value, "extra": value}
    return Moment("2026-01-05 10:00", action, "extract v1.0", metrics, verdict)


def test_the_composite_comes_first_and_companions_do_not_come() -> None:
    made = charts([run(0.7), run(0.8)], [RECALL, OVERALL, EXTRA], LIMITS, "overall")
    assert [chart.title for chart in made] == ["Overall", "Concept recall"]
    assert made[0].primary
    assert made[0].limits == []
    assert [limit.name for limit in made[1].limits] == ["minimum", "target"]
    assert made[1].value == "80.0%"
    assert made[1].spoken == "Concept recall over 2 runs, from 70.0% to 80.0%; higher is better."


def test_a_missing_value_is_a_gap_and_the_shapes_tell_what_the_runs_were() -> None:
    runs = [run(0.6, "baseline"), run(None), run(0.7, verdict="block"), run(0.8)]
    (chart,) = charts(runs, [RECALL], LIMITS, "overall")
    assert chart.path.count("M") == 2
    assert [dot.shape for dot in chart.dots] == ["kept", "blocked", "run"]
    assert [dot.last for dot in chart.dots] == [False, False, True]
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
    top, bottom = (level.y for level in chart.ends)
    assert top == pytest.approx(TOP)
    assert bottom == pytest.approx(HEIGHT - BOTTOM)
