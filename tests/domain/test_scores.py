from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.scores import Threshold, Zone, zone_of, zones_of
from row3.kinds.extraction.score import METRICS
from tests.rows import every_row


def test_the_worst_zone_is_the_smallest() -> None:
    assert Zone.FAIL < Zone.MARGINAL < Zone.PASS < Zone.EXCELLENT
    assert min([Zone.PASS, Zone.FAIL, Zone.EXCELLENT]) is Zone.FAIL


def test_zones_are_spelled_as_in_the_vocabulary() -> None:
    assert [zone.word for zone in Zone] == ["fail", "marginal", "pass", "excellent"]


FAIL, MARGINAL, PASS, EXCELLENT = Zone
BY_KEY = {metric.key: metric for metric in METRICS}
LIMITS = {
    "recall": (0.60, 0.70, 0.85),
    "precision": (0.50, 0.65, 0.80),
    "relationshipAccuracy": (0.40, 0.60, 0.75),
    "provenanceCoverage": (0.80, 0.90, 0.98),
    "hallucinationRate": (0.05, 0.02, 0.0),
    "overall": (0.65, 0.75, 0.85),
}
NOISE = 1e-12
HAIR = 1e-6


def zone(key: str, value: float) -> Zone:
    threshold = BY_KEY[key].threshold
    assert threshold is not None
    return zone_of(value, threshold, higher_is_better=BY_KEY[key].higher_is_better)


@every_row(("key", "limits"), LIMITS.items())
def test_the_thresholds_are_those_of_standards(key: str, limits: tuple[float, float, float]) -> None:
    assert BY_KEY[key].threshold == Threshold(*limits)


def test_no_other_metric_has_thresholds() -> None:
    assert {metric.key for metric in METRICS if metric.threshold} == set(LIMITS)


@every_row("key", [key for key in LIMITS if key != "hallucinationRate"])
def test_a_limit_belongs_to_the_better_zone_despite_rounding(key: str) -> None:
    for limit, below, at in zip(LIMITS[key], (FAIL, MARGINAL, PASS), (MARGINAL, PASS, EXCELLENT), strict=True):
        assert [zone(key, limit + d) for d in (-HAIR, -NOISE, 0.0, NOISE, HAIR)] == [below, at, at, at, at]
    assert zone(key, 0.0) is FAIL
    assert zone(key, 1.0) is EXCELLENT


@every_row(
    ("rate", "wanted"),
    [
        (0.0, EXCELLENT),
        (NOISE, EXCELLENT),
        (HAIR, PASS),
        (0.02 - NOISE, PASS),
        (0.02, PASS),
        (0.02 + NOISE, PASS),
        (0.02 + HAIR, MARGINAL),
        (0.05, MARGINAL),
        (0.05 + NOISE, MARGINAL),
        (0.05 + HAIR, FAIL),
        (1.0, FAIL),
    ],
)
def test_a_lower_hallucination_rate_is_better(rate: float, wanted: Zone) -> None:
    assert zone("hallucinationRate", rate) is wanted


def test_a_flawless_run_is_excellent_despite_rounding() -> None:
    assert 0.25 + 0.2 + 0.2 + 0.2 != 0.85 or 0.2 * 3 + 0.25 != 0.85  # or the tolerance would have nothing to do
    for value in (0.25 + 0.2 + 0.2 + 0.2, 0.2 + 0.2 + 0.2 + 0.25, 0.25 * 1 + 0.6, 0.85, 0.1 * 8.5):
        assert zone("overall", value) is EXCELLENT


@given(st.sampled_from(sorted(LIMITS)), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_a_better_value_is_never_in_a_worse_zone(key: str, one: float, other: float) -> None:
    better, worse = (max, min) if BY_KEY[key].higher_is_better else (min, max)
    assert zone(key, better(one, other)) >= zone(key, worse(one, other))


def test_only_metrics_with_a_value_and_thresholds_have_zones() -> None:
    thresholds = {"recall": Threshold(0.6, 0.7, 0.85), "precision": Threshold(0.5, 0.65, 0.8)}
    assert zones_of({"recall": 0.65, "f1": 0.1, "duplicateRate": 1.0}, METRICS, thresholds) == {"recall": MARGINAL}


def test_a_suites_own_thresholds_decide() -> None:
    own = {"overall": Threshold(0.9, 0.95, 0.99)}
    assert zones_of({"overall": 0.85}, METRICS, own) == {"overall": FAIL}
