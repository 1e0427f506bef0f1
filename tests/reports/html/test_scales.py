"""Zones on a scale, and intervals around zero."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.intervals import Interval
from row3.domain.metrics import Metric, Threshold
from row3.reports.html.scales import WIDTH, whisker, widest, zone_scale

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
        assert 0 <= drawn.low <= drawn.at <= drawn.high <= WIDTH


def test_no_change_is_larger_than_there_can_be() -> None:
    assert widest([interval(-2.3, 1.9)]) == 1.0
    drawn = whisker(interval(-2.3, 0.5), 1.0, higher_is_better=True)
    assert (drawn.low, drawn.high) == (0.0, 0.75 * WIDTH)
