"""What a person is said to be, beside the name: `UN Secretary-General António Guterres`, `Marie Curie, physicist`.

Our own compilation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from row3.matching.lexicon.inflection import plain
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.vocabulary import is_listed, is_word
from row3.matching.normalise import normalise
from row3.matching.person.given_names import GENERATIONS, GIVEN, SAME_NAME, TITLES

_LISTS = lists("persons")

ROLES = words(_LISTS["roles"])
"""Offices that may have whose they are before them: `Fed Chair Powell`."""
PROFESSIONS = words(_LISTS["professions"])
"""What a person does, before the whole name or behind it."""
SAID = ROLES | PROFESSIONS
MASS = words(_LISTS["mass"])
"""Nouns without a plural, which are no names for all that."""
SECOND = words("vice deputy under lieutenant")
"""Before an office: who stands in for the one who holds it."""
SAME_RANK = words("admiral marshal general colonel commander")
"""Ranks by which who is below is called as well: General Smith, a lieutenant general."""
SUBJECTS = words(
    "agriculture commerce defence education energy environment finance fire foreign health home housing interior "
    "labour police trade transport"
)
"""Whose secretary, minister or chief somebody is."""
_SUBJECTS_TOO = {"defense": "defence", "labor": "labour", "transportation": "transport", "treasury": "finance"}
ADJECTIVES = words("general chief executive")
"""Offices that are adjectives as well: General Riemann Hypothesis."""
_GENERAL = re.compile(
    r"\b(?:secretary|attorney|director|surgeon|solicitor|governor|inspector|comptroller|auditor|lieutenant|major|brigadier|"
    r"consul)[- ]general$",
    re.IGNORECASE,
)
_SAID_BEHIND = re.compile(r"(?P<name>[^,()]+ [^,()]+?)(?:, | \()(?P<said>[^,()]+)\)?")
_BESIDE = re.compile(r" (?:of|at|for|in|from|and) ")
"""Between what somebody is and whose, or what else."""
_ANOTHER = re.compile(r"\b(?:by|with|about|on|to|against|over|like|as|versus|vs)\b", re.IGNORECASE)
"""Between two persons or things, of whom the last is not who is named: `biography by historian Ron Chernow`."""


class Bare(NamedTuple):
    """A person's name without what the person is said to be."""

    name: str
    office: str = ""
    """What is told behind the name; "" for nothing."""
    glossed: bool = False
    """It is told in parentheses, as of one of two who have the name."""
    told: bool = False
    """What is said tells that the name is a person's."""


def without_role(text: str) -> Bare:
    """Take what a person is said to be from the name.

    A title stays before it: `UN Secretary-General António Guterres` -> `General António Guterres`, `British economist
    John Maynard Keynes` -> `John Maynard Keynes`. The text itself where nothing tells that a person's name is there.
    """
    if (behind := _SAID_BEHIND.fullmatch(text)) is not None and _looks_like_a_name(behind["name"].split()):
        role = _role(behind["said"])
        return Bare(behind["name"], role, text[-1] == ")", True) if role else Bare(text)
    spelt = text.split()
    if len(spelt) < 3 or "," in text or "(" in text or _is_given(spelt[0]):
        return Bare(text)
    for place in range(len(spelt) - 1, 0, -1):
        said, rest = " ".join(spelt[:place]), spelt[place:]
        role = _role(said)
        if not role or _ANOTHER.search(said) is not None:
            continue
        title = [role.capitalize()] if role in TITLES else []
        if len(rest) > 1 and (_is_given(rest[0]) or (_tells(said, role) and _looks_like_a_name(rest))):
            return Bare(" ".join([*title, *rest]), told=True)
        if place > 1 and len(rest) == 1 and role in ROLES and _has_capitals([said, *rest]):
            return Bare(" ".join([*title, *rest]))
    return Bare(text)


def says_a_role(spelt: Iterable[str]) -> bool:
    """One of the words of a name, in small letters, says what somebody is."""
    return not SAID.isdisjoint(spelt)


def _role(said: str) -> str:
    """The office or profession, without whose it is: `chair` of `chair of the Federal Reserve`; "" for neither."""
    first = _BESIDE.split(said, maxsplit=1)[0].split()
    last = first[-1].casefold().rpartition("-")[2] if first else ""
    return last if last in SAID else ""


def _tells(said: str, role: str) -> bool:
    """An office or a profession whatever follows: not the General Riemann Hypothesis, nor a Forward Markov Chain."""
    if role in ADJECTIVES:
        return _GENERAL.search(said) is not None
    return role in ROLES or role in said


def rank_of(spelt: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What tells two offices of one name apart: for whom somebody stands in, and the subjects.

    `vice` of Vice President Cheney, `fire` of Fire Chief Smith; `spelt` are the normalised words of the whole text.
    """
    ahead = [word for word, office in pairwise(spelt) if word in SECOND and office in SAID and office not in SAME_RANK]
    return frozenset(ahead), SUBJECTS.intersection(_SUBJECTS_TOO.get(word, word) for word in spelt[:-1])


def is_given(name: str) -> bool:
    """A given name, in small letters without accents."""
    return name in SAME_NAME or name in GIVEN


def _is_given(word: str) -> bool:
    return word[:1].isupper() and is_given(plain(word.casefold()))


def _looks_like_a_name(rest: Sequence[str]) -> bool:
    """A given name first; or capitals all over, and a word that is no English one, or none that takes an ending."""
    if _is_given(rest[0]):
        return True
    low = [normalise(word) for word in rest]
    if not _has_capitals(rest) or not SAID.isdisjoint(low):
        return False
    return not all(map(is_word, low)) or not any(word in MASS or _has_plural(word) for word in low)


def _has_plural(word: str) -> bool:
    return any(map(is_listed, (f"{word}s", f"{word}es", f"{word[:-1]}ies")))


def _has_capitals(spelt: Sequence[str]) -> bool:
    return all(word[:1].isupper() and normalise(word) not in GENERATIONS for word in spelt)
