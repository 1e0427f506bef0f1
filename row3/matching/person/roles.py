"""Separate roles from persons' names: `UN Secretary-General António Guterres`, `Marie Curie, physicist`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from row3.matching.lexicon.inflection import unaccented
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.vocabulary import RARE, frequency, is_listed, is_word
from row3.matching.normalise import normalise
from row3.matching.person.given_names import GENERATIONS, GIVEN, SAME_NAME, TITLES

_LISTS = lists("persons")

ROLES = words(_LISTS["roles"])
"""Offices, which an organisation may precede: `Fed Chair Powell`."""
PROFESSIONS = words(_LISTS["professions"])
"""Professions, before or after a whole name."""
ROLE_WORDS = ROLES | PROFESSIONS
MASS = words(_LISTS["mass"])
"""Nouns without a plural."""
ADJECTIVES = words("general chief executive")
"""Offices that are also adjectives: General Riemann Hypothesis."""
_GENERAL = re.compile(rf"\b(?:{_LISTS['generals'].replace(' ', '|')})[- ]general$", re.IGNORECASE)
_ROLE_AFTER = re.compile(r"(?P<name>[^,()]+ [^,()]+?)(?:, | \()(?P<role>[^,()]+)\)?")
_JOINERS = re.compile(r" (?:of|at|for|in|from|and) ")
"""Joins a role to its organisation or a further role."""
_OTHER_JOINERS = re.compile(r"\b(?:by|with|about|on|to|against|over|like|as|versus|vs)\b", re.IGNORECASE)
"""Joins a thing to a person that it is not: `biography by historian Ron Chernow`."""


class BareName(NamedTuple):
    """A person's name without roles."""

    name: str
    office: str = ""
    """Role stated after the name; "" for none."""
    glossed: bool = False
    """Whether the role is in parentheses, which distinguishes namesakes."""
    person: bool = False
    """Whether the role shows that the name is a person's."""


def without_role(text: str) -> BareName:
    """Remove roles from a person's name, but keep titles; return text that is not a person's name as it is.

    `UN Secretary-General António Guterres` -> `General António Guterres`, `British economist John Maynard Keynes` ->
    `John Maynard Keynes`.
    """
    if (behind := _ROLE_AFTER.fullmatch(text)) is not None and _looks_like_a_name(behind["name"].split()):
        role = _role(behind["role"])
        return BareName(behind["name"], role, text[-1] == ")", True) if role else BareName(text)
    spelt = text.split()
    if len(spelt) < 3 or "," in text or "(" in text or _is_given(spelt[0]):
        return BareName(text)
    for place in range(len(spelt) - 1, 0, -1):
        before, rest = " ".join(spelt[:place]), spelt[place:]
        role = _role(before)
        if not role or _OTHER_JOINERS.search(before) is not None:
            continue
        joined = _JOINERS.search(before) is not None  # the President of the United States
        title = [role.capitalize()] if role in TITLES else []
        if len(rest) > 1 and (
            _is_given(rest[0]) or (not joined and _is_role(before, role) and _looks_like_a_name(rest))
        ):
            return BareName(" ".join([*title, *rest]), person=True)
        if place > 1 and len(rest) == 1 and role in ROLES and not joined and _has_capitals([before, *rest]):
            return BareName(" ".join([*title, *rest]))
    return BareName(text)


def _role(before: str) -> str:
    """Return the office or profession without its organisation: `chair of the Federal Reserve` -> `chair`, else ""."""
    first = _JOINERS.split(before, maxsplit=1)[0].split()
    last = first[-1].casefold().rpartition("-")[2] if first else ""
    return last if last in ROLE_WORDS else ""


def _is_role(before: str, role: str) -> bool:
    """Return whether words are a role whatever follows, unlike those before a Riemann Hypothesis or Markov Chain."""
    if role in ADJECTIVES:
        return _GENERAL.search(before) is not None
    return role in ROLES or role in before


@lru_cache(maxsize=1)
def _census() -> frozenset[str]:
    return words(" ".join(lists("census").values()))


def is_person_name(token: str) -> bool:
    """Return whether a lower-case token is a known given name or surname."""
    return is_given(token) or token in _census()


def is_name(token: str) -> bool:
    """Return whether a lower-case token is a known name or common word, and so not a slip."""
    return is_person_name(token) or frequency(token) > RARE


def is_given(name: str) -> bool:
    """Return whether a lower-case word without accents is a given name."""
    return name in SAME_NAME or name in GIVEN


def _is_given(word: str) -> bool:
    return word[:1].isupper() and is_given(unaccented(word.casefold()))


def _looks_like_a_name(rest: Sequence[str]) -> bool:
    """Return whether words begin with a given name, or are all capitalised and may be names."""
    low = [normalise(word) for word in rest]
    return _is_given(rest[0]) or (_has_capitals(rest) and ROLE_WORDS.isdisjoint(low) and may_be_names(low))


def may_be_names(low: Sequence[str]) -> bool:
    """Return whether one of the lower-case words is not English, or none is a noun."""
    return not all(map(is_word, low)) or not any(map(is_noun, low))


def is_noun(word: str) -> bool:
    """Return whether a lower-case word has a plural or is a mass noun."""
    return word in MASS or any(map(is_listed, (f"{word}s", f"{word}es", f"{word[:-1]}ies")))


def _has_capitals(spelt: Sequence[str]) -> bool:
    return all(word[:1].isupper() and normalise(word) not in GENERATIONS for word in spelt)
