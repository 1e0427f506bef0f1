"""Ratios and weighted sums that are never NaN.

Counts are n >= 0; results are unrounded fractions in [0, 1]; an empty denominator gives 0.0 (DESIGN, "Empty
extraction").
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

Groups = Mapping[str, Hashable]
"""Group by item."""


def ratio(part: int, whole: int) -> float:
    """Return part / whole, or 0.0 if whole is 0."""
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall: 2PR / (P + R). Source: STANDARDS 1.3."""
    total = precision + recall
    return 2.0 * precision * recall / total if total else 0.0


def overall(metrics: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted sum of a case's metrics (fractions in [0, 1]), sum of w_k * m_k; penalties are negative.

    If a rewarded metric does not apply to the case, the others are scaled up to the same total, so that a flawless case
    scores the same (0.85 with the default weights). If none applies, nothing was expected and nothing was found, which
    is flawless too. In [0, sum of rewards], unrounded. Source: STANDARDS 1.7.
    """
    rewards = [(key, weight) for key, weight in weights.items() if weight > 0]
    total = math.fsum(weight for _, weight in rewards)
    present = math.fsum(weight for key, weight in rewards if key in metrics)
    scale = total / present if present and present != total else 1.0
    gain = math.fsum(weight * metrics[key] for key, weight in rewards if key in metrics) if present else total
    penalty = math.fsum(weight * metrics[key] for key, weight in weights.items() if weight < 0 and key in metrics)
    return max(0.0, gain * scale + penalty)


def best_score(weights: Mapping[str, float]) -> float:
    """Return the score of a flawless case: the sum of positive weights, or 1 without weights."""
    return math.fsum(weight for weight in weights.values() if weight > 0) if weights else 1.0


def b_cubed(given: Groups, truth: Groups) -> tuple[float, float]:
    """Return B-cubed precision and recall of a clustering, in [0, 1].

    For each item of `truth`, which must not be empty: the share of its given group that is also in its true group
    (precision), and the share of its true group that is also in its given group (recall); then the mean over items.
    Source: Bagga and Baldwin 1998, in the form of Amigó et al. 2009.

    An item missing from `given` counts as a group of its own: precision 1, recall that of a singleton. Missing items
    therefore cost recall only if they share a true group. Items missing from `truth` are ignored.
    """
    from collections import Counter  # imported here, for suites of linked documents only
    from fractions import Fraction

    pairs = [(given.get(item, ("alone", item)), group) for item, group in truth.items()]
    given_sizes, true_sizes = Counter(own for own, _ in pairs), Counter(truth.values())
    overlaps = Counter(pairs)
    precision = sum((Fraction(n * n, given_sizes[own]) for (own, _), n in overlaps.items()), Fraction(0))
    recall = sum((Fraction(n * n, true_sizes[group]) for (_, group), n in overlaps.items()), Fraction(0))
    return float(precision) / len(truth), float(recall) / len(truth)
