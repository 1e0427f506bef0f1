"""Decide whether two names are the same. No other module decides a pair.

The first of these rules that applies decides: values (compared only by value), exact, form (plural, hyphen, spelling,
accent), acronym, person, variant (inverted, with `of`, without `Inc.`), and spelling: a similarity at or above the
suite's threshold that no contradiction vetoes.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from row3.matching.normalise import normalise
from row3.matching.person.persons import Person
from row3.matching.person.same_person import may_be_persons, parse_persons, same_person, surnames_differ
from row3.matching.scorers import EXACT, SLACK, NameRule, min_similarity, similarity
from row3.matching.text.quotes import A_NAME_AND_A_NOUN, NO_TEXT, SourceText, differ_by_text, normalised_difference
from row3.matching.value.values import DIFFERENT_SIGNS, signs_differ, value_of
from row3.matching.variant.acronyms import NO_ACRONYMS, Acronyms
from row3.matching.variant.additions import same_but_for_addition
from row3.matching.variant.forms import form_keys
from row3.matching.variant.marks import SHORT_AND_WORD, legal_forms_differ
from row3.matching.variant.readings import same_by_acronym
from row3.matching.variant.variants import PlainWords, plain_words, variant_keys
from row3.matching.word.contradictions import contradict, contradict_words, person_difference

How = Literal["exact", "value", "form", "acronym", "person", "variant", "spelling", "different"]

SCORES: dict[How, float] = {
    "exact": 1.0,
    "value": 0.995,
    "form": 0.99,
    "acronym": 0.98,
    "variant": 0.97,
    "person": 0.96,
}
"""Score of a match by rule, for the assignment; for spelling it is the similarity, at most `TYPO`."""

PERSON_STEP = 0.005
"""How much nearer equal given names are than initials, and these than a missing middle name."""

_POSSESSIVE = re.compile(r"['’]s?(?: |$)")

TYPO = 0.95
"""Maximum score of a match by spelling."""
UNEQUAL = 0.999
"""Maximum score of plain similarity: a token set may be equal, the names are not."""

RULE = NameRule()


class Comparison(NamedTuple):
    """The decision about a pair of names."""

    same: bool
    how: How
    """The rule that decided."""
    score: float
    """In [0, 1]: the rule's score (`SCORES`) if the same, else the similarity (0 for two values)."""
    why_not: str
    """A short reason if the names differ, else ""."""


def compare(
    a: str,
    b: str,
    rule: NameRule = RULE,
    *,
    acronyms: Acronyms = NO_ACRONYMS,
    text: SourceText = NO_TEXT,
    person: bool | None = None,
    day_first: bool | None = None,
) -> Comparison:
    """Compare two names as written. Symmetric and reflexive.

    `acronyms` are those that the case or its text introduces (`acronyms.introduced`), `text` is the source, whose words
    count as spelt correctly. `person` says whether both are persons; None infers it from the names. `day_first` is the
    source's date order (`dates.writes_day_first`).
    """
    a, b = " ".join(a.split()), " ".join(b.split())
    key_a, key_b = normalise(a), normalise(b)
    if a == b and key_a:
        return Comparison(True, "exact", 1.0, "")
    if rule.plain or (rule.scorer == EXACT and key_a != key_b):
        return _by_similarity(key_a, key_b, rule)
    one, other = (plain_words(a), plain_words(b)) if not person and not acronyms else (None, None)
    if one and other and len(one[0]) == len(other[0]) and set(one[0]) != set(other[0]):
        return _by_words((a, one), (b, other), rule, text)
    value_a, value_b = value_of(a, day_first=day_first), value_of(b, day_first=day_first)
    if value_a is not None and value_b is not None:
        same = value_a == value_b
        return Comparison(same, "value", SCORES["value"] if same else 0.0, "" if same else "different values")
    if key_a == key_b and key_a:
        if reason := normalised_difference(a, b, text.text):
            return Comparison(False, "value", 0.0, reason)
        return Comparison(True, "exact", 1.0, "")
    if reason := _difference(a, b, text.text):
        return Comparison(False, "different", similarity(key_a, key_b, rule.scorer), reason)
    may_match = may_be_persons(a, b) if person is None else person
    pair = parse_persons(a, b, declared=bool(person)) if may_match else None
    by_letters = a.isascii() and b.isascii() and _POSSESSIVE.search(f"{a} {b}") is None  # Müller, Mueller
    if pair is not None and by_letters and surnames_differ(*pair, declared=bool(person)):
        return Comparison(False, "different", similarity(key_a, key_b, rule.scorer), "different surnames")
    how = _rule(a, b, acronyms, pair, text=text.text)
    if how is not None:
        one_given, other_given = [person.given for person in pair] if pair and how == "person" else ("a", "b")
        step = (one_given == other_given) - (len(one_given) != len(other_given))
        return Comparison(True, how, SCORES[how] + step * PERSON_STEP, "")
    score = similarity(key_a, key_b, rule.scorer)
    why = person_difference(*pair, text) if pair is not None else None
    if why == "":
        return Comparison(True, "spelling", min(max(score, rule.threshold), TYPO), "")
    if score < min_similarity(key_a, key_b, rule) - SLACK:
        return Comparison(False, "different", score, "not similar")
    if value_a is not None or value_b is not None:
        return Comparison(False, "value", score, "only one is a value")
    why = why or contradict(a, b, text)
    return Comparison(False, "different", score, why) if why else _slip(score)


