"""Ratios of counts that are never NaN.

Every function takes counts n >= 0 and returns a fraction in [0, 1], unrounded; an empty
denominator gives 0.0 (DESIGN, "Empty extraction"). None raises anything.
"""

from __future__ import annotations


def ratio(part: int, whole: int) -> float:
    """part / whole, or 0.0 where there is nothing to divide by."""
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    """Harmonic mean of precision and recall: 2PR / (P + R). Source: STANDARDS 1.3."""
    total = precision + recall
    return 2.0 * precision * recall / total if total else 0.0
