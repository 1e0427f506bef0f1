"""Parse persons' names: `J. Smith`, `Smith, John`, `Dr. John D. Smith, Jr.`

Given names, surname with particles, generation and titles. A title can replace the given name ("Dr. Smith"); a bare
"Smith" or "John" is not enough. `same_person` compares the parsed names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from row3.matching.lexicon.inflection import unaccented
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.vocabulary import ORDINARY, frequency, is_word
from row3.matching.lexicon.words import ROMAN, ROMAN_LETTERS, UNIONS
from row3.matching.normalise import normalise
from row3.matching.person.given_names import (
    EAST_SURNAMES,
    GENERATIONS,
    GIVEN,
    OFFICERS,
    PERSONAL_TITLES,
    SAME_NAME,
    SHORT_TITLES,
    SURNAMES_AND_GIVEN,
    TITLES,
)
from row3.matching.person.roles import ROLE_WORDS, is_given, is_noun, is_person_name, without_role

_LISTS = lists("persons")
OFFICES = OFFICERS | words(_LISTS["offices"])
"""Titles that mark a person before a word that is not English: `Governor Newsom`."""
BEFORE_TITLES = words("prime vice deputy acting former")
"""Words that precede a title as part of it."""
DEGREES = words("phd md esq mba msc bsc ma ba dds rn jd llb llm obe cbe kbe mbe frs dphil mp qc kc")
PARTICLES = words(_LISTS["particles"])
NOT_PERSONS = words(_LISTS["not_persons"])
"""Last words of names that are not persons'."""
MALE_NAMES, FEMALE_NAMES = (words(_LISTS[sex].replace("|", " ")) for sex in ("male", "female"))
_INITIALS = r"(?:[^\W\d_]\.[-\s]?)+[^\W\d_]?\.?"
_APOSTROPHES = r"['’‘ʼ`´]"
_TITLE_BEHIND = re.compile(r"(?P<name>.+?),? \((?P<title>[A-Z][A-Za-z]{1,3})\.?\)")
"""`Marsh, Helen (Dr)`"""
_SHORT_TITLE = re.compile(r"(?:Adm|Capt|Cmdr|Col|Gen|Gov|Hon|Lt|Maj|Sgt)\. ")
"""Titles abbreviated only for persons: Gen. Patton, but General Motors."""
RETIRED = ("em", "emer", "emeritus", "emerita", "ret", "retd")
"""Words after a former title: Prof. em."""
_LATE = r"^\s*[Tt]he late (?=[A-Z])"
_AS_CITED = re.compile(r"([A-Z][a-z]{2,}(?:-[A-Z][a-z]+)?) ([A-Z]{1,2}|[A-Z]\.(?: ?[A-Z]\.)?)")
"""A name in a reference list: `Nakagawa K`; in `Vitamin K` the first part is a word."""
_BEFORE_TITLE = re.compile(r"^[Tt]he (?=(?:Rev|Hon|Reverend|Honou?rable)\b)")
_RETIRED = re.compile(r",? \(?(?:ret|retd|retired)\.?\)?$")
_RUN_OF_INITIALS = r"[B-DF-HJ-NP-TV-XZ]{2,3}"
_SYLLABLES = re.compile(r"[A-Z][a-z]+-[a-z]+\b")
"""A Korean given name: Geun-hye."""
_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*\.?"
LONGEST = 200
"""Maximum characters of a person's name with roles."""
PERSON_WORDS = frozenset(SAME_NAME) | GIVEN | frozenset(TITLES) | BEFORE_TITLES
"""First words that indicate a person."""
NON_NAME_WORDS = frozenset(DEGREES) | frozenset(GENERATIONS) | OFFICERS | {"the"}
"""Words in persons' names that are neither given name nor surname."""


