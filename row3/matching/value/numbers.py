"""Parse numbers: digits with separators, number words, fractions, millions and billions. Exact, without floats."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import gcd

from row3.matching.lexicon.lists import lists, pairs

_LISTS = lists("english")
_ONES = {word: value for value, word in enumerate(_LISTS["ones"].split())}
_TENS = {word: 10 * value for value, word in enumerate(_LISTS["tens"].split(), 2)}
_ORDINALS = {word: int(value) for word, value in pairs(_LISTS["ordinals"]).items()}
_PARTS = {word: int(value) for word, value in pairs(_LISTS["parts"]).items()}
SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALES |= {"lakh": 10**5, "crore": 10**7, "mn": 10**6, "bn": 10**9, "tn": 10**12}
SHORT_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "mio": 10**6, "mm": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}
"""Scale abbreviations in amounts of money; elsewhere `m` is a metre."""

_DIGITS = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}\.\d{3},\d+"
    r"|\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|\d+,\d{1,2}(?!\d)|\d*\.\d+|\d+"
)
_POWER = r"(?:(?P<base>\d+(?:\.\d+)?)\s*(?:[x×*·]\s*10\s*\^?\s*|e)|10\s*\^\s*)(?P<sign>[-+−]?)(?P<power>\d{1,3})\Z"


def digits(text: str) -> Fraction | None:
    """Return the value of digits with or without separators; None for other text.

    A comma before three digits separates thousands; before one or two it is decimal, like a single dot.
    """
    if not re.fullmatch(_DIGITS, text):
        return None
    text = re.sub(r"[ '’]", "", text)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    elif text.count(".") > 1 or ("." in text and "," in text):
        text = text.replace(".", "").replace(",", ".")
    return Fraction(text.replace(",", "."))


def number_of(text: str) -> Fraction | None:
    """Return the number in a lower-case text of digits, words or both; None for other text."""
    text = text.strip()
    if text[:1] in ("-", "−", "–") or text.startswith(("minus ", "negative ")):
        rest = number_of(text[1:] if text[:1] in "-−–" else text.split(" ", 1)[1])
        return None if rest is None else -rest
    if not text:
        return None
    if text[-1].isdigit():
        if (plain := digits(text)) is not None:
            return plain
        if (power := re.match(_POWER, text)) is not None:
            sign = -1 if power["sign"] in ("-", "−") else 1
            return Fraction(power["base"] or "1") * Fraction(10) ** (sign * int(power["power"]))
        if (part := re.fullmatch(r"(?:(\d+)\s+)?(\d+)\s?[/⁄]\s?(\d+)", text)) is not None:
            return _fraction(part[1], int(part[2]), int(part[3]))
    return _words(text.replace("⁄", "/"))


_DENOMINATORS = (2, 4, 8, 16, 32, 64, 10, 100)
"""Denominators of fractions that need not be in lowest terms: 2/4, 6/8 inch; but 6/12 is a visual acuity."""


def _fraction(whole: str | None, over: int, under: int) -> Fraction | None:
    """Return a fraction in lowest terms or a usual one (2/4); None for a blood pressure (120/80) or years (2020/21)."""
    lowest = gcd(over, under) == 1 or (over < under and under in _DENOMINATORS)
    if under < 2 or over > 999 or not lowest or (over > under and (whole is not None or over > 99)):
        return None
    return Fraction(whole or 0) + Fraction(over, under)


def ordinal_of(text: str) -> int | None:
    """Return the number of an ordinal (`25th`, `twenty-fifth`); None for other text."""
    hit = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", text)
    if hit is not None:
        return int(hit[1])
    head, _, last = text.replace("-", " ").rpartition(" ")
    if last not in _ORDINALS or (head and (head not in _TENS or _ORDINALS[last] > 9)):
        return None
    return _TENS.get(head, 0) + _ORDINALS[last]


@lru_cache(maxsize=1)
def ordinal_words() -> re.Pattern[str]:
    """Return a pattern for ordinals in words, including `twenty-first`."""
    alone = "|".join(_ORDINALS)
    return re.compile(rf"\b(?:(?:{'|'.join(_TENS)})[- ](?:{alone})|{alone})\b")


def _words(text: str) -> Fraction | None:
    """Return the value of number words: `two and a half million`, `1.5 million`, `a dozen`, `a third of a million`."""
    found = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", text).split()
    if not found or len(found) > 14:
        return None
    total, group, seen, last = Fraction(0), Fraction(0), False, ""
    for word, after in zip(found, (*found[1:], ""), strict=True):
        if word in _LINKS:
            if not _links(word, last if seen else "", after):
                return None
        elif word in _PARTS and (word == "half" or last):
            if not (last in _ONES or last in ("", "a", "an", "and")):
                return None
            part = Fraction(1, _PARTS[word])
            group = group * part if last in _ONES else group + part
            seen = True
        elif word in SCALES or word == "dozen":
            if not seen and last not in ("a", "an"):
                return None
            total, group = _scaled(word, total, group or Fraction(1))
            seen = True
        else:
            value = _small(word, last)
            if value is None:
                return None
            group, seen = group + value, True
        last = word
    return total + group if seen else None


_LINKS = ("and", "of", "a", "an")


def _links(word: str, last: str, after: str) -> bool:
    """Return whether a link word may join these words in a number; `last` is "" before the first number."""
    if word == "and":
        return bool(last and after)
    if word == "of":
        return last in _PARTS and after in ("a", "an", *SCALES)
    return after in SCALES or after in _PARTS or after == "dozen"


def _scaled(word: str, total: Fraction, group: Fraction) -> tuple[Fraction, Fraction]:
    """Return the new total and open group: a hundred keeps it open (two hundred thousand), a million closes it."""
    scale = SCALES.get(word, 12)
    return (total, group * scale) if scale <= 100 else (total + group * scale, Fraction(0))


def _small(word: str, last: str) -> Fraction | None:
    """Return a number word below a hundred, or digits, if it may follow the word `last`."""
    if word in _TENS:
        return Fraction(_TENS[word]) if last in ("", "and", *SCALES) else None
    if word in _ONES:
        ok = last not in _ONES and not last[-1:].isdigit() and (last not in _TENS or 0 < _ONES[word] < 10)
        return Fraction(_ONES[word]) if ok else None
    return digits(word) if last in ("", "and") else None
