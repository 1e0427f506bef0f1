"""Weights by non-negative least squares, and their cross-validated gain."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy
import pytest
from scipy.optimize import nnls

from row3.integrations.reviews.regression import FOLDS, Sample, folds, non_negative_fit, propose, squared_errors
from tests.rows import every_row

WEIGHTS = {"recall": 0.5, "precision": 0.3, "hallucinationRate": -0.2}


def samples(true: Mapping[str, float], noise: float = 0.3, topics: int = 20, n: int = 400) -> list[Sample]:
    chance = random.Random(5)
    found = []
    for place in range(n):
        metrics = {key: chance.random() for key in WEIGHTS}
        satisfaction = 2 + sum(true[key] * value for key, value in metrics.items()) + chance.gauss(0, noise)
        found.append(Sample(f"t{place % topics}", satisfaction, metrics))
    return found


def test_a_line_through_three_points_by_hand() -> None:
    # means 1 and 2; Σ(x-1)(y-2) = 2, Σ(x-1)² = 2
    assert non_negative_fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0]) == ([1.0], 1.0)
    # it falls, so that the best slope from 0 on is 0 and the level is the mean
    assert non_negative_fit([[0.0], [1.0], [2.0]], [3.0, 2.0, 1.0]) == ([0.0], 2.0)
    # a constant column has no slope
    assert non_negative_fit([[7.0], [7.0]], [1.0, 3.0]) == ([0.0], 2.0)


@every_row("seed", range(20))
def test_the_fit_is_scipys(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    xs = rng.random((40, 5))
    ys = xs @ rng.normal(size=5) + rng.normal(size=40)
    slopes, level = non_negative_fit(xs.tolist(), ys.tolist())
    expected, _ = nnls(xs - xs.mean(axis=0), ys - ys.mean())
    assert slopes == pytest.approx(expected, abs=1e-8)
    assert level == pytest.approx(ys.mean() - xs.mean(axis=0) @ expected)


def test_planted_weights_are_found_and_keep_the_size_and_the_sign() -> None:
    found = propose(samples({"recall": 0.0, "precision": 3.0, "hallucinationRate": -1.0}), WEIGHTS)
    assert found is not None and found.n == 400
    # 0 : 3 : 1 of a total of 1
    assert found.weights == pytest.approx({"recall": 0.0, "precision": 0.75, "hallucinationRate": -0.25}, abs=0.02)
    assert 0.2 < found.gain.low < found.gain.estimate < found.gain.high < 1


def test_weights_that_are_right_already_gain_nothing() -> None:
    found = propose(samples(WEIGHTS, noise=0.5), WEIGHTS)
    assert found is not None
    assert found.gain.low < 0 < found.gain.high + 0.02


def test_a_metric_that_never_varies_keeps_its_weight() -> None:
    same = [
        each._replace(metrics={**each.metrics, "hallucinationRate": 0.0})
        for each in samples({"recall": 1.0, "precision": 1.0, "hallucinationRate": 0.0}, noise=0.1)
    ]
    found = propose(same, WEIGHTS)
    assert found is not None
    assert found.weights == pytest.approx({"recall": 0.4, "precision": 0.4, "hallucinationRate": -0.2}, abs=0.03)


def test_where_nothing_goes_with_satisfaction_nothing_is_proposed() -> None:
    against = samples({"recall": -3.0, "precision": -3.0, "hallucinationRate": 3.0})
    constant = [each._replace(satisfaction=4.0) for each in against]
    assert propose(against, WEIGHTS) is None
    assert propose(constant, WEIGHTS) is None


def test_a_topic_is_in_one_fold_and_every_fold_has_some() -> None:
    topics = [f"t{place % 7}" for place in range(70)]
    parts = folds(topics)
    assert len({*zip(topics, parts, strict=True)}) == 7
    assert set(parts) == set(range(FOLDS))


def test_errors_are_those_of_parts_that_were_not_seen() -> None:
    # without the last two the line is y = x, without the others it is y = 1: 10 - 0 and what the line says of it
    errors = squared_errors([[0.0], [1.0], [2.0], [2.0]], [0.0, 1.0, 5.0, 5.0], [0, 0, 1, 1])
    assert errors == pytest.approx([25.0, 16.0, 9.0, 9.0])
