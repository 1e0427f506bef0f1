"""How much two names resemble each other, and which of many are forms of one.

Looser than the rule by which a name matches (`row3.matching.names`): nothing here decides a score, a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rapidfuzz import fuzz

from row3.matching.normalise import normalise

LIKE = 0.6
"""Resemblance from which a missed and an extracted name may be two forms of one."""
SAME = 0.85
"""Similarity from which two names are taken for forms of one."""
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


def same_thing(one: str, other: str) -> bool:
    """Two names that are forms of one: a plural, another order of the words, an acronym, a name with its acronym.

    `Ozone-depleting substances (ODS)`, `ozone-depleting substance` and `ODS` are; `soil carbon` and `soil carbon
    model` are not, nor are two names that differ only in what stands in parentheses.
    """
    ways, others = readings(one), readings(other)
    if len(ways) > 1 and len(others) > 1:  # what stands in parentheses may be the difference
        return all(map(_alike, ways[1:], others[1:]))
    return any(_alike(first, second) for first in ways for second in others)


def readings(name: str) -> list[str]:
    """The name; where it ends in parentheses also what stands before them, and what stands inside."""
    found = PARENTHESIS.match(name)
    return [name] if found is None else [name, found["before"], found["inside"]]


def grouped(names: Sequence[str], apart: Callable[[int, int], bool] = lambda one, other: False) -> list[list[int]]:
    """Positions of names that are forms of one, in the order given.

    Each name joins the first group whose first name it is a form of, so give the most telling names first. No name
    joins by way of a third one.

    Args:
        apart: of two positions, whether something else tells that they are two things.
    """
    groups: list[list[int]] = []
    for position, name in enumerate(names):
        fits = (group for group in groups if same_thing(name, names[group[0]]))
        group = next((group for group in fits if not any(apart(position, other) for other in group)), None)
        if group is None:
            groups.append([position])
        else:
            group.append(position)
    return groups


def _alike(one: str, other: str) -> bool:
    first, second = normalise(one), normalise(other)
    if not first or not second:
        return False
    return first == second or is_acronym(one, other) or fuzz.token_sort_ratio(first, second) >= SAME * 100


def is_acronym(one: str, other: str) -> bool:
    """Return whether one of two names is made of the other's first letters."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return " " in long and short.replace(" ", "") == "".join(word[0] for word in long.split())
