"""Marks that tell two names apart whose words are the same: the case of a unit, the legal form of a company."""

from __future__ import annotations

import re

from row3.matching.phrases import COMPANY_ENDS

_QUANTITY = re.compile(r"\d\s?([A-Za-zµμ]{1,3})\b")
_ONE_FORM = {"limited": "ltd", "incorporated": "inc", "corporation": "corp", "company": "co"}


def two_units(one: str, other: str) -> bool:
    """Names that are equal but for the case of a unit after a number: `10 mW laser` and `10 MW laser`."""
    units = [_QUANTITY.findall(name) for name in (one, other)]
    if units[0] == units[1] or len(units[0]) != len(units[1]):
        return False
    from row3.matching.units import CASED

    known = [(CASED.get(a), CASED.get(b)) for a, b in zip(*units, strict=True)]
    return any(a is not None and b is not None and a != b for a, b in known)


def two_companies(one: str, other: str) -> bool:
    """Names of companies with two legal forms: `Merck KGaA` and `Merck & Co.`. One that is not told is no other."""
    first, second = _legal_forms(one), _legal_forms(other)
    return bool(first and second) and first.isdisjoint(second)


def _legal_forms(name: str) -> set[str]:
    """The legal forms that end a name, each in its short form: `Co., Ltd.` has two."""
    words = name.casefold().replace(",", " ").replace("&", " ").split()
    found: set[str] = set()
    while len(words) > 1:
        word = words[-1].replace(".", "").replace("/", "")
        if word not in COMPANY_ENDS or len(word) < 2:
            break
        found.add(_ONE_FORM.get(word, word))
        words.pop()
    return found
