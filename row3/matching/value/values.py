"""Names that are values: numbers, percentages, money, dates, quantities. They match if their values are equal.

Libraries that parse dates, numbers or units from free text guess what is missing, which would equate different
values. Here the whole name has to be a value ("4% growth" is not), and an ambiguous one equals only itself.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from row3.matching.lexicon.words import NUMBER_WORDS
from row3.matching.normalise import normalise

if TYPE_CHECKING:
    from row3.matching.value.units import Value

_DIGIT = re.compile(r"[\d¼-¾⅐-⅞]")
_MIXED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_POINT = re.compile(r"(?<![\w.,])\.(?=\d)")
"""`.5 mg`"""


@lru_cache(maxsize=1024)
def has_number(name: str) -> bool:
    """Return whether a name has a digit or number word, as every value and few other names have."""
    spelt = normalise(name).split()
    return not NUMBER_WORDS.isdisjoint(spelt) or (not "".join(spelt).isalpha() and _DIGIT.search(name) is not None)


@lru_cache(maxsize=1024)
def value_of(name: str, *, day_first: bool | None = None) -> Value | None:
    """Return the value that a name is; None if it is more than a value, or none.

    `day_first` is the source's date order (`dates.writes_day_first`); with None, 03/04/2024 stays ambiguous.
    """
    if len(name) > 80 or not has_number(name):
        return None
    from row3.matching.value.quantities import has_other_words, read, read_range  # one name in a hundred needs it

    if has_other_words(name):
        return None
    name = _POINT.sub("0.", _MIXED.sub(" ", name))
    text = unicodedata.normalize("NFKC", name.replace("⁻", "^−")).strip().strip(".,;:").strip()
    text = re.sub(r"\s+", " ", re.sub(r"^\((.*)\)$", r"\1", text))
    return read(text, day_first) or read_range(text)


_DECIMAL = re.compile(r"\d+\.\d+")
"""A possible version: Python 3.1 is not Python 3.10."""
_PLACE = re.compile(r"an? (?:third|fourth|fifth|sixth|eighth|tenth)", re.IGNORECASE)
_PRIME = re.compile("[35]['’′]")
"""An end of a DNA strand if a word follows: the 5' end."""
_METRES = ("time", "metre", "meter", "signature", "beat", "bar", "bars")
"""Words that make a preceding pair of numbers a metre and not a fraction: 6/8 time is not 3/4 time."""
LONGEST = 6
"""Maximum words of a value within a name."""
_PORTIONS = frozenset(("g", "l", "cup", "tsp", "tbsp", "byte"))
"""Base units with which `of` is optional: 350 g of flour."""
_CLOSING = frozenset("\"'’”")
_OPENING = re.compile(r"(?<!\w)[\"'‘“«]")


def is_quoted(name: str) -> bool:
    """Return whether a name has quotation marks; then one after a digit does not mean feet or inches."""
    return _OPENING.search(name) is not None


@lru_cache(maxsize=1024)
def with_values(name: str) -> str:
    """Return a name with the values in it normalised: `$5 million grant`, `5 million dollar grant`."""
    spelt = name.split()
    if not 1 < len(spelt) < 16 or not has_number(name):
        return name
    from row3.matching.value.quantities import has_other_words

    ends = [at for at, word in enumerate(spelt) if has_other_words(word)]
    found, at = [], 0
    while at < len(spelt):
        end = next((end for end in ends if end >= at), len(spelt))
        for size in range(min(LONGEST, end - at), 0, -1) or (1,):
            window = " ".join(spelt[at : at + size])
            after = spelt[at + size] if at + size < len(spelt) else ""
            value = None if _is_not_a_value(window, name, after) else value_of(window)
            if value is not None or size == 1:
                found.append(spelt[at] if value is None else _written(value))
                at += size
                if value is not None and value.kind == "quantity" and value.unit in _PORTIONS and after == "of":
                    at += 1
                break
    return " ".join(found)


def _is_not_a_value(window: str, name: str, after: str) -> bool:
    """Return whether words that look like a value may be a version, the end of a quotation, or `a third chance`."""
    if _DECIMAL.fullmatch(window) or (window[-1] in _CLOSING and is_quoted(name)):
        return True
    if after and (_PRIME.fullmatch(window) is not None or ("/" in window and after.lower() in _METRES)):
        return True
    return after not in ("", "of") and _PLACE.fullmatch(window) is not None


def _written(value: Value) -> str:
    """Return a value as one word that no name contains."""
    if isinstance(value.amount, tuple):
        return "range" + "".join(_written(end) for end in value.amount)
    return f"{value.kind}valued{str(value.amount).replace('-', 'minus').replace('/', 'over')}{value.unit}"


DIFFERENT_SIGNS = "different signs"

_MINUS = re.compile(
    r"(?:(?<![\w/)\]-])(?<!\d[ '’′\"])[-−–]|(?<=\d[\^eE])[-−])(?=[$€£]?\.?[\d¼-¾⁰¹²³⁴-⁹])(\d*)|"
    r"(?<=[A-Za-z])[-−⁻](?=$|[\s,;.)])(?! (?:and|or|to)\b)"
)
"""A minus precedes a number without following one (`pages 3-5`) or a word (`Covid-19`), or follows a letter (`Cl⁻`)."""
_PARTED = re.compile(r"(?<![\w.,-])\d+(\s?[-–—]\s?|[.,]|, )\d+(?![\d.,:/-])")
_FEET = re.compile(r"(?<=\d)['’′\"”″](?!s\b)")


def signs_differ(one: str, other: str) -> bool:
    """Return whether names differ by a sign: `-5 °C` and `5 °C`, `3.5 days` and `3-5 days`."""
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
