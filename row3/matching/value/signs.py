"""Signs that normalising drops though they make another number: a minus, a point or a dash, feet or inches.

Normalised, `growth of -3.1%` is `growth of 3.1%`, `3-5 days` is `3.5 days` and `5'10"` is 510.
"""

from __future__ import annotations

import re

from row3.matching.value.values import is_quoted, with_values

TWO_SIGNS = "two signs"

_MINUS = re.compile(
    r"(?:(?<![\w/)\]-])(?<!\d[ '’′\"])[-−–]|(?<=\d[\^eE])[-−])(?=[$€£]?\.?[\d¼-¾⁰¹²³⁴-⁹])(\d*)|"
    r"(?<=[A-Za-z])[-−⁻](?=$|[\s,;.)])(?! (?:and|or|to)\b)"
)
"""A minus stands before a number and behind none (`pages 3-5`, `Covid-19`), or behind a letter: `O- blood`, `Cl⁻`."""
_PARTED = re.compile(r"(?<![\w.,-])\d+(\s?[-–—]\s?|[.,]|, )\d+(?![\d.,:/-])")
_FEET = re.compile(r"(?<=\d)['’′\"”″](?!s\b)")


def two_signs(one: str, other: str) -> bool:
    """A sign makes two of names that are one without it: `-5 °C` and `5 °C`, `3.5 days` and `3-5 days`."""
    if (one + other).replace(" ", "").isalpha():
        return False
    quoted = is_quoted(one) or is_quoted(other)
    parted = {_kind(hit) for hit in _PARTED.findall(one)} ^ {_kind(hit) for hit in _PARTED.findall(other)}
    differ = (
        _MINUS.findall(one) != _MINUS.findall(other)
        or (len(parted) > 1 and len(_PARTED.findall(one)) == len(_PARTED.findall(other)))
        or (not quoted and _feet(one) != _feet(other))
    )
    return differ and with_values(one) != with_values(other)


def _feet(name: str) -> list[bool]:
    return [sign in "'’′" for sign in _FEET.findall(name)]


def _kind(sign: str) -> str:
    return "point" if sign in (".", ",") else "list" if sign == ", " else "range"