def _by_similarity(key_a: str, key_b: str, rule: NameRule) -> Comparison:
    """Compare two normalised names by equality, and unless the scorer is `exact` by similarity alone."""
    if key_a == key_b and key_a:
        return Comparison(True, "exact", 1.0, "")
    score = similarity(key_a, key_b, rule.scorer)
    if rule.scorer == EXACT or score < rule.threshold - SLACK:
        return Comparison(False, "different", score, "not equal" if rule.scorer == EXACT else "not similar")
    return Comparison(True, "spelling", min(score, UNEQUAL), "")


def _by_words(a: tuple[str, PlainWords], b: tuple[str, PlainWords], rule: NameRule, text: SourceText) -> Comparison:
    """Compare two plain names of equal word count: the result of all rules in a third of the time."""
    (name_a, one), (name_b, other) = a, b
    key_a, key_b = normalise(name_a), normalise(name_b)
    if key_a == key_b:
        return Comparison(True, "exact", 1.0, "")
    if "".join(one[1]) == "".join(other[1]):
        if one[1] != other[1] or differ_by_text(name_a, name_b, text.text):  # light house, lig hthouse
            return Comparison(False, "different", similarity(key_a, key_b, rule.scorer), "different words")
        return Comparison(True, "form", SCORES["form"], "")
    score = similarity(key_a, key_b, rule.scorer)
    if score < min_similarity(key_a, key_b, rule) - SLACK:
        return Comparison(False, "different", score, "not similar")
    reason = contradict_words(zip(*one, strict=True), zip(*other, strict=True), text)
    return Comparison(False, "different", score, reason) if reason else _slip(score)


def _slip(score: float) -> Comparison:
    return Comparison(True, "spelling", min(score, TYPO), "")


def _rule(a: str, b: str, acronyms: Acronyms, pair: tuple[Person, Person] | None, *, text: str) -> How | None:
    """Return the rule that makes two names the same whatever their similarity, if any."""
    if not set(form_keys(a)).isdisjoint(form_keys(b)):
        return "form"
    if (acronyms or "(" in a or "(" in b) and same_by_acronym(a, b, acronyms):
        return "acronym"
    if pair is not None and same_person(a, b):
        return "person"
    if not variant_keys(a).isdisjoint(variant_keys(b)) or same_but_for_addition(a, b, text):
        return "variant"
    return None


def _difference(a: str, b: str, text: str) -> str:
    """Return why marks or the source text separate two names whose forms may be equal, else ""."""
    if signs_differ(a, b):
        return DIFFERENT_SIGNS
    if legal_forms_differ(a, b):
        return "different legal forms"
    if _named_by_article(a, b) or _named_by_article(b, a) or differ_by_text(a, b, text):
        return A_NAME_AND_A_NOUN
    return ""


def _named_by_article(name: str, noun: str) -> bool:
    """Return whether a name is the noun made a proper name by an article: `The Police`, `The Times`."""
    bare = name.removeprefix("The ")
    low = bare.lower()
    said = (low, low[:-1], bare.upper()) if low in SHORT_AND_WORD else (low, low[:-1])
    return bare != name and bare.istitle() and " " not in bare and noun in said
