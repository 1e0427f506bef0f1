"""Whether two names are one: the single place that decides a pair.

In this order, the first that decides: values (a value is compared only by value), exact, form (plural, hyphen,
spelling, accent), acronym, person, variant (inverted, with `of`, without `Inc.`), and spelling: a similarity at the
suite's threshold or above that no contradiction vetoes.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Literal, NamedTuple

from row3.matching.lexicon.vocabulary import is_word
from row3.matching.normalise import normalise
from row3.matching.person.given_names import PERSONAL_TITLES, SAME_NAME, THINGS
from row3.matching.person.persons import Person, is_eastern, parse_person
from row3.matching.person.roles import is_given
from row3.matching.person.same_person import can_be_one, may_be_persons, same_person, turned
from row3.matching.scorers import EXACT, SLACK, similarity
from row3.matching.text.in_text import (
    SHORT_AND_WORD,
    of_another,
    relatives,
    side_by_side,
    two_by_text,
    two_shouted,
    two_spellings,
    two_written,
)
from row3.matching.text.marks import apart, is_company, parted_elsewhere, two_companies
from row3.matching.text.quotes import SourceText
from row3.matching.value.signs import TWO_SIGNS, two_signs
from row3.matching.value.values import value_of
from row3.matching.variant.acronyms import NO_ACRONYMS, Acronyms
from row3.matching.variant.additions import same_but_for_addition
from row3.matching.variant.forms import form_keys
from row3.matching.variant.nations import two_states
from row3.matching.variant.plain_words import PlainWords, plain_words
from row3.matching.variant.readings import same_by_acronym
from row3.matching.variant.variants import variant_keys
from row3.matching.word.contradictions import contradict, contradict_words

How = Literal["exact", "value", "form", "acronym", "person", "variant", "spelling", "different"]

SCORES: dict[How, float] = {"exact": 1.0, "value": 1.0, "form": 0.99, "acronym": 0.98, "variant": 0.97, "person": 0.96}
"""What each rule is worth to an assignment that weighs pairs; spelling is worth its similarity, at most `TYPO`."""

_POSSESSIVE = re.compile(r"['’]s?$")

TYPO = 0.95
"""The most that a pair of different spelling is worth."""


class Comparison(NamedTuple):
    """What a pair turned out to be."""

    same: bool
    how: How
    """The rule that decided."""
    score: float
    """In [0, 1]. Of one name: how much the pair is worth (`SCORES`). Of two: their similarity, 0 for two values."""
    why_not: str
    """The reason for two names in a few words; "" for one."""


def compare(
    a: str,
    b: str,
    *,
    scorer: str = "levenshtein",
    threshold: float = 0.85,
    acronyms: Acronyms = NO_ACRONYMS,
    known: Container[str] = (),
    person: bool | None = None,
    day_first: bool | None = None,
) -> Comparison:
    """Compare two names as they were written. Symmetric, and every name is itself.

    `scorer` is a name of `SCORERS`, `threshold` a similarity in (0, 1]; `acronyms` those that the case or its text
    introduces (`acronyms.introduced`); `known` the normalised words of the source text, which are spelt right.
    `person` says that both are persons (True) or that they are none (False); None leaves it to their looks.
    `day_first` says how the source writes 03/04/2024 (`dates.writes_day_first`).
    """
    return compare_spaced(
        " ".join(a.split()),
        " ".join(b.split()),
        scorer=scorer,
        threshold=threshold,
        acronyms=acronyms,
        known=known,
        person=person,
        day_first=day_first,
    )


def compare_spaced(
    a: str,
    b: str,
    *,
    scorer: str,
    threshold: float,
    acronyms: Acronyms,
    known: Container[str],
    person: bool | None,
    day_first: bool | None,
) -> Comparison:
    """`compare` of names with one space between words and none around them."""
    key_a, key_b = normalise(a), normalise(b)
    if a == b and key_a:
        return Comparison(True, "exact", 1.0, "")
    if scorer == EXACT and key_a != key_b:
        return Comparison(False, "different", similarity(key_a, key_b, scorer), "not equal")
    one, other = (plain_words(a), plain_words(b)) if person is None and not acronyms else (None, None)
    if one and other and len(one[0]) == len(other[0]) and set(one[0]) != set(other[0]):
        return _by_words(one, other, (key_a, key_b), (scorer, threshold), known)
    value_a, value_b = value_of(a, day_first=day_first), value_of(b, day_first=day_first)
    if value_a is not None and value_b is not None:
        same = value_a == value_b
        return Comparison(same, "value", float(same), "" if same else "two values")
    if key_a == key_b and key_a:
        if two := apart(a, b, known.text if isinstance(known, SourceText) else ""):
            return Comparison(False, "value", 0.0, two)
        return Comparison(True, "exact", 1.0, "")
    text = known.text if isinstance(known, SourceText) else ""
    if two := _told_apart(a, b, text):
        return Comparison(False, "different", similarity(key_a, key_b, scorer), two)
    persons = bool(person) if person is not None else may_be_persons(a, b)
    if persons and (two := _two_of_a_family(a, b, known, told=bool(person))):
        return Comparison(False, "different", similarity(key_a, key_b, scorer), two)
    how = _rule(a, b, acronyms, persons, told=bool(person), text=text)
    if how is not None:
        return Comparison(True, how, SCORES[how], "")
    score = similarity(key_a, key_b, scorer)
    if score < threshold - SLACK:
        return Comparison(False, "different", score, "not similar")
    if value_a is not None or value_b is not None:
        return Comparison(False, "value", score, "one is a value, the other is not")
    persons = persons and _are_persons(a, b, told=bool(person))
    reason = (_surnames_agree(a, b) if persons else "") or contradict(a, b, known, person=persons)
    if reason:
        return Comparison(False, "different", score, reason)
    return Comparison(True, "spelling", min(score, TYPO), "")


def _by_words(
    a: PlainWords, b: PlainWords, keys: tuple[str, str], rule: tuple[str, float], known: Container[str]
) -> Comparison:
    """The decision about two plain names of as many words: the same as by all rules, in a third of the time."""
    (key_a, key_b), (scorer, threshold) = keys, rule
    if key_a == key_b:
        return Comparison(True, "exact", 1.0, "")
    if "".join(a[1]) == "".join(b[1]):
        text = known.text if isinstance(known, SourceText) else ""
        if a[1] != b[1] or (text and two_spellings(" ".join(a[0]), " ".join(b[0]), text)):  # light house, lig hthouse
            return Comparison(False, "different", similarity(key_a, key_b, scorer), "two words")
        return Comparison(True, "form", SCORES["form"], "")
    score = similarity(key_a, key_b, scorer)
    if score < threshold - SLACK:
        return Comparison(False, "different", score, "not similar")
    reason = contradict_words(zip(*a, strict=True), zip(*b, strict=True), known)
    if reason:
        return Comparison(False, "different", score, reason)
    return Comparison(True, "spelling", min(score, TYPO), "")


def _rule(a: str, b: str, acronyms: Acronyms, persons: bool, *, told: bool, text: str) -> How | None:
    """The rule by which two names are one whatever their similarity; None for none."""
    if not set(form_keys(a)).isdisjoint(form_keys(b)):
        return "form"
    if (acronyms or "(" in a or "(" in b) and same_by_acronym(a, b, acronyms):
        return "acronym"
    if persons:
        one, other = parse_person(a), parse_person(b)
        if (
            one is not None
            and other is not None
            and (
                told
                or one.evident
                or other.evident
                or (turned(one, other) and (is_eastern(one, a, b) or _foreign(one)))
            )
            and same_person(a, b)
        ):
            return "person"
    if not variant_keys(a).isdisjoint(variant_keys(b)) or same_but_for_addition(a, b, text):
        return "variant"
    return None


def _foreign(person: Person) -> bool:
    """A name with a word that is no English one: `Deng Xiaoping`, not `Race Horse`."""
    return not all(is_word(word) for word in person.given + person.surname)


def _told_apart(a: str, b: str, text: str) -> str:
    """Why two names are two though their forms may be one, by their own marks or by the text; "" for no reason."""
    if two_signs(a, b):
        return TWO_SIGNS
    if two_companies(a, b):
        return "two legal forms"
    if _named_by_article(a, b) or (text and two_by_text(a, b, text)):
        return "a proper name and a common noun"
    if parted_elsewhere(a, b) or (
        text and (two_spellings(a, b, text) or two_shouted(a, b, text) or two_written(a, b, text))
    ):
        return "two words"
    if _two_surnames(a, b):
        return "a given name and a surname"
    if " Son" in a and (_SONS.sub(r"\1", a) == b or _SONS.sub(r"\1", b) == a):
        return "two families"
    if " of " in a and " of " in b and two_states(a, b):
        return "two states"
    return "a saint and a place" if _saint_and_place(a, b) else ""


def _two_surnames(a: str, b: str) -> bool:
    """`Philip` and `Philips`: a given name has no plural, and the surname made of it is another name."""
    short, long = sorted((a, b), key=len)
    low = short.lower()
    return long == f"{short}s" and short.istitle() and low not in THINGS and is_given(low)


_SONS = re.compile(r"((?:&|and) Son)s\b")
"""Of one son or of several: two firms."""
_SAINT = re.compile(r"(?:St\.?|Saint) (\w+)")


def _saint_and_place(a: str, b: str) -> bool:
    """`St. Andrew` and `St. Andrews`: a saint's name has no plural."""
    one, other = _SAINT.fullmatch(a), _SAINT.fullmatch(b)
    return (
        one is not None and other is not None and {f"{one[1]}s" == other[1], f"{other[1]}s" == one[1]} == {True, False}
    )


