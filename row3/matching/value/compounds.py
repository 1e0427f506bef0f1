"""Quantities of several parts: `2 h 30 min`, `5 ft 10 in`, `5'10"`, `a year and six months`."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from row3.matching.value.numbers import number_of
from row3.matching.value.units import unit_of
from row3.matching.value.values import Value

_FEET = re.compile(r"(\d+)\s?['’′]\s?(\d{1,2}(?:\.\d+)?)\s?(?:[\"”″]|['’′]{2})?")
_ONE_SIGN = re.compile(r"(?P<number>\d[\d./⁄ ]*?)\s?(?:(?P<feet>['’′])|[\"”″]|['’′]{2})")
_INCH = Fraction("0.0254")
_PARTED = re.compile(r"\d\s?[-–—−]\s?\d|^[-–—−]")
"""A range or a sign: no parts."""
_EDGE = re.compile(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)|-")
_WHOLES = frozenset(("s", "month", "m", "g"))
"""Base units that are counted in parts of several units."""
_POUND = Fraction("453.59237")


_UNTOLD = {12 * _INCH: ("m", _INCH), Fraction(3600): ("s", Fraction(60))}
"""The unit that is left out behind another: five foot ten, 1 h 30."""
_TWO_DIGITS = re.compile(r"[0-5]\d")


class _Part(NamedTuple):
    number: Fraction
    base: str
    size: Fraction
    """Of one of its unit, in base units."""


def read_compound(low: str) -> Value | None:
    """The quantity that a text in small letters is, of two parts or more; None for anything else.

    Each part is of a smaller unit than the one before and less than one of that: 5 hours 90 minutes is none.
    """
    if (feet := _FEET.fullmatch(low)) is not None:
        inches = Fraction(feet[2])
        return Value("quantity", (12 * int(feet[1]) + inches) * _INCH, "m") if inches < 12 else None
    if (sign := _ONE_SIGN.fullmatch(low)) is not None:
        number = number_of(sign["number"])
        return None if number is None else Value("quantity", number * _INCH * (12 if sign["feet"] else 1), "m")
    parts = [] if _PARTED.search(low) else _parts(_EDGE.sub(" ", low).split())
    if len(parts) < 2 or parts[0].base not in _WHOLES:
        return None
    for large, small in pairwise(parts):
        if small.base != large.base or small.number * small.size >= large.size or large.number.denominator > 1:
            return None
    return Value("quantity", sum((part.number * part.size for part in parts), Fraction(0)), parts[0].base)


def _parts(words: list[str]) -> list[_Part]:
    """The parts in order; none where something else stands between them."""
    found: list[_Part] = []
    number: list[str] = []
    for word in words:
        spelt = word.strip(",")
        if spelt == "and" and found and not number:
            continue
        unit = unit_of(spelt.strip(".")) if number else None
        if unit is None:
            number.append(spelt)
            continue
        part = _part(" ".join(number), unit, spelt.strip("."), found)
        if part is None:
            return []
        found.append(part)
        number = []
    rest = " ".join(number)
    if rest and len(found) == 1 and (unit := _UNTOLD.get(found[0].size)) is not None:
        last = _part(rest, unit, "", found) if unit[0] == "m" or _TWO_DIGITS.fullmatch(rest) else None
        return [*found, last] if last is not None else []
    return [] if number else found


def _part(text: str, unit: tuple[str, Fraction], word: str, before: list[_Part]) -> _Part | None:
    number = Fraction(1) if text in ("a", "an") else number_of(text)
    if number is None or number < 0:
        return None
    if word == "m" and before and before[-1].base == "s":  # 2h 30m
        unit = ("s", Fraction(60))
    if unit[0] == "g" and before and before[-1].base == "pound":
        before[-1] = before[-1]._replace(base="g", size=_POUND)  # beside ounces a pound is a weight
    return _Part(number, *unit)