class Person(NamedTuple):
    """The parts of a person's name, lower-case and without accents."""

    given: tuple[str, ...]
    """Given and middle names; an initial is one letter."""
    surname: tuple[str, ...]
    """Surname with its particles."""
    generation: str
    """"jr", "sr" or a number; "" for none."""
    titles: tuple[str, ...]
    evident: bool
    """Whether it can only be a person: by a title, a dotted initial or a usual given name."""
    inverted: bool
    """Whether the surname comes first, with a comma."""
    office: str = ""
    """Role stated after the name; "" for none."""
    glossed: bool = False
    """Whether the role is in parentheses, which distinguishes namesakes."""

    @property
    def likely(self) -> bool:
        """Whether the name may be a person's: evidently, by a title or initial, or by a word that is not a noun."""
        words = self.given + self.surname
        return self.evident or bool(self.titles) or min(map(len, words)) == 1 or not all(map(is_noun, words))

    @property
    def sex(self) -> str:
        """ "m" or "f" by title or given name; "" if unknown."""
        sexes = {TITLES[title] for title in self.titles} - {""}
        if not sexes and self.given:
            first = self.given[0]
            sexes = {sex for sex, names in (("m", MALE_NAMES), ("f", FEMALE_NAMES)) if first in names}
        return sexes.pop() if len(sexes) == 1 else ""


@lru_cache(maxsize=1024)
def parse_person(name: str) -> Person | None:
    """Return the parts of a person's name; None for anything that does not look like one.

    A name has two to seven words (one after a title), capitalised if any word is, except for particles of surnames,
    and does not end in a word such as "University".
    """
    if len(name) > LONGEST:
        return None
    text = re.sub(_LATE, "", re.sub(_APOSTROPHES, "", name)).strip()
    bare = without_role(_RETIRED.sub("", _BEFORE_TITLE.sub("", text)))
    text = bare.name
    if not 3 < len(text) < 60 or any(char.isdigit() for char in text):
        return None
    titles: list[str] = []
    if (listed := _AS_CITED.fullmatch(text)) and not is_word(listed[1].lower()):
        text = f"{listed[1]}, {'. '.join(filter(str.isalpha, listed[2]))}."
    if text[-1] == ")" and (behind := _TITLE_BEHIND.fullmatch(text)):
        if (title := behind["title"].lower()) in TITLES:
            text, titles = behind["name"], [SHORT_TITLES.get(title, title)]
        elif title in DEGREES:
            text = behind["name"]
    generation, rest = _generation([part.strip() for part in text.split(",")])
    if not 1 <= len(rest) <= 2 or not all(rest):
        return None
    inverted = len(rest) == 2
    before: list[str] = []
    split = [_words(part, found, alone=inverted) for part, found in zip(rest, (before, titles), strict=False)]
    if any(words is None for words in split):
        return None
    if inverted and _are_two_names(split[0] or [], split[1] or [], titled=bool(before)):
        return None
    titles += before
    words = [word for part in reversed(split) if part for word in part]
    tail = unaccented(words[-1].casefold()).strip(".") if len(words) > 1 and not inverted else ""
    if tail in GENERATIONS and _is_generation(tail, words[-1]):
        generation = generation or GENERATIONS[tail]
        words = words[:-2] if words[-2] == "the" else words[:-1]
    if not words or len(words) > 7 or not _capitals(words, name) or (len(words) == 1 and not titles):
        return None
    low = [unaccented(word.casefold()).strip(".") for word in words]
    initials = [word.endswith(".") for word in words]
    if len(low[-1]) == 1 or _is_thing(low, name, initials=any(initials)):
        return None
    given, surname = _parted(low, len(split[0] or ()) if inverted else 0, initials)
    evident = bool(PERSONAL_TITLES.intersection(titles)) or "." in "".join(words[:-1])
    evident = evident or is_given(given[0] if given else "") or _SHORT_TITLE.match(text) is not None
    evident = evident or (
        not OFFICES.isdisjoint(titles) and not all(is_word(word) for word in given + surname if len(word) > 1)
    )
    return Person(
        given, surname, generation, tuple(titles), evident or bare.person, inverted, bare.office, bare.glossed
    )


def _are_two_names(family: list[str], given: list[str], *, titled: bool) -> bool:
    """Return whether words around a comma are two names; a surname of two words precedes only given names."""
    size = len([word for word in family if word.casefold() not in PARTICLES]) + titled
    known = all(len(word.strip(".")) == 1 or is_given(unaccented(word.casefold())) for word in given)
    return size > 2 or (size == 2 and not known)


