"""The string similarity scorers that a suite can choose from, all by rapidfuzz, and the names that they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA, JaroWinkler

DEFAULT = "levenshtein"
EXACT = "exact"
"""Matches only names that equal a label or alias once normalised. `levenshtein` still finds the nearest name."""
SCORERS: Mapping[str, tuple[Any, float]] = {
    EXACT: (OSA.normalized_similarity, 1.0),
    "levenshtein": (OSA.normalized_similarity, 1.0),
    "jaro-winkler": (JaroWinkler.normalized_similarity, 1.0),
    "ratio": (fuzz.ratio, 100.0),
    "token-sort": (fuzz.token_sort_ratio, 100.0),
    "token-set": (fuzz.token_set_ratio, 100.0),
}
"""Scorer by name, with its value for equal texts.

`levenshtein` counts swapped neighbours, the commonest slip, as one edit (optimal string alignment).
"""


@dataclass(frozen=True, slots=True)
class NameRule:
    """A suite's settings for comparing names."""

    scorer: str = DEFAULT
    threshold: float = 0.85
    """Similarity in (0, 1] from which two normalised names may be spellings of one name."""
    plain: bool = False
    """Whether equality after normalisation and similarity decide alone."""


class Named(NamedTuple):
    """An expected name and its accepted alternatives."""

    label: str
    aliases: Sequence[str]
    person: bool | None = None
    """Whether the case declares it a person; None if the case does not say."""


SLACK = 1e-9
"""Tolerance when comparing with a threshold."""

CUTOFF_SLACK = 1e-6
"""Amount to lower a cut-off by: rapidfuzz compares in single precision and drops 17/20 at 0.85."""


def similarity(key_a: str, key_b: str, scorer: str) -> float:
    """Return the similarity of two normalised names in [0, 1] by a scorer of `SCORERS`; 0 if one is empty."""
    if not key_a or not key_b:
        return 0.0
    function, full = SCORERS[scorer]
    return float(function(key_a, key_b)) / full


SHORT_LENGTHS = range(5, 7)
"""Lengths of names in which one edit already falls below the default threshold."""


def min_similarity(key_a: str, key_b: str, rule: NameRule) -> float:
    """Return the similarity from which two normalised names may match: the threshold, or one edit in a short name.

    `seson` and `season` have 0.83. A threshold above the default makes no exception.
    """
    longer = max(len(key_a), len(key_b))
    if rule.plain or rule.scorer != DEFAULT or rule.threshold > 0.85 or longer not in SHORT_LENGTHS:
        return rule.threshold
    return min(rule.threshold, 1 - 1 / longer)
