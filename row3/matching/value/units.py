"""Values, and spellings and base units of their units and currencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, NamedTuple

from row3.matching.lexicon.lists import lists

ValueKind = Literal["number", "ordinal", "percent", "money", "date", "quantity", "range"]


class Value(NamedTuple):
    """A value; equal if kind, amount and unit are equal."""

    kind: ValueKind
    amount: Fraction | str | tuple[Value, Value]
    """Exact: money in whole units, a percentage in percent, a date as ISO text, a range as its two ends."""
    unit: str = ""
    """ISO 4217 code for money, base unit for a quantity."""


_LISTS = lists("units")


def _entries(section: str) -> list[tuple[str, str]]:
    """Return the key and text of each entry in a section of the data file."""
    return [(key.strip(), forms.strip()) for key, _, forms in (part.partition(" = ") for part in section.split(";"))]


CURRENCIES = {form: code for code, forms in _entries(_LISTS["currencies"]) for form in forms.split("|")}
"""Lower-case spelling of a currency to its ISO 4217 code. A bare `dollar` is the US dollar."""

CENTS = {"cent": "USD", "cents": "USD", "¢": "USD", "euro cents": "EUR", "pence": "GBP", "pennies": "GBP"}
"""Spelling of a hundredth of a currency to the currency's code."""

_PREFIXES = {sign: (name, int(power)) for sign, name, power in map(str.split, _LISTS["si_prefixes"].split(", "))}
CASED: dict[str, tuple[str, Fraction]] = {"°C": ("°C", Fraction(1)), "°F": ("°F", Fraction(1)), "K": ("K", Fraction(1))}
"""Base unit and its amount by case-sensitive symbol."""
NAMED: dict[str, tuple[str, Fraction]] = {}
"""Base unit and its amount by lower-case name."""


def _prefixed() -> Iterator[tuple[str, tuple[str, Fraction], bool]]:
    for base, entry in _entries(_LISTS["prefixed"]):
        short, names, prefixes = entry.split(", ")
        for sign, (prefix, power) in {"": ("", 0), **{p: _PREFIXES[p] for p in prefixes}}.items():
            value = (base, Fraction(10) ** power)
            yield sign + short, value, True
            if sign == "µ":
                yield "u" + short, value, True
                yield "μ" + short, value, True
            for name in names.split("|"):
                yield prefix + name, value, False
                yield prefix + name + "s", value, False


for _form, _value, _cased in _prefixed():
    (CASED if _cased else NAMED)[_form] = _value
CASED["KB"] = CASED["kB"]
CASED |= {f"{_sign}M": ("mol/l", CASED[f"{_sign}mol"][1]) for _sign in ("n", "µ", "u", "μ", "m")}
CASED |= {f"{_sign}b": CASED[f"{_sign}bit"] for _sign in "kMGT"}
CASED |= {f"{_sign}iB": ("byte", Fraction(1024) ** _power) for _power, _sign in enumerate("KMGT", 1)}
CASED |= {f"{_sign}bps": ("bit/s", CASED[f"{_sign}bit"][1]) for _sign in "kMGT"}
CASED |= {f"{_sign}Bps": ("byte/s", CASED[f"{_sign}B"][1]) for _sign in "kMGT"}
for _base, _text in _entries(_LISTS["others"]):
    for _entry in _text.split(", "):
        _amount, _forms = _entry.split(" ", 1)
        for _form in _forms.split("|"):
            NAMED[_form] = (_base, Fraction(_amount))


_POWER = re.compile(r"(?P<base>[A-Za-zµμΩ]+)\^?(?P<power>[2-4])")


def unit_of(text: str) -> tuple[str, Fraction] | None:
    """Return the base unit and its amount for a unit such as `mW`, `mg/dl` or `mg per dl`; None for other text."""
    found = CASED.get(text) or NAMED.get(text if len(text) < 3 else text.lower())
    if found is not None:
        return found
    power = _POWER.fullmatch(text)
    if power is not None and (base := unit_of(power["base"])) is not None:
        return f"{base[0]}^{power['power']}", base[1] ** int(power["power"])
    over, slash, under = text.replace(" per second squared", "/s2").replace(" per ", "/").partition("/")
    if not slash:
        return None
    one, other = unit_of(over.strip()), unit_of(under.strip())
    return None if one is None or other is None else (f"{one[0]}/{other[0]}", one[1] / other[1])
