"""Whether two names may be two forms of one, though they do not match."""

from __future__ import annotations

from row3.matching.normalise import normalise

LIKE = 0.6
"""Similarity from which a missed and an extracted name may be two forms of one."""


def alike(score: float, one: str, other: str) -> bool:
    """Two names that may be forms of one: similar, or one within the other."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return score >= LIKE or f" {short} " in f" {long} " or is_acronym(one, other)


def is_acronym(one: str, other: str) -> bool:
    """One of the two names is made of the other's first letters."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return " " in long and short.replace(" ", "") == "".join(word[0] for word in long.split())
