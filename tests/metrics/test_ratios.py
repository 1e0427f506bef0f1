from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from row3.metrics.ratios import b_cubed, best_score, f1, overall, ratio
from tests.rows import every_row

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


WEIGHTS = {
    "recall": 0.25, "precision": 0.20, "relationshipAccuracy": 0.20, "provenanceCoverage": 0.20,
    "hallucinationRate": -0.15,
}  # fmt: skip
FLAWLESS = {
    "recall": 1.0, "precision": 1.0, "relationshipAccuracy": 1.0, "provenanceCoverage": 1.0,
    "hallucinationRate": 0.0,
}  # fmt: skip
FRACTION = st.floats(0, 1)
METRICS = st.fixed_dictionaries(dict.fromkeys(WEIGHTS, FRACTION))


def test_the_worked_example_of_standards_1_7() -> None:
    metrics = {
        "recall": 0.72, "precision": 0.80, "relationshipAccuracy": 0.70, "provenanceCoverage": 0.90,
        "hallucinationRate": 0.05,
    }  # fmt: skip
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


@every_row("gone", [key for key, weight in WEIGHTS.items() if weight > 0])
def test_a_flawless_case_scores_the_same_without_a_metric_that_does_not_apply(gone: str) -> None:
    rest = {key: value for key, value in FLAWLESS.items() if key != gone}
    assert overall(rest, WEIGHTS) == pytest.approx(0.85, abs=1e-12)


def test_skipped_rewards_scale_the_others_and_leave_the_penalty() -> None:
    # 0.25 * 0.8 + 0.20 * 0.5 + 0.20 * 1.0 = 0.5 of 0.65, scaled to 0.85, less 0.15 * 0.1.
    metrics = {"recall": 0.8, "precision": 0.5, "provenanceCoverage": 1.0, "hallucinationRate": 0.1}
    assert overall(metrics, WEIGHTS) == pytest.approx(0.5 * 0.85 / 0.65 - 0.015, abs=1e-12)


def test_without_applicable_rewards_only_the_penalty_counts() -> None:
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
    assert best_score(WEIGHTS) == pytest.approx(overall(FLAWLESS, WEIGHTS))
    assert overall(metrics, WEIGHTS) <= best_score(WEIGHTS) + 1e-9
    assert best_score({}) == 1.0


ITEMS = [f"i{number}" for number in range(9)]
groups = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 4), max_size=9)
truths = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 4), min_size=1, max_size=9)


def slowly(given_groups: dict[str, int], truth: dict[str, int]) -> tuple[float, float]:
    """By the definition: item by item, over the sets of those that stand with it."""

    def ours(item: str) -> set[str]:
        if item not in given_groups:
            return {item}
        return {x for x in truth if given_groups.get(x, "none") == given_groups[item]}

    precision = recall = 0.0
    for item, group in truth.items():
        mine, theirs = ours(item), {x for x in truth if truth[x] == group}
        precision += len(mine & theirs) / len(mine)
        recall += len(mine & theirs) / len(theirs)
    return precision / len(truth), recall / len(truth)


@given(groups, truths)
@settings(deadline=None, max_examples=300)
def test_b_cubed_follows_its_definition(guess: dict[str, int], truth: dict[str, int]) -> None:
    assert b_cubed(guess, truth) == pytest.approx(slowly(guess, truth))


def test_the_example_of_bagga_and_baldwin() -> None:
    truth = dict.fromkeys("12345", "A") | dict.fromkeys("67", "B") | dict.fromkeys("89ABC", "C")
    first = dict.fromkeys("12345", "A") | dict.fromkeys("6789ABC", "BC")
    second = dict.fromkeys("1234589ABC", "AC") | dict.fromkeys("67", "B")
    assert b_cubed(first, truth) == pytest.approx((0.76, 1.0), abs=0.005)
    assert b_cubed(second, truth) == pytest.approx((0.58, 1.0), abs=0.005)


@given(truths)
def test_the_truth_is_flawless_and_silence_is_not(truth: dict[str, int]) -> None:
    assert b_cubed(truth, truth) == (1.0, 1.0)
    assert b_cubed({}, truth) == pytest.approx((1.0, len(set(truth.values())) / len(truth)))
