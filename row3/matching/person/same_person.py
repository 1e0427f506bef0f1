"""Decide whether two names can be the same person's: `J. Smith`, `John D. Smith`, `Smith, John`, `Dr. John Smith`.

They can if surnames are equal, given names are compatible one by one, and nothing contradicts: a different given name
or initial, generation (Jr. and Sr., II and III), or titles of different sexes. A title can replace the given name
("Dr. Smith", "John Smith"). Given names are compatible if equal, or if one is the other's initial or short form (Bob,
Robert). Either name may omit middle names.

The relation is not transitive: "J. Smith" can be John or Jane. The one-to-one assignment decides between them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.lexicon.inflection import UMLAUTS
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.vocabulary import is_word
from row3.matching.normalise import normalise
from row3.matching.person.given_names import (
    EAST_SURNAMES,
    PERSONAL_TITLES,
    SAME_NAME,
    SHORT_TITLES,
    SURNAMES_AND_GIVEN,
    TITLES,
)
from row3.matching.person.persons import NON_NAME_WORDS, Person, is_eastern, may_be_person, parse_person
from row3.matching.person.roles import is_person_name

_LISTS = lists("persons")
MALE_TITLES = words("pres pope cardinal bishop archbishop imam rabbi gen adm marshal")
"""Titles that mean a man before a bare surname: President Roosevelt is not Eleanor."""
AMBIGUOUS_GIVEN = words(_LISTS["nouns_too"])
"""Given names that are also nouns, places or surnames, so that the next word need not be a surname."""
COUNTABLE_GIVEN = words(_LISTS["things"])
"""Given names that are also countable nouns."""


def may_be_persons(one: str, other: str) -> bool:
    """Return whether two names may be the same person's: a quick test before parsing.

    One may be evidently a person's, or they have the same words in a different order.
    """
    if may_be_person(one) or may_be_person(other):
        return True
    spelt, spelt2 = normalise(one).split(), normalise(other).split()
    if spelt[:1] == spelt2[:1] and 1 < len(spelt) == len(spelt2) < 4 and not one.islower():
        return True
    different = set(spelt).symmetric_difference(spelt2)
    return different != {"the"} and different <= NON_NAME_WORDS


def parse_persons(one: str, other: str, *, declared: bool) -> tuple[Person, Person] | None:
    """Return both parsed names if both are persons': declared, one evident and the other likely, or reversed.

    Both need evidence: `NBA Draft` has none.
    """
    a, b = parse_person(one), parse_person(other)
    if a is None or b is None:
        return None
    if declared or (a.evident and b.likely) or (b.evident and a.likely):
        return a, b
    if a.likely and b.likely and not SURNAMES_AND_GIVEN.isdisjoint((*a.given[:1], *b.given[:1])):
        return a, b
    foreign = not all(map(is_word, (*a.given, *a.surname, *b.given, *b.surname)))  # Deng Xiaoping, not Race Horse
    if foreign and a.likely and b.likely and a.given and a.given == b.given:
        return a, b
    return (a, b) if reversed_order(a, b) and (a.evident or b.evident or foreign or is_eastern(a, one, other)) else None


def surnames_differ(one: Person, other: Person, *, declared: bool) -> bool:
    """Return whether two surnames differ although their forms are equal: Jacob and Jacobs, Gray and Grey.

    Things are named after persons (James Webb Telescopes), so a given name is not enough evidence.
    """
    a, b = one.surname[-1], other.surname[-1]
    if a == b or one.given != other.given or not (one.given or one.titles):
        return False
    declared = declared or any(not PERSONAL_TITLES.isdisjoint(person.titles) for person in (one, other))
    if declared and {f"{a}s", f"{a}es", f"{b}s", f"{b}es"} & {a, b}:
        return True
    alone = len(one.given) == 1 and one.given[0] not in COUNTABLE_GIVEN
    return (declared or alone) and is_person_name(a) and is_person_name(b)


def same_person(one: str, other: str) -> bool:
    """Return whether two names can be the same person's; False if one is not a person's."""
    if _SECOND.findall(one) != _SECOND.findall(other) and not any(map(_has_given, (one, other))):
        return False  # Vice President Cheney, President Cheney
    return any(are_compatible(a, b) for a in _readings(one) for b in _readings(other))


_SECOND = re.compile(
    r"\b(vice|deputy|under|lieutenant)[ -](?!general|colonel|commander|admiral|marshal)", re.IGNORECASE
)
"""Marks a deputy of an office's holder."""


