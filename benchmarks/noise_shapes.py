"""Suites that answer by chance, with a true drop that is known exactly.

An answer lists `extracted` items, of which some are right; relationships hang on the items; the composite is row3's own
formula. A drop is made by thinning: every right item and relationship is lost with probability theta, a number a case.
Thinning has no ceiling and no floor, and multiplies the expected values by exactly 1 - theta, so the expected
composite falls by exactly what is asked for. Everything is drawn for many comparisons at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Rng = np.random.Generator
METRICS = ("overall", "recall", "precision", "f1", "relationshipAccuracy", "hallucinationRate")
CANARY = 0.02
"""Of the wrong items so many are canaries."""
WEIGHTS = {"recall": 0.25, "precision": 0.2, "relationshipAccuracy": 0.2, "provenance": 0.2, "hallucinationRate": -0.15}

Effect = Literal["even", "spread", "few", "broken", "relationships"]
"""Who loses: every case alike; every case, differently; few cases much; answers that become unusable (each with the
same probability); relationships only, a guard rail."""
MOST_UNEVEN = 0.6
"""`spread`: the largest mean that can be spread so unevenly."""
HARD = 0.6
"""`few`: what a case that is hit loses."""


@dataclass(frozen=True, slots=True)
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
    """A relationship survives with the rate of right items to this power: both ends, and the words between."""
    bad: float = 0.0
    """Answers that cannot be parsed and score 0, on both sides."""
    effect: Effect = "spread"
    swap: float = 0.0
    """Both sides lose so much on average, each in other cases: two prompts that are equally good and differ (omega)."""
    cluster: int = 1
    """Cases to a source; difficulty and effect are the source's."""
    fixed_suite: bool = False
    """`few`: the drop is the suite's own, always in so many of its cases; otherwise its cases are drawn with it."""
    scale: dict[str, float] = field(default_factory=dict, compare=False, repr=False)


def expectations(shape: Shape) -> dict[str, float]:
    """Expected composite of a usable answer, and how much of it thinning takes; from two million answers, once."""
    if not shape.scale:
        rng = np.random.default_rng(20_000)
        difficulty = rng.random((2_000_000, 1))
        values = _answers(rng, shape, difficulty, np.zeros_like(difficulty), 0.0, 0.0, usable=True)
        means = {key: float(value.mean()) for key, value in values.items()}
        right = ("recall", "precision", "relationshipAccuracy")
        thinned = WEIGHTS["provenance"] + sum(WEIGHTS[key] * means[key] for key in right)
        shape.scale.update(
            overall=means["overall"],
            thinned=thinned - WEIGHTS["hallucinationRate"] * CANARY * means["precision"],
            relationships=means["relationshipAccuracy"],
        )
    return shape.scale


