"""Quantities of several parts: `2 h 30 min`, `5 ft 10 in`, `5'10"`, `a year and six months`."""

from __future__ import annotations

import re
from fractions import Fraction

from row3.matching.value.numbers import number_of
from row3.matching.value.units import unit_of
from row3.matching.value.values import Value

_RANGE = re.compile(r"\d\s?[-–—−]\s?\d|^[-–—−]")
_EDGE = re.compile(r"(?<=\d)(?=[^\W\d]|['’′\"”″])|(?<=[^\W\d])(?=\d)|(?<=['’′])(?=\d)|-")
_WHOLES = frozenset(("s", "month", "m", "g"))
"""Base units that are counted in parts of several units."""
_UNTOLD = {("m", Fraction("0.3048")): "in", ("s", Fraction(3600)): "min"}
"""The unit that is left out behind another: five foot ten, 1 h 30."""


def read_compound(low: str) -> Value | None:
    """The quantity that a text in small letters is, of two parts or more; None for anything else.

    Each part is of a smaller unit than the one before and less than one of that: 5 hours 90 minutes is none.
    """
    spelt = [word.strip(",.") for word in _EDGE.sub(" ", low).split()]
    spelt = [word for at, word in enumerate(spelt) if word != "and" or not at]
    if len(spelt) == 3 and (unit := unit_of(spelt[1])) in _UNTOLD:
        spelt.append(_UNTOLD[unit])
    if len(spelt) < 4 or len(spelt) % 2 or _RANGE.search(low):
        return None
    base, least, number, total = "", Fraction(0), Fraction(0), Fraction(0)
    for text, word in zip(spelt[::2], spelt[1::2], strict=True):
        if number.denominator > 1:
            return None
        read = Fraction(1) if text in ("a", "an") else number_of(text)
        unit = ("s", Fraction(60)) if word == "m" and base == "s" else unit_of(word)  # 2h 30m
        if read is None or read < 0 or unit is None or (base and (unit[0] != base or read * unit[1] >= least)):
            return None
        number, (base, least) = read, unit
        total += number * least
    return Value("quantity", total, base) if base in _WHOLES else None
