"""Given names with their short forms, titles, particles. Our own compilation."""

from __future__ import annotations

from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("persons")

MALE = _LISTS["male"]
FEMALE = _LISTS["female"]
"""Groups of given names separated by `|`: a full name, then its short forms."""

_MEN = words("mr sir lord father brother baron duke monsieur herr senor king prince emperor tsar czar")
_WOMEN = words("mrs ms miss mme madame mlle frau senora dame lady sister queen princess empress duchess")
_EITHER = words(_LISTS["either"])
OFFICERS = words("ceo cfo cto coo cio cmo")
"""Company officers, before or after a name: `CFO Helena Voss`."""
TITLES = dict.fromkeys(_MEN, "m") | dict.fromkeys(_WOMEN, "f") | dict.fromkeys(_EITHER | OFFICERS, "")
"""Lower-case titles with the holder's sex: "m", "f" or "" for either."""

SHORT_TITLES = pairs(_LISTS["short_titles"])
"""Title to its abbreviation."""

MALE_TITLES = words("pres pope cardinal bishop archbishop imam rabbi gen adm marshal")
"""Titles that mean a man before a bare surname: President Roosevelt is not Eleanor."""

PERSONAL_TITLES = words("mr mrs ms miss mme mlle dr prof sir dame rev sen")
"""Titles that only persons have, unlike General (General Motors)."""

OFFICES = OFFICERS | words(_LISTS["offices"])
"""Titles that mark a person before a word that is not English: `Governor Newsom`."""

BEFORE_TITLES = words("prime vice deputy acting former")
"""Words that precede a title as part of it."""

GENERATIONS = pairs(_LISTS["generations"])
"""Suffixes that distinguish bearers of one name, to their normal form."""

DEGREES = words("phd md esq mba msc bsc ma ba dds rn jd llb llm obe cbe kbe mbe frs dphil mp qc kc")

PARTICLES = words(_LISTS["particles"])

NOT_PERSONS = words(_LISTS["not_persons"])
"""Last words of names that are not persons'."""

EAST_SURNAMES = words(_LISTS["east_surnames"])
"""East Asian surnames that are not English words; they come first or last."""

AMBIGUOUS_GIVEN = words(_LISTS["nouns_too"])
"""Given names that are also nouns, places or surnames, so that the next word need not be a surname."""

SURNAMES_AND_GIVEN = words(_LISTS["surnames_too"])
"""Surnames that are also given names: Ann Lee is not Lee Ann."""

GIVEN = words(_LISTS["given"]) | words(lists("census")["given"])
"""Further given names, unmistakable before a surname."""

COUNTABLE_GIVEN = words(_LISTS["things"])
"""Given names that are also countable nouns."""


def _groups(text: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(text.split("|")):
        for name in group.split():
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


SAME_NAME = _groups(MALE + "|" + FEMALE)
"""Groups by given name: two names of one group may be the same person's."""

MALE_NAMES = frozenset(MALE.replace("|", " ").split())
FEMALE_NAMES = frozenset(FEMALE.replace("|", " ").split())