def _is_thing(words: list[str], name: str, *, initials: bool) -> bool:
    """Return whether a last word is no surname: `Hyde Park`, and behind initials `A.B.C. Bakery` and `U.S. Steel`."""
    last, before = words[-1], "".join(words[:-1])
    if last in NOT_PERSONS:
        return last != "park" or not _SYLLABLES.match(name)
    if last in SURNAMES_AND_GIVEN or (before.upper() not in UNIONS and is_person_name(last)):
        return False
    return initials and 1 < len(before) == len(words) - 1 and frequency(last) > ORDINARY


def _is_generation(tail: str, written: str) -> bool:
    """Return whether a last word is a generation: `VI`, `vi`, but not `Xi`; one letter needs a capital."""
    if tail in ROMAN_LETTERS:
        return written.isupper()
    return tail not in ROMAN or not written.istitle()


def _generation(parts: list[str]) -> tuple[str, list[str]]:
    """Return the generation after a comma, and the parts without generation and degrees."""
    generation = ""
    rest = []
    for number, part in enumerate(parts):
        low = unaccented(part.casefold()).replace(".", "")
        if number and low in GENERATIONS:
            generation = GENERATIONS[low]
        elif not ((number > 1 or (number and " " in parts[0])) and (low in DEGREES or low.replace(" ", "") in DEGREES)):
            rest.append(part)
    return generation, rest


def _words(part: str, titles: list[str], *, alone: bool) -> list[str] | None:
    """Return the words of a part without titles and degrees, with initials split; None if one is not a name's.

    Appends to `titles`. A single word next to a comma (`alone`) is not a title: `Sen, Amartya`.
    """
    words: list[str] = []
    for word in (spelt := part.split()):
        low = unaccented(word.casefold()).replace(".", "")
        if low in TITLES and not words and not (alone and len(spelt) == 1):
            titles.append(SHORT_TITLES.get(low, low))
        elif low in RETIRED and titles and not words:
            continue
        elif re.fullmatch(_INITIALS, word) and "." in word:
            words.extend(letter + "." for letter in word if letter.isalpha())
        elif low in DEGREES and words:
            continue
        elif not words and not part.isupper() and re.fullmatch(_RUN_OF_INITIALS, word):
            words.extend(word)
        elif re.fullmatch(_WORD, word):
            first, *more = word.split("-")
            words += [first, *(part.capitalize() if first[0].isupper() and part.islower() else part for part in more)]
        else:
            return None
    return words


def _capitals(words: list[str], name: str) -> bool:
    """Return whether all words except particles are capitalised, or none is."""
    if name.islower():
        return True
    return all(word[0].isupper() or word.casefold() in PARTICLES for word in words)


def _parted(words: list[str], surnames: int, initials: list[bool]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split words into given names and a surname of `surnames` words and particles; an initial is not a particle."""
    start = len(words) - max(surnames, 1)
    while start > 1 and words[start - 1] in PARTICLES and not initials[start - 1]:
        start -= 1
    return tuple(words[:start]), tuple(words[start:])


@lru_cache(maxsize=1024)
def may_be_person(name: str) -> bool:
    """Return whether a name may turn out as `Person.evident`: a quick test before parsing."""
    if "." in name or "," in name:
        return True
    if name.lstrip()[:2].isupper():  # initials without their dots, an officer
        return True
    spelt = normalise(name).split()
    if not name.isascii():
        spelt = list(map(unaccented, spelt))
    return bool(spelt) and (
        spelt[0] in PERSON_WORDS or spelt[-1] in OFFICERS or (not name.islower() and may_name_a_person(spelt))
    )


def may_name_a_person(spelt: Sequence[str]) -> bool:
    """Return whether these words, if capitalised, may name a person: one is a role, or the first a given name."""
    return not ROLE_WORDS.isdisjoint(spelt) or spelt[0] in SURNAMES_AND_GIVEN


def is_evident(name: str) -> bool:
    """Return whether a name can only be a person's."""
    return may_be_person(name) and (person := parse_person(name)) is not None and person.evident


def is_eastern(person: Person, *names: str) -> bool:
    """Return whether a name has an East Asian surname at one end, or a Korean given name (`Geun-hye`)."""
    if len(person.given + person.surname) == 3 and any(_SYLLABLES.search(name) for name in names):
        return True
    first, last = (person.given + person.surname)[0], person.surname[-1]
    return (first in EAST_SURNAMES) != (last in EAST_SURNAMES)
