from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.metrics.composite import most, overall

WEIGHTS = {
    "recall": 0.25,
    "precision": 0.20,
    "relationshipAccuracy": 0.20,
    "provenanceCoverage": 0.20,
    "hallucinationRate": -0.15,
}
FLAWLESS = {
    "recall": 1.0,
    "precision": 1.0,
    "relationshipAccuracy": 1.0,
    "provenanceCoverage": 1.0,
    "hallucinationRate": 0.0,
}
FRACTION = st.floats(0, 1)
METRICS = st.fixed_dictionaries(dict.fromkeys(WEIGHTS, FRACTION))


def test_the_worked_example_of_standards_1_7() -> None:
    metrics = {
        "recall": 0.72,
        "precision": 0.80,
        "relationshipAccuracy": 0.70,
        "provenanceCoverage": 0.90,
        "hallucinationRate": 0.05,
    }
    assert overall(metrics, WEIGHTS) == pytest.approx(0.6525, abs=1e-12)


def test_a_flawless_run_is_085() -> None:
    assert overall(FLAWLESS, WEIGHTS) == pytest.approx(0.85, abs=1e-12)


def test_appendix_a_term_by_term() -> None:
    for key, weight in WEIGHTS.items():
        alone = dict.fromkeys(WEIGHTS, 0.0) | {key: 1.0}
        assert overall(alone, WEIGHTS) == pytest.approx(max(0.0, weight))
    assert overall(FLAWLESS | {"hallucinationRate": 1.0}, WEIGHTS) == pytest.approx(0.70)


def test_nothing_right_and_all_invented_is_cut_at_zero() -> None:
    assert overall(dict.fromkeys(WEIGHTS, 0.0) | {"hallucinationRate": 1.0}, WEIGHTS) == 0.0


@pytest.mark.parametrize("gone", [key for key, weight in WEIGHTS.items() if weight > 0])
def test_a_flawless_case_scores_the_same_without_a_metric_that_does_not_apply(gone: str) -> None:
    rest = {key: value for key, value in FLAWLESS.items() if key != gone}
    assert overall(rest, WEIGHTS) == pytest.approx(0.85, abs=1e-12)


def test_skipped_rewards_scale_the_others_and_leave_the_penalty() -> None:
    # 0.25 * 0.8 + 0.20 * 0.5 + 0.20 * 1.0 = 0.5 of 0.65, scaled to 0.85, less 0.15 * 0.1.
    metrics = {"recall": 0.8, "precision": 0.5, "provenanceCoverage": 1.0, "hallucinationRate": 0.1}
    assert overall(metrics, WEIGHTS) == pytest.approx(0.5 * 0.85 / 0.65 - 0.015, abs=1e-12)


def test_where_no_reward_applies_there_is_nothing_to_lose_but_the_penalty() -> None:
    assert overall({"hallucinationRate": 0.2}, WEIGHTS) == pytest.approx(0.85 - 0.03, abs=1e-12)
    assert overall({}, WEIGHTS) == pytest.approx(0.85, abs=1e-12)


def test_metrics_without_a_weight_do_not_count() -> None:
    assert overall(FLAWLESS | {"f1": 0.0, "duplicateRate": 1.0}, WEIGHTS) == overall(FLAWLESS, WEIGHTS)


def test_without_weights_it_is_zero() -> None:
    assert overall(FLAWLESS, {}) == overall({}, {}) == 0.0


@given(METRICS)
@settings(deadline=None)
def test_it_is_the_plain_sum_where_every_metric_applies(metrics: dict[str, float]) -> None:
    assert overall(metrics, WEIGHTS) == pytest.approx(
        max(0.0, sum(WEIGHTS[key] * metrics[key] for key in WEIGHTS)), abs=1e-12
    )


@given(METRICS, st.sets(st.sampled_from(sorted(WEIGHTS))))
@settings(deadline=None)
def test_it_is_a_fraction_whatever_applies(metrics: dict[str, float], skipped: set[str]) -> None:
    value = overall({key: number for key, number in metrics.items() if key not in skipped}, WEIGHTS)
    assert not math.isnan(value)
    assert 0.0 <= value <= 0.85 + 1e-12


@given(METRICS, st.sampled_from(sorted(WEIGHTS)), FRACTION)
@settings(deadline=None)
def test_a_better_metric_never_lowers_it(metrics: dict[str, float], key: str, value: float) -> None:
    better = max(value, metrics[key]) if WEIGHTS[key] > 0 else min(value, metrics[key])
    assert overall(metrics | {key: better}, WEIGHTS) >= overall(metrics, WEIGHTS) - 1e-12


@given(METRICS)
def test_nothing_scores_more_than_a_flawless_case(metrics: dict[str, float]) -> None:
    assert most(WEIGHTS) == pytest.approx(overall(FLAWLESS, WEIGHTS))
    assert overall(metrics, WEIGHTS) <= most(WEIGHTS) + 1e-9
    assert most({}) == 1.0
