"""Parse values for `value_of`: numbers, ordinals, percentages, money, quantities and ranges."""

from __future__ import annotations

import re
from fractions import Fraction

from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import NUMBER_WORDS
from row3.matching.value.dates import consecutive_years, date_of
from row3.matching.value.numbers import SCALES, SHORT_SCALES, number_of, ordinal_of
from row3.matching.value.units import CASED, CENTS, CURRENCIES, NAMED, Value, unit_of

_IN_A_RANGE = re.compile(r"\d\s?[-–—−]\s?\d|^[-–—−]")
_EDGE = re.compile(r"(?<=\d)(?=[^\W\d]|['’′\"”″])|(?<=[^\W\d])(?=\d)|(?<=['’′])(?=\d)|-")
_WHOLES = frozenset(("s", "month", "m", "g"))
"""Base units of quantities with several parts."""
_IMPLIED_UNITS = {("m", Fraction("0.3048")): "in", ("s", Fraction(3600)): "min"}
"""Implied second unit: five foot ten, 1 h 30."""


def read_compound(low: str) -> Value | None:
    """Return a lower-case quantity of two or more parts; None for other text.

    Each part has a smaller unit than the previous one and is less than one of it, unlike 5 hours 90 minutes.
    """
    spelt = [word.strip(",.") for word in _EDGE.sub(" ", low).split()]
    spelt = [word for at, word in enumerate(spelt) if word != "and" or not at]
    if len(spelt) == 3 and (unit := unit_of(spelt[1])) in _IMPLIED_UNITS:
        spelt.append(_IMPLIED_UNITS[unit])
    if len(spelt) < 4 or len(spelt) % 2 or _IN_A_RANGE.search(low):
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


_PERCENT = re.compile(r"(?P<number>.+?)\s*(?:%|per\s?cent|pct\.?)\Z")
_UNIT = re.compile(
    r"(?P<number>[-−]?(?:\d[\d.,'’ ]*\d|\d)(?:\s*(?:[x×*]\s*10\^?[-−]?\d+|[/⁄]\s?\d+))?)[\s-]*"
    r"(?P<unit>[^\d\s].*)\Z"
)
_AND_A_PART = re.compile(r"(?P<whole>\S+) (?P<unit>\S+) and (?:a|one) (?P<part>half|quarter)\Z")  # an hour and a half
_PART_OF = re.compile(r"(?P<part>\S.*?)(?: of)? an? (?P<unit>\S+)\Z")  # half an hour, three quarters of a mile
_RANGE = re.compile(r"(?:(?:from|between)\s+)?(?P<a>\S.*?)\s*(?:\s(?:to|and|until|through)\s|[-–—−])\s*(?P<b>\S.*)\Z")
_SEASON = re.compile(r"(?P<a>[12]\d{3})[/–—-](?P<b>\d{4}|\d\d)\Z")
_FORMS = sorted(CURRENCIES, key=len, reverse=True)
_CODES = "|".join(map(re.escape, _FORMS))
_SIGNS = "|".join(re.escape(form) for form in _FORMS if len(form) < 4 and form not in ("won", "yen"))
_BEFORE = re.compile(rf"(?P<sign>[-−]?)(?P<code>{_SIGNS})\s*(?P<number>[-−]?\d.*)\Z")
_AFTER = re.compile(rf"(?P<number>.*?\S)\s*(?P<code>{'|'.join(map(re.escape, CENTS))}|{_CODES})\Z")
_SHORT = re.compile(rf"(?P<number>[\d.,]+)\s*(?P<scale>{'|'.join(SHORT_SCALES)})\Z")

_LONG = re.compile(r"[^\W\d_]{4,}")
_WORDS = words(lists("units")["value_words"]).union(
    NUMBER_WORDS,
    SCALES,
    *(_LONG.findall(form.lower()) for table in (NAMED, CASED, CURRENCIES, CENTS) for form in table),
)
"""Words of four or more letters that can occur in a value."""


def has_other_words(name: str) -> bool:
    """Return whether a name contains a word that no value has."""
    return not _WORDS.issuperset(_LONG.findall(name.lower()))


