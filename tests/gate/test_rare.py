"""Losses that few answers hide: exact values, simulation, and what no distribution may break."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from row3.gate.rare import ALPHA_RARE, ALPHA_RARE_BETTER, answers_needed, rare_loss_p

DIFFERENCES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=1, max_size=40)


@pytest.mark.parametrize(("cases", "answers"), [(15, 4), (15, 5), (30, 2), (30, 3), (61, 1), (100, 1), (200, 1)])
def test_where_nothing_moved(cases: int, answers: int) -> None:
    # A sum of n exponentials times 0.05 below one times 0.8 / answers.
    exact = (1 + 0.05 * answers / 0.8) ** -cases
    assert rare_loss_p([0.0] * cases, 0.05, 0.85, answers=answers) == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize(("cases", "failed"), [(100, 1), (100, 2), (200, 3), (200, 6)])
def test_answers_that_fail_altogether_are_a_binomial(cases: int, failed: int) -> None:
    """The exact test of "one in 17 fails", which is a loss of 5 points of 85; one more is held against the gate."""
    p = rare_loss_p([-0.85] * failed + [0.0] * (cases - failed), 0.05, 0.85)
    exact = float(stats.binom.cdf(failed, cases, 0.05 / 0.85))
    assert exact <= p * 1.03
    assert p < float(stats.binom.cdf(failed + 1, cases, 0.05 / 0.85))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_bootstrap_that_it_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cases = int(rng.integers(10, 60))
    moved = np.clip(rng.normal(rng.uniform(-0.03, 0.03), rng.uniform(0.05, 0.25), cases), -0.8, 0.8)
    parts = np.append(moved + 0.05, (0.05 - 0.85) / 2)
    sums = rng.exponential(size=(100_000, cases + 1)) @ parts
    seen = float((sums <= 0).mean())
    p = rare_loss_p(moved.tolist(), 0.05, 0.85, answers=2)
    if parts.sum() > 0:
        assert p == pytest.approx(seen, rel=0.03, abs=0.003)
    else:
        assert (p, seen > 0.4) == (1.0, True)


def test_a_case_at_a_time_or_a_source_at_a_time() -> None:
    moved = [0.1, 0.1, -0.1, -0.1, 0.2, 0.2] * 10
    alone = rare_loss_p(moved, 0.05, 0.8)
    assert rare_loss_p(moved, 0.05, 0.8, clusters=[None] * 60) == pytest.approx(alone)
    assert rare_loss_p(moved, 0.05, 0.8, clusters=list(range(60))) == pytest.approx(alone)
    paired = rare_loss_p(moved, 0.05, 0.8, clusters=[place // 2 for place in range(60)])
    assert paired > alone
    # Two answers a source, as two a case: their mean stands for both.
    by_hand = rare_loss_p([0.1, -0.1, 0.2] * 10, 0.05, 0.8, answers=2)
    assert paired == pytest.approx(by_hand, rel=1e-6)


def test_the_ends() -> None:
    assert rare_loss_p([], 0.05, 0.8) == 1.0
    assert rare_loss_p([0.0] * 5, 0.05, 0.05) == 0.0  # nothing can fall further than the limit
    assert rare_loss_p([-0.05] * 500, 0.05, 0.8) == 1.0
    assert rare_loss_p([-0.5] * 500, 0.05, 0.8) == 1.0
    assert rare_loss_p([0.0] * 500, 0.0, 0.8) == 1.0
    assert rare_loss_p([-0.06, -0.04] * 5000, 0.05, 0.05, answers=1e9) == 1.0  # the mean is on the limit
    all_but_on_it = rare_loss_p([-0.06, -0.0399999] * 5000, 0.05, 0.05, answers=1e9)
    assert all_but_on_it == pytest.approx(0.5, abs=0.01)
    with pytest.raises(ValueError):
        rare_loss_p([0.0], 0.05, 0.8, clusters=[])


@given(DIFFERENCES, st.floats(0.001, 0.2), st.floats(0, 1), st.integers(1, 5))
@settings(deadline=None)
def test_always_a_probability_and_better_is_never_worse(
    moved: list[float], limit: float, worst: float, answers: int
) -> None:
    p = rare_loss_p(moved, limit, worst, answers=answers)
    assert 0.0 <= p <= 1.0
    slack = 0.02  # of the saddlepoint
    assert rare_loss_p([value + 0.05 for value in moved], limit, worst, answers=answers) <= p + slack
    assert rare_loss_p(moved, limit, worst + 0.1, answers=answers) >= p - slack
    assert rare_loss_p(moved, limit + 0.05, worst, answers=answers) <= p + slack


@pytest.mark.parametrize("share", [0.01, 0.03, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("cases", [15, 61, 150])
def test_a_loss_of_the_limit_is_seldom_ruled_out(share: float, cases: int) -> None:
    """A few answers lose much, the others move a little either way; the mean loss is 5 points exactly."""
    rounds, rng = 400, np.random.default_rng([cases, int(100 * share)])
    depth = min(0.85, 0.05 / share)
    rest = (depth * share - 0.05) / (1 - share)  # what the others gain or lose so that the mean is as it is
    passed = 0
    for _ in range(rounds):
        hit = rng.random(cases) < share
        moved = np.where(hit, -depth, rest + rng.normal(0, 0.01, cases))
        passed += rare_loss_p(moved.tolist(), 0.05, 0.85) <= 0.025
    assert passed / rounds <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / rounds)


@pytest.mark.parametrize(("worst", "needed"), [(0.76, 55), (0.85, 61), (1.0, 72)])
def test_answers_needed(worst: float, needed: int) -> None:
    assert answers_needed(0.05, worst, 0.025) == needed
    assert (1 - 0.05 / worst) ** needed <= 0.025 < (1 - 0.05 / worst) ** (needed - 1)


@pytest.mark.parametrize("moved", [-0.02, 0.0, 0.03, 0.1])
@pytest.mark.parametrize("alpha", [ALPHA_RARE, ALPHA_RARE_BETTER])
def test_so_many_answers_that_all_moved_alike_are_enough(moved: float, alpha: float) -> None:
    needed = answers_needed(moved + 0.05, moved + 0.8, alpha)
    assert rare_loss_p([moved] * (needed + 2), 0.05, 0.8) <= alpha
    assert rare_loss_p([moved] * (needed - 2), 0.05, 0.8) > alpha


@pytest.mark.parametrize(("limit", "worst"), [(0.0, 0.8), (0.05, 0.05), (0.9, 0.8)])
def test_no_number_of_answers(limit: float, worst: float) -> None:
    assert answers_needed(limit, worst, 0.025) == 0
