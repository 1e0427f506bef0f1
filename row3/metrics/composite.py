"""The weighted composite of STANDARDS 1.7."""

from __future__ import annotations

import math
from collections.abc import Mapping


def overall(metrics: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Weighted sum of a case's metrics; penalties have negative weights.

    overall = sum of w_k * m_k. Where a rewarded metric does not apply to the case, the
    remaining rewards are scaled up to the same total, so that a flawless case scores the same with or
    without it (0.85 with the default weights). Where none applies, nothing was to be found and nothing was said,
    which is flawless too.

    Args:
        metrics: fractions in [0, 1] by key.
        weights: weight by metric key.
    Returns:
        A number in [sum of penalties, sum of rewards], unrounded, cut at 0. Raises nothing.
    Source: STANDARDS 1.7.
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