def read(text: str, day_first: bool | None = None) -> Value | None:
    """Return the single value that a text states; None for ranges and other text."""
    low = text.lower()
    if (date := date_of(low, day_first=day_first)) is not None:
        return Value("number", Fraction(date)) if date.isdigit() else Value("date", date)
    if (number := number_of(low)) is not None:
        return Value("number", number)
    if (ordinal := ordinal_of(low)) is not None and low != "second":
        return Value("ordinal", Fraction(ordinal))
    if (percent := _PERCENT.match(low)) is not None and (
        number := number_of(percent["number"].removesuffix(" a"))
    ) is not None:
        return Value("percent", number)
    return _money(low) or _quantity(text) or read_compound(low)


def _money(low: str) -> Value | None:
    low = re.sub(r"(?:(?<=illion)|(?<=\dk)) pounds\Z", " pounds sterling", low)  # weights are not in millions
    hit = _BEFORE.match(low) or _AFTER.match(low)
    if hit is None:
        return None
    amount = _scaled(hit["number"])
    if amount is None:
        return None
    if hit.groupdict().get("sign"):
        amount = -amount
    code = hit["code"]
    return Value("money", amount / 100, CENTS[code]) if code in CENTS else Value("money", amount, CURRENCIES[code])


def _scaled(text: str) -> Fraction | None:
    """Return an amount of money, reading `4.5m` as million and ignoring a repeated currency (`$5 USD`)."""
    text = re.sub(r"\s*(?:usd|dollars)\Z", "", text.strip().rstrip("-"))
    short = _SHORT.match(text)
    if short is None:
        return number_of(text)
    number = number_of(short["number"])
    return None if number is None else number * SHORT_SCALES[short["scale"]]


def _quantity(text: str) -> Value | None:
    """Return a number, in digits or words, with a unit ("five kilometres")."""
    hit = _UNIT.match(text)
    if hit is not None:
        number, rest = number_of(hit["number"]), hit["unit"]
        scale, _, after = rest.partition(" ")
        if number is not None and scale.lower() in SCALES:
            number, rest = number * SCALES[scale.lower()], after
        if number is not None and rest.lower() == "k":
            return Value("number", number * 1000) if rest == "k" else None
        unit = unit_of(rest)
        return None if number is None or unit is None else _measured(number, unit)
    if (hit := _AND_A_PART.match(text.lower())) is not None or (hit := _PART_OF.match(text.lower())) is not None:
        part, unit = number_of(hit["part"]), unit_of(hit["unit"])
        whole = hit.groupdict().get("whole", "0")
        number = Fraction(1) if whole in ("a", "an") else number_of(whole)
        if part is not None and part.denominator > 1 and number is not None and unit is not None:
            return _measured(number + part, unit)
    words = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", " ", text).split()
    for at in range(len(words) - 1, max(len(words) - 5, 0), -1):
        last = " ".join(words[at:])
        unit = unit_of(last) or unit_of(last.lower())
        before = " ".join(words[:at]).lower()
        number = None if unit is None else Fraction(1) if before in ("a", "an") else number_of(before)
        if number is not None and unit is not None:
            return _measured(number, unit)
    return None


def _measured(number: Fraction, unit: tuple[str, Fraction]) -> Value:
    """Return a quantity in its base unit; temperatures, whose zeros differ, in kelvin."""
    base, amount = unit
    if base == "°C":
        return Value("quantity", number + Fraction("273.15"), "K")
    if base == "°F":
        return Value("quantity", (number + Fraction("459.67")) * 5 / 9, "K")
    return Value("quantity", number * amount, base)


def read_range(text: str) -> Value | None:
    """Return a range of two values of one kind: `1914-18`, `5 to 10 km`, `from 2 to 4%`."""
    if (years := _SEASON.match(text)) is not None and (both := consecutive_years(years["a"], years["b"])):
        text = both.replace("/", "-")
    hit = _RANGE.match(text)
    if hit is None:
        return None
    first, last = hit["a"], hit["b"]
    if re.fullmatch(r"[12]\d{3}", first) and re.fullmatch(r"\d\d", last):
        last = first[:2] + last
    high = read(last)
    if high is None or high.kind in ("ordinal", "range"):
        return None
    low = read(first)
    if low is not None and low.kind == "number" != high.kind:
        unit = re.sub(r"^(?:[-−]?[\d.,]*\d|\S+)", "", last)
        low = read(first + unit)
    if low is None or low.kind != high.kind or low.unit != high.unit:
        return None
    return Value("range", (low, high), high.unit)