def comparisons(
    rng: Rng, shape: Shape, cases: int, repeats: int, drops: Array
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Both sides of many comparisons: by metric, answers of the shape (comparisons, cases, repeats).

    Args:
        drops: the expected drop of the composite (of relationship accuracy where the effect is on that), a fraction for
            each comparison.
    """
    units = -(-cases // shape.cluster)
    members = np.arange(cases) // shape.cluster
    difficulty = rng.random((len(drops), units))[:, members, None]
    loses, unusable, related = _split(shape, drops)
    swap = [_spread(rng, np.full((len(drops), units), shape.swap))[:, members, None] for _ in range(2)]
    theta = 1.0 - (1.0 - swap[1]) * (1.0 - _theta(rng, shape, loses, units)[:, members, None])
    everyone = np.broadcast_to(difficulty, (len(drops), cases, repeats))
    return (
        _answers(rng, shape, everyone, swap[0], 0.0, 0.0),
        _answers(rng, shape, everyone, theta, unusable[:, None, None], related[:, None, None]),
    )


def largest(shape: Shape) -> float:
    """The largest drop that this effect can make."""
    most = {"few": HARD, "spread": MOST_UNEVEN}.get(shape.effect, 1.0)
    return most * _reach(shape)


def _reach(shape: Shape) -> float:
    """The drop of the expected composite (or of relationship accuracy) where everything that can be lost is."""
    known, share = expectations(shape), 1.0 - shape.bad
    if shape.effect == "broken":
        return share * (known["overall"] - shape.swap * known["thinned"])
    if shape.effect == "relationships":
        return share * (1.0 - shape.swap) * known["relationships"]
    return share * (1.0 - shape.swap) * known["thinned"]


def _split(shape: Shape, drops: Array) -> tuple[Array, Array, Array]:
    """Mean theta, probability that an answer breaks, and theta of relationships alone, that make the drops."""
    amount, nothing = drops / _reach(shape), np.zeros(len(drops))
    if shape.effect == "broken":
        return nothing, amount, nothing
    if shape.effect == "relationships":
        return nothing, nothing, amount
    return amount, nothing, nothing


def _theta(rng: Rng, shape: Shape, mean: Array, units: int) -> Array:
    """Theta of every unit, with the mean that is asked for."""
    wanted = np.broadcast_to(mean[:, None], (len(mean), units))
    if shape.effect == "few" and shape.fixed_suite:
        hit = np.maximum(1.0, np.round(mean * units / HARD))
        place = rng.random(wanted.shape).argsort(axis=1)
        return np.where(place < hit[:, None], (mean * units / hit)[:, None], 0.0)
    if shape.effect == "few":
        return np.where(rng.random(wanted.shape) < wanted / HARD, HARD, 0.0)
    return _spread(rng, wanted) if shape.effect == "spread" else wanted.copy()


def _spread(rng: Rng, mean: Array) -> Array:
    """From a beta distribution whose standard deviation is 0.8 of its mean: most lose little, some much."""
    safe = np.clip(mean, 1e-9, MOST_UNEVEN)
    size = (1.0 - safe) / (0.64 * safe) - 1.0
    return np.where(mean > 0.0, rng.beta(safe * size, (1.0 - safe) * size), 0.0)


def _answers(
    rng: Rng, shape: Shape, difficulty: Array, theta: Array, broken: Array | float, related: Array | float,
    *, usable: bool = False,
) -> dict[str, Array]:  # fmt: skip
    kept = np.broadcast_to(1.0 - theta, difficulty.shape)
    right = 1.0 - np.clip(shape.wrong(rng, difficulty), 0.0, 1.0)
    first = rng.binomial(shape.extracted, right)
    linked = rng.binomial(shape.relationships, (first / shape.extracted) ** shape.hangs)
    correct = rng.binomial(first, kept)
    linked = rng.binomial(linked, kept * (1.0 - related))
    canaries = rng.binomial(shape.extracted - correct, CANARY)
    values = {
        "recall": correct / shape.expected,
        "precision": correct / shape.extracted,
        "f1": 2.0 * correct / (shape.expected + shape.extracted),
        "relationshipAccuracy": linked / shape.relationships,
        "provenance": rng.binomial(shape.extracted, kept) / shape.extracted,
        "hallucinationRate": canaries / shape.extracted,
    }
    values["overall"] = sum(WEIGHTS[key] * values[key] for key in WEIGHTS)
    if not usable:
        answered = (rng.random(difficulty.shape) >= shape.bad) & (rng.random(difficulty.shape) >= broken)
        values = {key: np.where(answered, value, 0.0) for key, value in values.items()}
    return {key: values[key] for key in METRICS}


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


QUIET = {"wrong": _quiet}
NOISY = {"wrong": _noisy, "expected": 20, "extracted": 20, "relationships": 12, "hangs": 2.0}
CEILING = {"wrong": _ceiling, "expected": 18}
COIN = {"wrong": _coin, "expected": 1, "extracted": 1, "relationships": 1, "hangs": 1.0}

UNEVEN = (
    Shape("shipped", "as quiet as this project's recordings", **QUIET),
    Shape("noisy", "much noise", **NOISY),
    Shape("prompts", "noisy; two prompts that lose in other cases", **NOISY, swap=0.12),
    Shape("ceiling", "nineteen answers of twenty flawless: most differences are 0", **CEILING),
    Shape("pass or fail", "one yes or no a case", **COIN),
    Shape("bad answers", "as shipped, and 2 % of answers score 0 on both sides", **QUIET, bad=0.02),
    Shape("sources", "noisy; five cases to a source, which shares difficulty and drop", **NOISY, cluster=5),
)
"""The drop is spread unevenly over the cases."""
HIDDEN = (
    Shape(
        "few cases", "as shipped; the drop is in a few of the suite's cases", **QUIET, effect="few", fixed_suite=True
    ),
    Shape("breaking", "as shipped; the drop is answers that become unusable", **QUIET, effect="broken"),
    Shape("new cases", "as shipped; the drop is in few cases, and the suite's are drawn anew", **QUIET, effect="few"),
)
"""The drop is rare and large."""
SHAPES = (*UNEVEN, *HIDDEN)
GUARD = Shape("guard rail", "noisy; only relationship accuracy falls", **NOISY, effect="relationships")
ALIKE = tuple([replace(shape, effect="even", swap=0.08, scale={}) for shape in UNEVEN if shape.name != "prompts"])
"""For promises: two prompts that lose in other cases, and a drop that all cases share."""
