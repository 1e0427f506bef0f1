"""Names that are values: numbers, percentages, money, dates, quantities. They are one where their values are.

Own rules: the libraries that read dates, numbers or units from free text guess what is missing, and a guess makes
two values one. Here a name is a value whole or not at all ("4% growth" is none), and what a careful reader could
read in two ways is equal only to itself.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from row3.matching.lexicon.lists import lists, words
from row3.matching.normalise import normalise

if TYPE_CHECKING:
    from fractions import Fraction


Kind = Literal["number", "ordinal", "percent", "money", "date", "quantity", "range"]


class Value(NamedTuple):
    """A value; two are equal when kind, amount and unit are."""

    kind: Kind
    amount: Fraction | str | tuple[Value, Value]
    """Exact. Of money in whole units, of a percentage in percent, of a date its ISO text, of a range its two ends."""
    unit: str = ""
    """ISO 4217 code of money; base unit of a quantity."""


_DIGIT = re.compile(r"[\d¼-¾⅐-⅞]")
_MIXED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_POINT = re.compile(r"(?<![\w.,])\.(?=\d)")
"""`.5 mg`"""
NUMBER_WORDS = words(lists("english")["number_words"])


def has_number(name: str) -> bool:
    """The name has a digit or a number word: what every value has, and few names."""
    spelt = normalise(name).split()
    return not NUMBER_WORDS.isdisjoint(spelt) or (not "".join(spelt).isalpha() and _DIGIT.search(name) is not None)


@lru_cache(maxsize=1024)
def value_of(name: str, *, day_first: bool | None = None) -> Value | None:
    """The value that a name is; None where it is none, or is more than a value.

    `day_first` says how the source writes dates in digits (`dates.writes_day_first`); None leaves 03/04/2024 open.
    """
    if len(name) > 80 or not has_number(name):
        return None
    from row3.matching.value.quantities import read, read_range, says_more  # one name in a hundred needs it

    if says_more(name):
        return None
    name = _POINT.sub("0.", _MIXED.sub(" ", name))
    text = unicodedata.normalize("NFKC", name.replace("⁻", "^−")).strip().strip(".,;:").strip()
    text = re.sub(r"\s+", " ", re.sub(r"^\((.*)\)$", r"\1", text))
    return read(text, day_first) or read_range(text)


_DECIMAL = re.compile(r"\d+\.\d+")
"""May be a version: Python 3.1 is not Python 3.10."""
_PLACE = re.compile(r"an? (?:third|fourth|fifth|sixth|eighth|tenth)", re.IGNORECASE)
_PRIME = re.compile("[35]['’′]")
"""An end of a strand of DNA, where more follows: the 5' end."""
_METRES = ("time", "metre", "meter", "signature", "beat", "bar", "bars")
"""Behind these numbers of two parts are no fractions: 6/8 time is not 3/4 time."""
LONGEST = 6
"""Words of a value within a name."""


_PORTIONS = frozenset(("g", "l", "cup", "tsp", "tbsp", "byte"))
"""Base units of what is measured out: before `of` or without it."""
_CLOSING = frozenset("\"'’”")
_OPENING = re.compile(r"(?<!\w)[\"'‘“«]")


def is_quoted(name: str) -> bool:
    """Something in the name stands in quotation marks, so that one behind a digit is no sign of feet or inches."""
    return _OPENING.search(name) is not None


def with_values(name: str) -> str:
    """A name with the values in it written in one way: `$5 million grant` as `5 million dollar grant` is."""
    spelt = name.split()
    if not 1 < len(spelt) < 16 or not has_number(name):
        return name
    from row3.matching.value.quantities import says_more

    ends = [at for at, word in enumerate(spelt) if says_more(word)]
    found, at = [], 0
    while at < len(spelt):
        end = next((end for end in ends if end >= at), len(spelt))
        for size in range(min(LONGEST, end - at), 0, -1) or (1,):
            window = " ".join(spelt[at : at + size])
            after = spelt[at + size] if at + size < len(spelt) else ""
            value = None if _may_be_none(window, name, after) else value_of(window)
            if value is not None or size == 1:
                found.append(spelt[at] if value is None else _written(value))
                at += size
                if value is not None and value.kind == "quantity" and value.unit in _PORTIONS and after == "of":
                    at += 1  # 350 g of flour
                break
    return " ".join(found)


def _may_be_none(window: str, name: str, after: str) -> bool:
    """Words of a name that would be a value by themselves, and may be none there: a version, a quotation's end, a
    place in an order (`a third chance`)."""
    if _DECIMAL.fullmatch(window) or (window[-1] in _CLOSING and is_quoted(name)):
        return True
    if after and (_PRIME.fullmatch(window) is not None or ("/" in window and after.lower() in _METRES)):
        return True
    return after not in ("", "of") and _PLACE.fullmatch(window) is not None


def _written(value: Value) -> str:
    """A value as one word that no name has."""
    if isinstance(value.amount, tuple):
        return "range" + "".join(_written(end) for end in value.amount)
    return f"{value.kind}valued{str(value.amount).replace('-', 'minus').replace('/', 'over')}{value.unit}"


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