def _named_by_article(a: str, b: str) -> bool:
    """One word, which something beside it makes a name: `The Police`, `The Times`, `The Who`, `Target Corp.`"""
    for name, noun in ((a, b), (b, a)):
        if noun.islower() and name[:1].isupper() and name.lower().startswith(noun + " ") and is_company(name, noun):
            return True
        if name.startswith("The ") and name[4:5].isupper() and " " not in name[4:]:
            bare = name[4:]
            if (
                noun == bare.lower()
                or f"{noun}s" == bare
                or (noun == bare.upper() != bare and noun.lower() in SHORT_AND_WORD)
            ):
                return True
    return False


def _are_persons(a: str, b: str, *, told: bool) -> bool:
    """Two names of persons, as told or as they look."""
    one, other = parse_person(a), parse_person(b)
    return one is not None and other is not None and (told or (one.evident and other.evident))


def _two_of_a_family(a: str, b: str, known: Container[str], *, told: bool) -> str:
    """Why two names of persons are two though they could be one's; "" for no reason."""
    if isinstance(known, SourceText):
        if relatives(a, b, known.text) or of_another(a, b, known.text):
            return "two persons of one family"
        if side_by_side(a, b, known.text):
            return "two persons"
    return "two surnames" if _two_families(a, b, told=told) else ""


def _two_families(a: str, b: str, *, told: bool) -> bool:
    """Persons of whom one has the other's surname with an s, which makes no plural there: Jacob, Jacobs."""
    if not _are_persons(a, b, told=told) or _POSSESSIVE.search(a) or _POSSESSIVE.search(b):
        return False
    persons = [person for person in map(parse_person, (a, b)) if person is not None]
    short, long = sorted((person.surname[-1] for person in persons), key=len)
    # Things are named after persons (James Webb Telescopes), so more than a given name has to tell.
    told = told or short in SAME_NAME or any(not PERSONAL_TITLES.isdisjoint(person.titles) for person in persons)
    return told and long in (short + "s", short + "es")


def _surnames_agree(a: str, b: str) -> str:
    """The reason why two persons of one surname are two: their given names, initials and all."""
    one, other = parse_person(a), parse_person(b)
    assert one is not None
    assert other is not None
    return "two persons of one surname" if one.surname == other.surname and not can_be_one(one, other) else ""
