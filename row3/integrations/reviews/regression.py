"""Composite weights that predict satisfaction, and their cross-validated gain over today's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from statistics import fmean
from typing import NamedTuple

from row3.domain.judgements import Interval
from row3.gate.intervals import mean_interval

FOLDS = 5
SWEEPS, SETTLED = 10_000, 1e-12


class Sample(NamedTuple):
    """A record's metrics, with its user's satisfaction."""

    topic: str
    satisfaction: float
    metrics: Mapping[str, float]


class Proposal(NamedTuple):
    """Weights found by regression."""

    weights: Mapping[str, float]
    """With the signs and the total size of today's; metrics that never vary keep theirs."""
    gain: Interval
    """Cross-validated gain in explained variance of satisfaction over today's weights, a fraction."""
    n: int


def propose(samples: Sequence[Sample], weights: Mapping[str, float]) -> Proposal | None:
    """Return weights by non-negative least squares, with their gain over today's; penalties count as negative.

    Both predict each of `FOLDS` parts from the others: the proposal by its own weights, today's by a line through the
    composite. Topics are never split, and the interval of the gain treats them as independent. None if no metric
    predicts satisfaction, or if that never varies.

    Args:
        samples: all with every metric of `weights`, over at least `FOLDS` topics.
    """
    ys = [each.satisfaction for each in samples]
    xs = [[math.copysign(each.metrics[key], weight) for key, weight in weights.items()] for each in samples]
    today = [[sum(abs(w) * x for w, x in zip(weights.values(), row, strict=True))] for row in xs]
    varies = [len({row[place] for row in xs}) > 1 for place in range(len(weights))]
    found, _ = non_negative_fit(xs, ys)
    spread = fmean((y - fmean(ys)) ** 2 for y in ys)
    if not any(found) or spread == 0.0:
        return None
    free = sum(abs(weight) for weight, moves in zip(weights.values(), varies, strict=True) if moves)
    scale = free / sum(found)
    proposed = {
        key: math.copysign(each * scale, weight) if moves else weight
        for (key, weight), each, moves in zip(weights.items(), found, varies, strict=True)
    }
    errors = [squared_errors(rows, ys, folds([each.topic for each in samples])) for rows in (today, xs)]
    gains = [(before - after) / spread for before, after in zip(*errors, strict=True)]
    gain = mean_interval(gains, clusters=[each.topic for each in samples])
    return None if gain is None else Proposal(proposed, gain, len(samples))


def folds(topics: Sequence[str]) -> list[int]:
    """Return the fold of each record; topics are dealt out in the order of their digests."""
    ordered = sorted(set(topics), key=lambda topic: sha256(topic.encode()).digest())
    places = {topic: place % FOLDS for place, topic in enumerate(ordered)}
    return [places[topic] for topic in topics]


def squared_errors(xs: Sequence[Sequence[float]], ys: Sequence[float], parts: Sequence[int]) -> list[float]:
    """Return the squared error of each value, predicted from the other parts by `non_negative_fit`."""
    fits = {}
    for part in set(parts):
        rest = [place for place, other in enumerate(parts) if other != part]
        fits[part] = non_negative_fit([xs[place] for place in rest], [ys[place] for place in rest])
    errors = []
    for row, y, part in zip(xs, ys, parts, strict=True):
        slopes, level = fits[part]
        errors.append((y - level - math.fsum(a * b for a, b in zip(slopes, row, strict=True))) ** 2)
    return errors


def non_negative_fit(xs: Sequence[Sequence[float]], ys: Sequence[float]) -> tuple[list[float], float]:
    """Return slopes of at least 0 and the intercept of least squares, by coordinate descent.

    Each slope in turn becomes the best one given the others (Franc, Hlaváč and Navara 2005). A constant column has 0.

    Args:
        xs: n rows of k values.
        ys: n values.
    """
    means, level = [fmean(column) for column in zip(*xs, strict=True)], fmean(ys)
    columns = [[x - mean for x in column] for column, mean in zip(zip(*xs, strict=True), means, strict=True)]
    gram = [[math.fsum(a * b for a, b in zip(one, two, strict=True)) for two in columns] for one in columns]
    target = [math.fsum(x * (y - level) for x, y in zip(column, ys, strict=True)) for column in columns]
    slopes = [0.0] * len(columns)
    for _ in range(SWEEPS):
        moved = 0.0
        for place, row in enumerate(gram):
            if row[place] > SETTLED:
                pull = target[place] - math.fsum(a * b for a, b in zip(row, slopes, strict=True))
                new = max(0.0, slopes[place] + pull / row[place])
                moved, slopes[place] = max(moved, abs(new - slopes[place])), new
        if moved <= SETTLED:
            break
    return slopes, level - math.fsum(a * b for a, b in zip(slopes, means, strict=True))
