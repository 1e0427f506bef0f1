"""Suites that answer by chance, with a true drop that is known exactly.

An answer lists items, of which some are right; relationships hang on the items; the composite is row3's own formula. A
drop is made by thinning: every right item is lost with probability theta, a number a case. Thinning has no ceiling and
no floor and multiplies the expected values by exactly 1 - theta, so the composite falls by exactly what is asked for.
In other suites whole answers break, or every answer to a case, or to a source. Many comparisons are drawn at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

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
    wrong: Callable[[Rng, Array], Array]
    """Draws one answer's rate of wrong items from its case's difficulty, which is uniform from 0 to 1."""
    expected: int = 25
    extracted: int = 18
    relationships: int = 30
    hangs: float = 3.0
    """A relationship survives with the rate of right items to this power."""
    cluster: int = 1
    """Cases to a source, which share difficulty and drop."""
    passes: bool = False
    """An answer is right or wrong, and nothing else is measured."""
    breaks: float = 0.0
    """How often a whole answer is unusable, on either side."""
    loses: Literal["items", "answers", "cases"] = "items"
    """What a drop takes: right items of all cases, unevenly; whole answers now and then; every answer to some cases, or
    sources."""
    repairs: bool = False
    """The change ends the breaks, and loses what that gains in all cases, evenly."""


def comparisons(rng: Rng, shape: Shape, cases: int, repeats: int, drop: float, runs: int) -> tuple[Side, Side]:
    """Return both sides of many comparisons; `drop` is that of the expected composite, a fraction."""
    units = -(-cases // shape.cluster)
    members = np.arange(cases) // shape.cluster
    size = (runs, cases, repeats)
    difficulty = np.broadcast_to(rng.random((runs, units))[:, members, None], size)
    whole, thinned = expectations(shape)
    breaks = breaks_after = shape.breaks
    theta = lost = np.zeros((runs, units))
    if shape.repairs:
        breaks_after, drop = 0.0, drop + whole * shape.breaks
    share = drop / whole / (1.0 - breaks_after)
    if shape.loses == "cases":
        lost = (rng.random((runs, units)) < share).astype(float)
    elif shape.loses == "answers":
        breaks_after += (1.0 - breaks_after) * share
    elif drop:
        mean = min(drop / thinned / (1.0 - breaks_after), MOST)
        spread = (1.0 - mean) / (UNEVEN**2 * mean) - 1.0
        theta = theta + mean if shape.repairs else rng.beta(mean * spread, (1.0 - mean) * spread, (runs, units))
    before = _answers(rng, shape, difficulty, np.zeros((runs, cases, 1)))
    after = _answers(rng, shape, difficulty, theta[:, members, None])
    kept = (1.0 - lost)[:, members, None]
    if breaks or breaks_after:
        before = _times(before, (rng.random(size) >= breaks).astype(float))
        kept = kept * (rng.random(size) >= breaks_after)
    return before, _times(after, kept)


def _times(side: Side, kept: Array) -> Side:
    return {key: value * kept for key, value in side.items()}


@lru_cache(maxsize=32)
def expectations(shape: Shape) -> tuple[float, float]:
    """Return the composite expected of whole answers, and how much of it thinning takes; from half a million."""
    rng = np.random.default_rng(20_000)
    difficulty = rng.random((500_000, 1, 1))
    values = _answers(rng, shape, difficulty, np.zeros_like(difficulty))
    means = {key: float(value.mean()) for key, value in values.items()}
    if shape.passes:
        return means["overall"], means["overall"]
    right = ("recall", "precision", "relationshipAccuracy")
    thinned = WEIGHTS["provenance"] + sum(WEIGHTS[key] * means[key] for key in right)
    return means["overall"], thinned - WEIGHTS["hallucinationRate"] * CANARY * means["precision"]


def _answers(rng: Rng, shape: Shape, difficulty: Array, theta: Array) -> Side:
    kept = np.broadcast_to(1.0 - theta, difficulty.shape)
    right = 1.0 - np.clip(shape.wrong(rng, difficulty), 0.0, 1.0)
    if shape.passes:
        return {"overall": (rng.random(difficulty.shape) < right * kept).astype(float)}
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


def _failing(share: float) -> Callable[[Rng, Array], Array]:
    """Return a rate of wrong answers that differs from case to case, with this mean."""
    return lambda _, difficulty: 2.0 * share * difficulty


_NOISY: dict[str, Any] = {"wrong": _noisy, "expected": 20, "extracted": 20, "relationships": 12, "hangs": 2.0}

QUIET = Shape("scores in many steps", _quiet)
NOISY = Shape("scores in many steps, noisy", **_NOISY)
CEILING = Shape("nearly flawless", _ceiling, expected=18)
PASS_95 = Shape("pass/fail, 95% pass", _failing(0.05), passes=True)
PASS_80 = Shape("pass/fail, 80% pass", _failing(0.2), passes=True)
SOURCES = Shape("cases share a source", **_NOISY, cluster=5)
BREAKS = Shape("whole answers break", _quiet, breaks=0.05, loses="answers")
CASES_COLLAPSE = Shape("whole cases collapse", _quiet, loses="cases")
SOURCES_COLLAPSE = Shape("whole sources collapse", _quiet, cluster=5, loses="cases")
REPAIR = Shape("the old prompt breaks now and then", _quiet, breaks=0.1, repairs=True)
SHAPES = (QUIET, NOISY, CEILING, PASS_95, PASS_80, SOURCES, BREAKS)
COLLAPSES = (CASES_COLLAPSE, SOURCES_COLLAPSE, REPAIR)
