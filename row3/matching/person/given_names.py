"""Given names with their short forms, titles, particles. Our own compilation."""

from __future__ import annotations

from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("persons")

_MEN = words("mr sir lord father brother baron duke monsieur herr senor king prince emperor tsar czar")
_WOMEN = words("mrs ms miss mme madame mlle frau senora dame lady sister queen princess empress duchess")
_EITHER = words(_LISTS["either"])
OFFICERS = words("ceo cfo cto coo cio cmo")
"""Company officers, before or after a name: `CFO Helena Voss`."""
TITLES = dict.fromkeys(_MEN, "m") | dict.fromkeys(_WOMEN, "f") | dict.fromkeys(_EITHER | OFFICERS, "")
"""Lower-case titles with the holder's sex: "m", "f" or "" for either."""

SHORT_TITLES = pairs(_LISTS["short_titles"])
"""Title to its abbreviation."""

PERSONAL_TITLES = words("mr mrs ms miss mme mlle dr prof sir dame rev sen")
"""Titles that only persons have, unlike General (General Motors)."""

GENERATIONS = pairs(_LISTS["generations"])
"""Suffixes that distinguish bearers of one name, to their normal form."""

EAST_SURNAMES = words(_LISTS["east_surnames"])
"""East Asian surnames that are not English words; they come first or last."""

SURNAMES_AND_GIVEN = words(_LISTS["surnames_too"])
"""Surnames that are also given names: Ann Lee is not Lee Ann."""

GIVEN = words(_LISTS["given"]) | words(lists("census")["given"])
"""Further given names, unmistakable before a surname."""


def _groups(text: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(text.split("|")):
        for name in group.split():
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


SAME_NAME = _groups(f"{_LISTS['male']}|{_LISTS['female']}")
"""Groups by given name, each a full name with its short forms: names of one group may be the same person's."""
