"""Ratios and weighted sums that are never NaN.

Counts are n >= 0; results are fractions in [0, 1], unrounded; an empty denominator gives 0.0 (DESIGN, "Empty
extraction"). No function raises anything.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

Groups = Mapping[str, Hashable]
"""Group by item: what belongs together has one and the same."""


def ratio(part: int, whole: int) -> float:
    """part / whole, or 0.0 where there is nothing to divide by."""
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    """Harmonic mean of precision and recall: 2PR / (P + R). Source: STANDARDS 1.3."""
    total = precision + recall
    return 2.0 * precision * recall / total if total else 0.0


def overall(metrics: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Weighted sum of a case's metrics (fractions in [0, 1]), sum of w_k * m_k; penalties have negative weights.

    Where a rewarded metric does not apply to the case, the remaining rewards are scaled up to the same total, so that a
    flawless case scores the same with or without it (0.85 with the default weights). Where none applies, nothing was to
    be found and nothing was said, which is flawless too. A number in [0, sum of rewards], unrounded. Source: STANDARDS
    1.7.
    """
    rewards = [(key, weight) for key, weight in weights.items() if weight > 0]
    total = math.fsum(weight for _, weight in rewards)
    present = math.fsum(weight for key, weight in rewards if key in metrics)
    scale = total / present if present and present != total else 1.0
    gain = math.fsum(weight * metrics[key] for key, weight in rewards if key in metrics) if present else total
    penalty = math.fsum(weight * metrics[key] for key, weight in weights.items() if weight < 0 and key in metrics)
    return max(0.0, gain * scale + penalty)


def most(weights: Mapping[str, float]) -> float:
    """What a flawless case scores: the sum of the rewards, and 1 where nothing is weighed. Raises nothing."""
    return math.fsum(weight for weight in weights.values() if weight > 0) if weights else 1.0


def b_cubed(given: Groups, truth: Groups) -> tuple[float, float]:
    """Return B-cubed precision and recall: how well items are grouped that stand for the same thing.

    For every item of `truth`, which must not be empty: the share of its group that truly belongs with it (precision),
    and the share of what truly belongs with it that is in its group (recall); then the mean, in [0, 1].
    Source: Bagga and Baldwin 1998, in the form of Amigó et al. 2009.

    An item of `truth` that was not given is a group of its own: its precision is 1 and its recall what a singleton
    has. So silence costs recall where items belong together, and nothing where all stand alone: look at it beside
    the items that were found at all. Items that only `given` has are left out, as they have no truth.
    """
    from fractions import Fraction  # for suites of linked documents only

    held = {item: given.get(item, ("alone", item)) for item in truth}
    together: dict[tuple[Hashable, Hashable], int] = {}
    ours: dict[Hashable, int] = {}
    theirs: dict[Hashable, int] = {}
    for item, group in truth.items():
        together[held[item], group] = together.get((held[item], group), 0) + 1
        ours[held[item]] = ours.get(held[item], 0) + 1
        theirs[group] = theirs.get(group, 0) + 1
    precision = sum((Fraction(n * n, ours[pair[0]]) for pair, n in together.items()), Fraction(0))
    recall = sum((Fraction(n * n, theirs[pair[1]]) for pair, n in together.items()), Fraction(0))
    return float(precision) / len(truth), float(recall) / len(truth)
