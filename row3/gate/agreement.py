"""A judge's agreement with people, and rates corrected for its errors.

Labels are pairs of a person's and the judge's grade of the same answer. Rates are fractions in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

from row3.domain.judges import Agreement, Coefficient, Rate

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
MIN_KAPPA = 0.6
"""Smallest kappa at which judged metrics may block: "substantial" on Landis and Koch's scale (1977)."""


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a share, which unlike Wald's is valid near 0 and 1.

    Args:
        successes: of n, in [0, n].
        n: at least 1.
    """
    p, z2 = successes / n, Z * Z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def rate(successes: float, n: int) -> Rate | None:
    """Return a share with Wilson's interval; None if n is 0."""
    return None if n == 0 else Rate(successes / n, *wilson(successes, n), n)


def kappa(
    person: Sequence[float], judge: Sequence[float], weights: Literal["none", "quadratic"] = "none"
) -> Coefficient:
    """Return Cohen's kappa of two lists of grades, with its large-sample interval (Fleiss, Cohen and Everitt 1969).

    kappa = (p_o - p_e) / (1 - p_e), with weights w = 1 - (i - j)² / (k - 1)² if `quadratic` (Cohen 1968). If all grades
    agree, the formula's error is 0, and the lower end comes from Wilson's interval of the agreement.

    Args:
        person, judge: grades of the same n ≥ 1 answers.
    """
    n = len(person)
    grades = sorted({*person, *judge})
    at = {grade: position for position, grade in enumerate(grades)}
    k, span = len(grades), float(grades[-1] - grades[0]) or 1.0
    joint = [[0.0] * k for _ in grades]
    for one, other in zip(person, judge, strict=True):
        joint[at[one]][at[other]] += 1 / n
    rows = [sum(line) for line in joint]
    columns = [sum(line[j] for line in joint) for j in range(k)]

    def weight(i: int, j: int) -> float:
        return float(i == j) if weights == "none" else 1 - ((grades[i] - grades[j]) / span) ** 2

    cells = [(i, j) for i in range(k) for j in range(k)]
    observed = sum(weight(i, j) * joint[i][j] for i, j in cells)
    expected = sum(weight(i, j) * rows[i] * columns[j] for i, j in cells)
    if len(set(person)) == 1 or len(set(judge)) == 1:  # a constant grade agrees only by chance
        return Coefficient(0.0, -1.0, 1.0)
    value = (observed - expected) / (1 - expected)
    by_row = [sum(weight(i, j) * columns[j] for j in range(k)) for i in range(k)]
    by_column = [sum(weight(i, j) * rows[i] for i in range(k)) for j in range(k)]
    spread = sum(
        joint[i][j] * (weight(i, j) * (1 - expected) - (by_row[i] + by_column[j]) * (1 - observed)) ** 2
        for i, j in cells
    )
    squared = (spread - (observed * expected - 2 * expected + observed) ** 2) / (n * (1 - expected) ** 4)
    if observed > 1 - 1e-12:
        return Coefficient(value, (wilson(n, n)[0] - expected) / (1 - expected), 1.0)
    half = Z * math.sqrt(max(0.0, squared))
    return Coefficient(value, max(-1.0, value - half), min(1.0, value + half))


def agreement(person: Sequence[float], judge: Sequence[float], *, passes: Sequence[tuple[bool, bool]]) -> Agreement:
    """Return how well a judge agrees with a person.

    Args:
        person, judge: grades of the same n ≥ 1 answers.
        passes: for each answer, whether it passes for the person and for the judge.
    """
    truth, said = [one for one, _ in passes], [other for _, other in passes]
    both = list(zip(truth, said, strict=True))
    accuracy = rate(sum(one == other for one, other in both), len(both))
    assert accuracy is not None
    return Agreement(
        labels=len(both),
        accuracy=accuracy,
        sensitivity=rate(sum(one and other for one, other in both), sum(truth)),
        specificity=rate(sum(not one and not other for one, other in both), len(truth) - sum(truth)),
        kappa=kappa([int(one) for one in truth], [int(other) for other in said]),
        weighted_kappa=kappa(person, judge, "quadratic"),
    )


def rogan_gladen(judged: Rate, sensitivity: Rate, specificity: Rate) -> Rate | None:
    """Return a judged pass rate corrected for the judge's errors; its interval includes the calibration's error.

    θ = (p + q₀ - 1) / (q₀ + q₁ - 1) (Rogan and Gladen 1978), q₁ sensitivity, q₀ specificity, cut to [0, 1]; variance by
    the delta method, as in Lee et al. 2025 (arXiv 2511.21140):
    [p(1-p)/n + (1-θ)² q₀(1-q₀)/m₀ + θ² q₁(1-q₁)/m₁] / (q₀ + q₁ - 1)². Shares enter the variance as Agresti and Coull's
    (x + 2) / (n + 4), so that a judge without observed errors is not assumed to be infallible. None if the judge is no
    better than chance, q₀ + q₁ ≤ 1.
    """
    youden = sensitivity.value + specificity.value - 1
    if youden <= 1e-9:
        return None
    value = min(1.0, max(0.0, (judged.value + specificity.value - 1) / youden))
    squared = _noise(judged) + (1 - value) ** 2 * _noise(specificity) + value**2 * _noise(sensitivity)
    return _between(value, math.sqrt(squared) / youden, judged.count)


def _noise(share: Rate) -> float:
    p = (share.value * share.count + 2) / (share.count + 4)
    return p * (1 - p) / share.count


def _between(value: float, error: float, n: int) -> Rate:
    """Return an estimate, cut to [0, 1], with the interval of its standard error."""
    value, half = min(1.0, max(0.0, value)), Z * error
    return Rate(value, max(0.0, value - half), min(1.0, value + half), n)


def prediction_powered(judged: Rate, labelled: Sequence[tuple[bool, bool]]) -> Rate:
    """Return a judged rate corrected by labels of part of the run (Angelopoulos et al. 2023).

    θ = rate of the judge + mean of (person - judge) over the labels, cut to [0, 1]; the variances of both add. Neither
    is ever 0: the rate's is as in `rogan_gladen`, the errors' that of a difference of matched proportions with half a
    label more in each of the four cells, [b + c - (b - c)² / n] / n² (Agresti and Min 2005, Statistics in Medicine 24,
    729-740).

    Args:
        judged: the judge's rate over the answers without a label.
        labelled: for each label, at least one, whether the person and whether the judge says yes.
    """
    only_person, only_judge = labelled.count((True, False)), labelled.count((False, True))
    b, c, n = only_person + 0.5, only_judge + 0.5, len(labelled) + 2
    squared = _noise(judged) + (b + c - (b - c) ** 2 / n) / n**2
    value = judged.value + (only_person - only_judge) / len(labelled)
    return _between(value, math.sqrt(squared), judged.count)
