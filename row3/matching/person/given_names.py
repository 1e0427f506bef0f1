"""Given names with the short forms that stand for them, titles, particles. Our own compilation."""

from __future__ import annotations

from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("persons")

MALE = _LISTS["male"]
FEMALE = _LISTS["female"]
"""Groups of given names parted by `|`, the full name first; after it the forms that stand for it."""

_MEN = words("mr sir lord father brother baron duke monsieur herr senor king prince emperor tsar czar")
_WOMEN = words("mrs ms miss mme madame mlle frau senora dame lady sister queen princess empress duchess")
_EITHER = words(_LISTS["either"])
OFFICERS = words("ceo cfo cto coo cio cmo")
"""Officers of a company, before a name (`CFO Helena Voss`) or behind it."""
TITLES = dict.fromkeys(_MEN, "m") | dict.fromkeys(_WOMEN, "f") | dict.fromkeys(_EITHER | OFFICERS, "")
"""Titles in small letters, with the sex of who bears them: m, f or unknown."""

SHORT_TITLES = pairs(_LISTS["short_titles"])
"""Titles by which the short form stands."""

MENS = words("pres pope cardinal bishop archbishop imam rabbi gen adm marshal")
"""Titles that are a man's where nothing but a surname follows: President Roosevelt is not Eleanor."""

PERSONAL_TITLES = words("mr mrs ms miss mme mlle dr prof sir dame rev sen")
"""Titles that only persons have: General Motors is none."""

OFFICES = OFFICERS | words(_LISTS["offices"])
"""Titles before a word that is no English one which tell of a person: `Governor Newsom`."""

BEFORE_TITLES = words("prime vice deputy acting former")
"""Words that stand before a title and belong to it."""

GENERATIONS = pairs(_LISTS["generations"])
"""What tells bearers of one name apart."""

DEGREES = words("phd md esq mba msc bsc ma ba dds rn jd llb llm obe cbe kbe mbe frs dphil mp qc kc")

PARTICLES = words(_LISTS["particles"])

NOT_PERSONS = words(_LISTS["not_persons"])
"""Last words of names that are no person's."""


EAST_SURNAMES = words(_LISTS["east_surnames"])
"""Surnames of East Asia that are no English words: the surname stands first or last there."""

NOUNS_TOO = words(_LISTS["nouns_too"])
"""Given names that are nouns, names of places or surnames as well: beside one, another word need be no surname."""

SURNAMES_TOO = words(_LISTS["surnames_too"])
"""Surnames that are given names as well: Ann Lee and Lee Ann are two."""


GIVEN = words(_LISTS["given"]) | words(lists("census")["given"])
"""Given names beside those: nobody takes them for anything else before a surname."""


THINGS = words(_LISTS["things"])
"""Given names that are common nouns as well, and may have a plural."""


def _groups(text: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(text.split("|")):
        for name in group.split():
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


SAME_NAME = _groups(MALE + "|" + FEMALE)
"""The groups a given name belongs to: two names of one group may be one person's."""

MALE_NAMES = frozenset(MALE.replace("|", " ").split())
FEMALE_NAMES = frozenset(FEMALE.replace("|", " ").split())
