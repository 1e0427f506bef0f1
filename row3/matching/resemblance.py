"""How much two names resemble each other, as a suggestion for people.

Looser than the matching rules (`row3.matching.names`); it affects no score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from row3.matching.normalise import normalise

LIKE = 0.6
"""Resemblance from which a missed and an extracted name may be forms of one name."""
OTHER_WAY = 0.95
"""Resemblance of a name to its acronym, and to itself with a parenthesis."""
MORE_WORDS = 0.9
"""Weight of the shared words if one name has more words."""
PARENTHESIS = re.compile(r"\A\s*(?P<before>[^()]*[^()\s])\s*\((?P<inside>[^()]*[^()\s][^()]*)\)\s*\Z")


def resemblance(one: str, other: str) -> float:
    """Return how much two names resemble each other by their words, in [0, 1]; symmetric.

    Word order does not count; extra words count a little.
    """
    first, second = normalise(one), normalise(other)
    if not first or not second:
        return 0.0
    if first == second:
        return 1.0
    if is_acronym(one, other) or first in map(normalise, readings(other)) or second in map(normalise, readings(one)):
        return OTHER_WAY
    shared = MORE_WORDS * fuzz.token_set_ratio(first, second)
    return max(fuzz.token_sort_ratio(first, second), shared) / 100


def best_resemblance(names: Sequence[str], others: Sequence[str]) -> float:
    """Return the highest resemblance between a name of each group; 0 if either is empty."""
    return max((resemblance(one, other) for one in names for other in others), default=0.0)


def readings(name: str) -> list[str]:
    """Return the name and, if it ends in a parenthesis, the parts before and inside it."""
    found = PARENTHESIS.match(name)
    return [name] if found is None else [name, found["before"], found["inside"]]


def is_acronym(one: str, other: str) -> bool:
    """Return whether one of two names consists of the other's initials."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return " " in long and short.replace(" ", "") == "".join(word[0] for word in long.split())
