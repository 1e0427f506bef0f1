"""Signs beside digits that normalising drops though they make another number: minus, point or dash, feet and inches.

Normalised, `growth of -3.1%` is `growth of 3.1%`, `3-5 days` is `3.5 days` and `5'10"` is 510.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from row3.matching.value.values import NUMBER_WORDS, is_quoted, with_values

if TYPE_CHECKING:
    from fractions import Fraction

TWO_SIGNS = "two signs"

_MAY_TELL = re.compile(
    r"[-−–‐‑⁻](?:[A-Z]{0,2}[$€£¥₹])?\W{0,3}[\d¼-¾⅐-⅞]|\d\s?[.,:/'’′\"”″–—]|\w[-−⁻]+(?!\w)|\d\s?[-−]|⁻|(?<![\w.])\.\d|\b(?:minus|negative)\b"
)
"""What every name has in which one of these signs stands."""
_NUMBER = r"(?P<number>\d+(?:[.,]\d+)*|\.\d+)"
_NEGATIVE = re.compile(
    r"(?:(?<![^\s(\[{=<>≤≥~≈:;,/^+*×$€£¥₹\"'“‘«])(?<!\d[\s'’′\"])[-−–]|(?<=\d[eE])[-−]|(?<![^\s(])−\s)"
    rf"(?:[A-Z]{{0,2}}[$€£¥₹]\s?)?{_NUMBER}"
)
"""A minus sign stands before a number and behind no other: `pages 3-5` and `1914 -18` have none, `10^-3` has one."""
_NEGATIVE_WORD = re.compile(r"(?<!plus or )\b(?:minus|negative) (?=([a-z]+|[$€£¥₹]?\.?\d))", re.IGNORECASE)
_POINT = re.compile(r"(?<![\w.,/:])0?[.](?=\d)")
"""`p = .05` is not `p = 5`."""
_LOWERED = re.compile(
    r"\b(?:[A-Z]|AB|A{1,3}|B{1,3}|C{1,3}|[A-Z][a-z]|[A-Z][A-Za-z]*\d+)-(?=$|\)|\s(?i:blood|donor|recipient|ion|anion|channel|rating|student|bond)s?\b)|\w−(?=$|[\s,;.)])"
)
"""A minus behind a letter: grade `B-`, blood group `O-`, the ion `Cl−`; not the hyphen of `A- and B-class`."""
_PARTED = re.compile(
    r"(?<![^\s(~≈<>=±$€£¥₹])(?P<one>\d+)(?P<sign>\s?[-–—]\s?|[.:/]|,\s?)(?P<other>\d+)(?!\d|[.:/,-]\d)"
)
_FRACTION = re.compile(r"\d/(?:2|3|4|5|6|8|10|16)")
_FEET = re.compile(r"(?<=\d)['’′](?=\s?\d{1,2}(?!\d))")
_FEET_ONLY = re.compile(r"\d['’′](?!['’′\w])(?!\s?\d)")
_INCHES = re.compile(r"\d(?:[\"”″]|['’′]{2})")


def two_signs(one: str, other: str) -> bool:
    """A sign makes two of names that are one without it: `-5` and `5`, `3.5 days` and `3-5 days`, `6'` and `6\"`."""
    both = one + other
    if both.isascii() and both.replace(" ", "").isalpha() and "minus" not in both and "negative" not in both:
        return False  # nothing but letters, as most names
    if _MAY_TELL.search(one) is None and _MAY_TELL.search(other) is None:
        return False
    first, second = map(_plain, (one, other))
    if "^−" in first + second and _UNIT_POWER.sub(r"\1-\2", first) == _UNIT_POWER.sub(r"\1-\2", second):
        return False  # m⁻², m-2
    if len(_POINT.findall(first)) != len(_POINT.findall(second)) and _POINT.sub("", first) == _POINT.sub("", second):
        return True
    if _two_negatives(first, second) or len(_LOWERED.findall(first)) != len(_LOWERED.findall(second)):
        return True
    if _parted_otherwise(first, second) or len(_FEET.findall(one)) != len(_FEET.findall(other)):
        return with_values(one) != with_values(other)
    if is_quoted(one) or is_quoted(other):
        return False
    feet, inches = ([bool(sign.search(name)) for name in (one, other)] for sign in (_FEET_ONLY, _INCHES))
    return feet != inches and feet == inches[::-1] and any(feet)


def _plain(name: str) -> str:
    """One sign for each kind of hyphen and minus; powers of ten behind a `^`."""
    name = name.replace("+/-", "±")
    if name.isascii():
        return name
    for raised, sign in (("⁻", "^−" if re.search("⁻[⁰¹²³⁴-⁹]", name) else "−"), ("‐", "-"), ("‑", "-")):
        name = name.replace(raised, sign)
    return unicodedata.normalize("NFKC", name)


def _two_negatives(one: str, other: str) -> bool:
    """Other numbers have a minus. Where one is written as a word, only how many have is compared."""
    signed, signed2 = sorted(map(str, _negatives(one))), sorted(map(str, _negatives(other)))
    words, words2 = _negative_words(one), _negative_words(other)
    if words or words2:
        return len(signed) + words != len(signed2) + words2
    return signed != signed2


def _negatives(name: str) -> Iterator[Fraction | str]:
    from row3.matching.value.numbers import digits  # few names have a sign

    for hit in _NEGATIVE.finditer(name):
        number = digits(hit["number"])
        yield hit["number"] if number is None else number


def _negative_words(name: str) -> int:
    return sum(not hit[1].isalpha() or hit[1].lower() in NUMBER_WORDS for hit in _NEGATIVE_WORD.finditer(name))


def _parted_otherwise(one: str, other: str) -> bool:
    """The same digits with another sign between: a decimal, a range, a list, a fraction."""
    hits, hits2 = list(_PARTED.finditer(one)), list(_PARTED.finditer(other))
    if [hit.group("one", "other") for hit in hits] != [hit.group("one", "other") for hit in hits2]:
        return False
    return any(_two_kinds(hit, hit2) for hit, hit2 in zip(hits, hits2, strict=True))


def _two_kinds(one: re.Match[str], other: re.Match[str]) -> bool:
    kinds = {_kind(one), _kind(other)}
    if kinds == {"fraction", "range"} and _GRADED.search(one.string[: one.start()]):
        return False  # phase 1/2, phase 1-2
    return len(kinds) == 2 and kinds not in _ALIKE


_UNIT_POWER = re.compile(
    r"\b([cmkdµ]?m|[mk]?g|m?s|mol|[mdµ]?[Ll]|[kM]?W|K|[kM]?J|N|k?Pa|V|A|h|min|yr|ha|cd)\^?[-−](\d)\b"
)
"""A power of a unit: of a symbol, x⁻¹ is not x-1."""
_GRADED = re.compile(r"\b(?:phase|grade|stage|class|type|level)s? $", re.IGNORECASE)
_ALIKE: tuple[set[str], ...] = ({"ratio", "range"}, {"fraction", "ratio"}, {"list", "ratio"})
"""`9/11` is `9-11`, `16/9` is `16:9`."""


def _kind(hit: re.Match[str]) -> str:
    sign = hit["sign"]
    if sign == "." or (sign == "," and len(hit["other"]) < 3):
        return "decimal"
    if sign == ",":
        return "thousands" if len(hit["other"]) == 3 else "list"
    if sign == "/" and _FRACTION.fullmatch(hit[0]):
        return "fraction"
    return "list" if "," in sign else "ratio" if sign in ":/" else "range"
