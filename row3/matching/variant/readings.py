"""Names by their acronyms: a name with its acronyms written out, and whether two names are one by them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from row3.matching.normalise import normalise
from row3.matching.variant.acronyms import NO_ACRONYMS, Acronyms, introduced, is_short_form
from row3.matching.variant.forms import form_key, form_keys
from row3.matching.variant.marks import parted_company
from row3.matching.variant.variants import variant_keys

LONGEST_NAME = 8
"""Words of a name in which an acronym is looked for."""

_IN_NAME = re.compile(r"(.{2,}?)\s+\(([^()]{2,80})\)")
_JOINS_SHORT = re.compile(r"(?:^|-)[A-Z][A-Za-z]*[A-Z]s?(?:-|$)")


def same_by_acronym(one: str, other: str, acronyms: Acronyms) -> bool:
    """One name is the other with acronyms written out that the text introduces, as a whole or word by word.

    An acronym that stands beside its expansion in a name itself needs no text: `machine learning (ML)`. Where both
    names tell what they stand for, that decides: one acronym can stand for two things.
    """
    told = [_told(name) for name in (one, other)]
    if told[0] and told[1]:
        return not told[0].isdisjoint(told[1])
    first, second = readings(one, acronyms), readings(other, acronyms)
    if not _keys(one, *first).isdisjoint(_keys(other, *second)):
        return True
    # Turned too: a KPI dashboard, dashboard of key performance indicators.
    turned, turned2 = _turned(first), _turned(second)
    return not (turned.isdisjoint(turned2 | variant_keys(other)) and turned2.isdisjoint(variant_keys(one)))


def _told(name: str) -> set[str]:
    """The keys of what a name says that its own acronym stands for; none where it says nothing."""
    return {key for reading in readings(name, NO_ACRONYMS) if not is_short_form(reading) for key in form_keys(reading)}


def parted(name: str) -> tuple[str, str] | None:
    """What stands before a parenthesis that ends a name, and in it; None for any other name."""
    hit = _IN_NAME.fullmatch(name.strip())
    return None if hit is None else (hit[1], hit[2])


def readings(name: str, acronyms: Acronyms) -> list[str]:
    """A name with its acronyms written out, as a whole or one of its words; what stands before and in a parenthesis."""
    found: list[str] = []
    if "(" in name and (parts := parted(name)) is not None:
        own = introduced(name)
        for whole, part in (parts, parts[::-1]):
            longs = {key for short in form_keys(part) for long in own.get(short, ()) for key in form_keys(long)}
            if longs.intersection(form_keys(whole)):
                found += (part, whole)
    if not acronyms:
        return found
    for form in (name, *found):
        for key in form_keys(form):
            found += acronyms.get(key, ())
    return found + _by_word(name, acronyms)


def _by_word(name: str, acronyms: Acronyms) -> list[str]:
    """A name with one of its words, or of the parts of `SOP-17`, written out."""
    words = name.split()
    if "-" in name:
        words = [part for word in words for part in (word.split("-") if _JOINS_SHORT.search(word) else (word,))]
    if not 1 < len(words) <= LONGEST_NAME:
        return []
    found = []
    for at, word in enumerate(words):
        for key in form_keys(normalise(word)):
            for long in acronyms.get(key, ()):
                rest = words[at + 1 :]
                start, _, last = long.rpartition(" ")
                echoes = rest and form_key(normalise(last)) == form_key(normalise(rest[0]))  # ATM machines
                found.append(" ".join((*words[:at], start if echoes else long, *rest)))
    return found


def _keys(*forms: str) -> set[str]:
    """The keys of a name and its readings, with and without a company's legal form."""
    return {key for form in forms for key in (*form_keys(form), *form_keys(parted_company(form)[0]))}


def _turned(forms: Iterable[str]) -> set[str]:
    """The keys of readings, and of the other ways to write them."""
    return {key for form in forms for key in variant_keys(form)}
