"""Suites that answer by chance, with a true drop that is known exactly.

An answer lists items, of which some are right; relationships hang on the items; the composite is row3's own formula. A
drop is made by thinning: every right item is lost with probability theta, a number a case. Thinning has no ceiling and
no floor and multiplies the expected values by exactly 1 - theta, so the composite falls by exactly what is asked for. A
collapse instead makes all answers to a case unusable. Many comparisons are drawn at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Rng = np.random.Generator
Side = dict[str, Array]
"""By metric, answers of the shape (comparisons, cases, repeats)."""
METRICS = ("overall", "recall", "precision", "f1", "relationshipAccuracy", "hallucinationRate")
WEIGHTS = {"recall": 0.25, "precision": 0.2, "relationshipAccuracy": 0.2, "provenance": 0.2, "hallucinationRate": -0.15}
CANARY = 0.02
"""Of the wrong items so many are canaries."""
UNEVEN, MOST = 0.8, 0.6
"""Standard deviation of theta as a share of its mean, and the largest mean that can be spread so unevenly."""


@dataclass(frozen=True)
class Shape:
    """How a suite's answers vary, and how a change acts on its cases."""

    name: str
    about: str
    wrong: Callable[[Rng, Array], Array]
    """Draws one answer's rate of wrong items from its case's difficulty, which is uniform from 0 to 1."""
    expected: int = 25
    extracted: int = 18
    relationships: int = 30
    hangs: float = 3.0
    """A relationship survives with the rate of right items to this power."""
    cluster: int = 1
    """Cases to a source, which share difficulty and drop."""
    collapses: bool = False
    """The drop is cases, or whole sources, of which every answer is unusable; else all cases lose, unevenly."""


def comparisons(rng: Rng, shape: Shape, cases: int, repeats: int, drop: float, runs: int) -> tuple[Side, Side]:
    """Return both sides of many comparisons; `drop` is that of the expected composite, a fraction."""
    units = -(-cases // shape.cluster)
    members = np.arange(cases) // shape.cluster
    difficulty = np.broadcast_to(rng.random((runs, units))[:, members, None], (runs, cases, repeats))
    whole, thinned = expectations(shape)
    theta = broken = np.zeros((runs, units))
    if shape.collapses:
        broken = (rng.random((runs, units)) < drop / whole).astype(float)
    elif drop:
        mean = min(drop / thinned, MOST)
        size = (1.0 - mean) / (UNEVEN**2 * mean) - 1.0
        theta = rng.beta(mean * size, (1.0 - mean) * size, (runs, units))
    before = _answers(rng, shape, difficulty, np.zeros((runs, cases, 1)))
    after = _answers(rng, shape, difficulty, theta[:, members, None])
    kept = 1.0 - broken[:, members, None]
    return before, {key: value * kept for key, value in after.items()}


@lru_cache(maxsize=32)
def expectations(shape: Shape) -> tuple[float, float]:
    """Return the expected composite, and how much of it thinning takes; from half a million answers."""
    rng = np.random.default_rng(20_000)
    difficulty = rng.random((500_000, 1, 1))
    values = _answers(rng, shape, difficulty, np.zeros_like(difficulty))
    means = {key: float(value.mean()) for key, value in values.items()}
    right = ("recall", "precision", "relationshipAccuracy")
    thinned = WEIGHTS["provenance"] + sum(WEIGHTS[key] * means[key] for key in right)
    return means["overall"], thinned - WEIGHTS["hallucinationRate"] * CANARY * means["precision"]


def _answers(rng: Rng, shape: Shape, difficulty: Array, theta: Array) -> Side:
    kept = np.broadcast_to(1.0 - theta, difficulty.shape)
    right = 1.0 - np.clip(shape.wrong(rng, difficulty), 0.0, 1.0)
    first = rng.binomial(shape.extracted, right)
    linked = rng.binomial(shape.relationships, (first / shape.extracted) ** shape.hangs)
    correct = rng.binomial(first, kept)
    values = {
        "recall": correct / shape.expected,
        "precision": correct / shape.extracted,
        "f1": 2.0 * correct / (shape.expected + shape.extracted),
        "relationshipAccuracy": rng.binomial(linked, kept) / shape.relationships,
        "provenance": rng.binomial(shape.extracted, kept) / shape.extracted,
        "hallucinationRate": rng.binomial(shape.extracted - correct, CANARY) / shape.extracted,
    }
    overall = sum(WEIGHTS[key] * values[key] for key in WEIGHTS)
    return {"overall": overall, **{key: values[key] for key in METRICS[1:]}}


def _quiet(rng: Rng, difficulty: Array) -> Array:
    """Most answers are clean, some cases are prone: as the shipped recordings are."""
    return 0.06 * difficulty**2 * rng.standard_gamma(2.0, difficulty.shape) / 2.0


def _noisy(rng: Rng, difficulty: Array) -> Array:
    return np.clip(0.05 + 0.5 * difficulty + 0.2 * rng.standard_normal(difficulty.shape), 0.0, 1.0)


def _ceiling(rng: Rng, difficulty: Array) -> Array:
    """Nineteen answers of twenty are flawless; the others have a quarter wrong."""
    return np.where(rng.random(difficulty.shape) < 0.1 * difficulty, 0.25, 0.0)


def _coin(rng: Rng, difficulty: Array) -> Array:
    return 0.05 + 0.5 * difficulty


_NOISY: dict[str, Any] = {"wrong": _noisy, "expected": 20, "extracted": 20, "relationships": 12, "hangs": 2.0}
_COIN: dict[str, Any] = {"wrong": _coin, "expected": 1, "extracted": 1, "relationships": 1, "hangs": 1.0}

SHAPES = (
    Shape("items", "as quiet as this project's recordings", _quiet),
    Shape("noisy items", "every answer varies by a fifth and more", **_NOISY),
    Shape("ceiling", "nineteen answers of twenty are flawless", _ceiling, expected=18),
    Shape("all or nothing", "one yes or no a case", **_COIN),
    Shape("sources", "noisy; five cases to a source, which share difficulty and drop", **_NOISY, cluster=5),
)
"""A drop hits every case, unevenly."""
COLLAPSES = (
    Shape("cases collapse", "as items; the drop is cases that become unusable", _quiet, collapses=True),
    Shape("sources collapse", "as items; the drop is whole sources", _quiet, cluster=5, collapses=True),
)
"""A drop is rare and large."""