def _has_given(name: str) -> bool:
    return (person := parse_person(name)) is not None and bool(person.given)


def _readings(name: str) -> list[Person]:
    """Return the parsed name, also in its spelling without umlauts."""
    spellings = [name] if name.isascii() else [name, name.translate(UMLAUTS)]
    return [person for spelling in dict.fromkeys(spellings) if (person := parse_person(spelling)) is not None]


def are_compatible(a: Person, b: Person) -> bool:
    """Return whether two parsed names are compatible (see the module)."""
    if a.generation != b.generation:
        return False
    if a.sex and b.sex and a.sex != b.sex and (a.titles or b.titles):
        return False
    if _offices_differ(a, b):
        return False
    whole_a, whole_b = a.given + a.surname, b.given + b.surname
    if len(whole_a) == len(whole_b) == 1 and set(a.titles).isdisjoint(b.titles):
        return False
    if "".join(whole_a) == "".join(whole_b):
        return True
    family = max(a.surname, b.surname, key=len)
    size = len(family)
    if whole_a[-size:] != family or whole_b[-size:] != family:
        return reversed_order(a, b)
    return _compatible(a, b, whole_a[:-size], whole_b[:-size])


def _offices_differ(a: Person, b: Person) -> bool:
    """Return whether offices separate two persons: `John Smith (engineer)` and `John Smith (lawyer)`."""
    if a.office and b.office:
        return a.office != b.office
    bare, other = (b, a) if a.office else (a, b)
    office = SHORT_TITLES.get(other.office, other.office)
    if not bare.titles or office in bare.titles:
        return False
    return other.glossed or (office in TITLES and not bare.given)


def reversed_order(a: Person, b: Person) -> bool:
    """Return whether one name is the other with the surname first, as in East Asia and in lists (`Smith John`)."""
    one, other = a.given + a.surname, b.given + b.surname
    if (
        len(one) not in (2, 3)
        or a.inverted
        or b.inverted
        or a.generation != b.generation
        or (other != one[1:] + one[:1] and other != one[-1:] + one[:-1])
        or any(len(word) == 1 for word in one)
    ):
        return False
    european = [word for word in one if word in SAME_NAME and word not in EAST_SURNAMES]
    return not european or (len(one) == 2 and _has_one_order(*one))


def _has_one_order(one: str, other: str) -> bool:
    """Return whether only one of two words can be a given name, and nothing else: John Smith, not Henry James."""
    given, surname = (one, other) if one in SAME_NAME else (other, one)
    return not (given in AMBIGUOUS_GIVEN or surname in SAME_NAME or surname in SURNAMES_AND_GIVEN)


def _compatible(a: Person, b: Person, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether given names are compatible one by one; a title replaces missing ones."""
    if not one or not other:
        bare, full = (b, a) if one else (a, b)
        woman = full.sex == "f" and not full.titles and not bare.evident
        return bool(bare.titles) and not (woman and not MALE_TITLES.isdisjoint(bare.titles))
    short, long = sorted((one, other), key=len)
    if _one_by_one(short, long):
        return True
    # J. Robert Oppenheimer is Robert Oppenheimer.
    return len(long) > len(short) and len(long[0]) == 1 and len(short[0]) > 1 and _one_by_one(short, long[1:])


def _one_by_one(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    return all(map(_names_compatible, short, long))  # last middle names may be missing


def _names_compatible(one: str, other: str) -> bool:
    """Return whether given names are equal, initial and name, or forms of one name."""
    if one == other:
        return True
    if len(one) == 1 or len(other) == 1:
        initial, full = sorted((one, other), key=len)
        return full[0] == initial or (len(full) > 1 and any(name[0] == initial for name in _full_names(full)))
    return not SAME_NAME.get(one, frozenset()).isdisjoint(SAME_NAME.get(other, frozenset()))


@lru_cache(maxsize=1024)
def _full_names(name: str) -> tuple[str, ...]:
    """Return the full names of a short form: `Bill` matches `W. Clinton` by William."""
    groups = SAME_NAME.get(name, frozenset())
    first: dict[int, str] = {}
    for other, numbers in SAME_NAME.items():
        for number in numbers & groups:
            first.setdefault(number, other)
    return tuple(first.values())
