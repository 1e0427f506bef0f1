"""How similar two texts are: the scorers that a suite may choose from. All but `exact` are of rapidfuzz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA, JaroWinkler

DEFAULT = "levenshtein"
EXACT = "exact"
"""Names are one where they are equal once normalised, to the label or to an alias; every other rule is off.

Only how near the nearest name is, which no match rests on, is still said as by `levenshtein`.
"""
SCORERS: Mapping[str, tuple[Any, float]] = {
    EXACT: (OSA.normalized_similarity, 1.0),
    "levenshtein": (OSA.normalized_similarity, 1.0),
    "jaro-winkler": (JaroWinkler.normalized_similarity, 1.0),
    "ratio": (fuzz.ratio, 100.0),
    "token-sort": (fuzz.token_sort_ratio, 100.0),
    "token-set": (fuzz.token_set_ratio, 100.0),
}
"""Scorer by name, and the value it gives to equal texts.

`levenshtein` counts two neighbouring letters that changed places as one edit, not two (optimal string alignment): it is
the commonest slip of all.
"""

SLACK = 1e-9
"""Tolerance of comparisons with a threshold."""

CUTOFF_SLACK = 1e-6
"""rapidfuzz compares a cut-off at single precision: at 0.85 it drops 17/20. So ask for a little less, then compare."""


def similarity(key_a: str, key_b: str, scorer: str) -> float:
    """Similarity of two normalised names in [0, 1] by a scorer of `SCORERS`; 0 for an empty one."""
    if not key_a or not key_b:
        return 0.0
    function, full = SCORERS[scorer]
    return float(function(key_a, key_b)) / full


SHORT = range(5, 7)
"""Letters of a name in which one slip is more than the default threshold allows."""


def least(key_a: str, key_b: str, scorer: str, threshold: float) -> float:
    """The similarity from which two normalised names may be one: the threshold, or one edit in a short name.

    `seson` is 0.83 of `season`. A threshold above the default allows no such slip.
    """
    longer = max(len(key_a), len(key_b))
    return threshold if scorer != DEFAULT or threshold > 0.85 or longer not in SHORT else min(threshold, 1 - 1 / longer)
