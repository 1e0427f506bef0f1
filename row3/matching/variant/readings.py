"""Expand acronyms in names, and match names by them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from row3.matching.normalise import normalise
from row3.matching.variant.acronyms import NO_ACRONYMS, Acronyms, introduced, is_short_form
from row3.matching.variant.forms import form_key, form_keys
from row3.matching.variant.variants import variant_keys

LONGEST_NAME = 8
"""Maximum words of a name in which acronyms are expanded."""

_IN_NAME = re.compile(r"(.{2,}?)\s+\(([^()]{2,80})\)")
_JOINS_SHORT = re.compile(r"(?:^|-)[A-Z][A-Za-z]*[A-Z]s?(?:-|$)")


def same_by_acronym(one: str, other: str, acronyms: Acronyms) -> bool:
    """Return whether one name is the other with the text's acronyms expanded, as a whole or word by word.

    A name may introduce its own acronym: `machine learning (ML)`. If both do, their expansions decide, since one
    acronym can have two meanings.
    """
    own, own2 = _own_expansions(one), _own_expansions(other)
    if own and own2:
        return not own.isdisjoint(own2)
    # Variants include another word order: a KPI dashboard, dashboard of key performance indicators.
    keys, keys2 = _variant_keys(readings(one, acronyms)), _variant_keys(readings(other, acronyms))
    return not (keys.isdisjoint(keys2 | variant_keys(other)) and keys2.isdisjoint(variant_keys(one)))


def _own_expansions(name: str) -> set[str]:
    """Return the keys of the expansion that a name gives for its own acronym, if any."""
    return {key for reading in readings(name, NO_ACRONYMS) if not is_short_form(reading) for key in form_keys(reading)}


def split_parenthesis(name: str) -> tuple[str, str] | None:
    """Return the parts of a name before and inside a final parenthesis; None if it has none."""
    hit = _IN_NAME.fullmatch(name.strip())
    return None if hit is None else (hit[1], hit[2])


def readings(name: str, acronyms: Acronyms) -> list[str]:
    """Return a name's expansions: of the whole, of one word, and the parts of `machine learning (ML)`."""
    found: list[str] = []
    if "(" in name and (parts := split_parenthesis(name)) is not None:
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
    """Return a name with one word, or one part of `SOP-17`, expanded."""
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


def _variant_keys(forms: Iterable[str]) -> set[str]:
    """Return the keys of expansions and their variants."""
    return {key for form in forms for key in variant_keys(form)}
