"""How much two names resemble each other.

Looser than the rule by which a name matches (`row3.matching.names`): nothing here decides a score, a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from row3.matching.normalise import normalise

LIKE = 0.6
"""Resemblance from which a missed and an extracted name may be two forms of one."""
OTHER_WAY = 0.95
"""Resemblance of a name to its first letters, and to itself with something in parentheses."""
MORE_WORDS = 0.9
"""Weight of the words that two names share where one has more of them."""
PARENTHESIS = re.compile(r"\A\s*(?P<before>[^()]*[^()\s])\s*\((?P<inside>[^()]*[^()\s][^()]*)\)\s*\Z")


def resemblance(one: str, other: str) -> float:
    """How much two names resemble each other by their words, in [0, 1]; symmetric.

    The order of the words does not count; words that only one of them has count a little.
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
    """The highest resemblance between any of the one and any of the other; 0 where either has none."""
    return max((resemblance(one, other) for one in names for other in others), default=0.0)


def readings(name: str) -> list[str]:
    """The name; where it ends in parentheses also what stands before them, and what stands inside."""
    found = PARENTHESIS.match(name)
    return [name] if found is None else [name, found["before"], found["inside"]]


def is_acronym(one: str, other: str) -> bool:
    """Return whether one of two names is made of the other's first letters."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return " " in long and short.replace(" ", "") == "".join(word[0] for word in long.split())
