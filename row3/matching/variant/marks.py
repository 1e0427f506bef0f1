"""Marks that distinguish names with the same words: case of a unit or formula, a sign, the legal form."""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.lexicon.lists import lists, pairs, words
from row3.matching.lexicon.words import COMPANY_KINDS, COUNTED
from row3.matching.value.values import DIFFERENT_SIGNS, signs_differ

_LISTS = lists("english")
SHORT_AND_WORD = words(_LISTS["short_and_word"])
"""Acronyms that, as a whole name, are other words in lower case: AIDS, US."""
ELEMENTS = words(_LISTS["elements"])
"""Symbols of the chemical elements."""
LEGAL_FORMS = pairs(_LISTS["legal_forms"])
"""Lower-case legal forms without spaces, with their abbreviations."""
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*)+")
_ATOM = re.compile(r"[A-Z][a-z]?")
_MARK = re.compile(r"[A-Z]{2}|[A-Z]\*|[\d¼-¾]|(?<!\w)\.[A-Z]|\w[-−⁻](?!\w)")
"""Occurs in one of two longer names that differ by unit, code or sign."""
_SHORT_PAIR = 8
"""Characters of two names together, below which they may be symbols: Mg, mg."""
_STAR = re.compile(r"\b(?:[A-Z]|[IVX]+)\*|(?<!\w)\.[A-Z]{2,}")
"""`A*`, `Grade II*`, `.NET`"""
_QUANTITY = re.compile(r"\d\s?([A-Za-zµμ]{1,4})\b")


def mark_difference(one: str, other: str) -> str:
    """Return why marks separate two names that normalise alike, else "". Expects single spaces."""
    both = f"{one} {other}"
    if _MARK.search(both) is None and len(both) >= _SHORT_PAIR:
        return ""
    if _units_differ(one, other):
        return "different units"
    if _case_differs(one, other):
        return "different codes"
    return DIFFERENT_SIGNS if signs_differ(one, other) else ""


def _case_differs(one: str, other: str) -> bool:
    """Return whether case or a star separates two names: `CO` and `Co`, `US` and `us`, `A*` and `A`."""
    if _STAR.findall(one) != _STAR.findall(other):
        return True
    spelt, spelt2 = one.split(), other.split()
    if len(spelt) != len(spelt2):
        return False
    if len(spelt) == 1:
        shouted, said = sorted((one, other))
        if shouted.isupper() and said.islower():
            return said in SHORT_AND_WORD
        if len(one) < 4 and _symbols_differ(one, other):
            return True
    elif one.isupper() or other.isupper():
        return False
    return any(word != word2 and _formulas_differ(word, word2) for word, word2 in zip(spelt, spelt2, strict=True))


def _formulas_differ(one: str, other: str) -> bool:
    """Return whether both are formulas of different elements: carbon monoxide and cobalt."""
    if len(one) > 6 or one.lower() != other.lower() or not (_FORMULA.fullmatch(one) and _FORMULA.fullmatch(other)):
        return False
    atoms, atoms2 = _ATOM.findall(one), _ATOM.findall(other)
    return atoms != atoms2 and ELEMENTS.issuperset(atoms) and ELEMENTS.issuperset(atoms2)


def _symbols_differ(one: str, other: str) -> bool:
    """Return whether names are different units, or a unit and an element: `Mb` and `MB`, `Mg` and `mg`."""
    from row3.matching.value.units import CASED

    first, second = CASED.get(one), CASED.get(other)
    if first is not None and second is not None:
        return first != second
    return (one in ELEMENTS and second is not None) or (other in ELEMENTS and first is not None)


def _units_differ(one: str, other: str) -> bool:
    """Return whether names differ in the case of a unit after a number: `10 mW laser` and `10 MW laser`."""
    units = [_QUANTITY.findall(name) for name in (one, other)]
    if units[0] == units[1] or len(units[0]) != len(units[1]):
        return False
    from row3.matching.value.units import CASED

    known = [(CASED.get(a), CASED.get(b)) for a, b in zip(*units, strict=True)]
    return any(a is not None and b is not None and a != b for a, b in known)


def legal_forms_differ(one: str, other: str) -> bool:
    """Return whether two companies have different legal forms: `Merck KGaA` and `Merck & Co.`."""
    first, second = split_company(one)[1], split_company(other)[1]
    return bool(first and second) and first.isdisjoint(second)


@lru_cache(maxsize=1024)
def split_company(name: str) -> tuple[str, frozenset[str]]:
    """Return a name without its final legal forms, and their abbreviations: `Co., Ltd.` has two."""
    found: set[str] = set()
    spelt = name.replace(",", " ").split()
    while len(spelt) > 1 and spelt[-2].lower() != "the" and (name[:1].isupper() or name[:1].isdigit()):
        size, short = _legal_form(spelt)
        rest = " ".join(spelt[:-size])
        if not size or rest.isdigit() or not _may_be_legal_form(spelt, size):
            break
        found.add(short)
        spelt = re.sub(r"\s*(?:&|\band)$", "", rest).split()
    return " ".join(spelt), frozenset(found)


def _legal_form(spelt: list[str]) -> tuple[int, str]:
    """Return how many of the last words are a legal form, and its abbreviation; 0 and "" for none."""
    for size in range(min(5, len(spelt) - 1), 0, -1):
        word = "".join(spelt[-size:]).casefold().replace(".", "").replace("/", "")
        if (short := LEGAL_FORMS.get(word)) and (len(word) > 2 or spelt[-size][0].isupper()):
            return size, short
    return 0, ""


def _may_be_legal_form(spelt: list[str], size: int) -> bool:
    """Return whether the last words can be a legal form: not in blood group AB, insurance company, K-9 and Company."""
    before, last = spelt[-size - 1].lower().strip(",&"), spelt[-1].lower()
    if before in COUNTED and len(last) < 3:
        return False
    if before in ("and", "") and len(spelt) - size < 3 and not spelt[0].isalpha():
        return False
    kind = before in COMPANY_KINDS or before.endswith(("al", "ic", "ing", "ed"))
    return size > 1 or last not in ("company", "corporation") or not kind
