"""Keys of a name's variants: inverted (`Thames, River`), with `of` (`theory of relativity`), with a filler (`the
concept of entropy`), with a legal form (`Siemens AG`), with a title.

Two names match if they share a key (see `forms`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.vocabulary import ORDINARY, frequency, is_word
from row3.matching.lexicon.words import COMPANY_ENDS, NUMBER_WORDS, ROMAN, STATES, VARIED
from row3.matching.normalise import normalise
from row3.matching.person.persons import NON_NAME_WORDS, PERSON_WORDS, may_name_a_person
from row3.matching.value.values import has_number, with_values
from row3.matching.variant.abbreviations import SHORT_WORDS, spelt_out
from row3.matching.variant.forms import APART, MARK, SPECIAL_WORDS, form_key, form_keys
from row3.matching.variant.marks import split_company
from row3.matching.variant.numbered import numbered
from row3.matching.variant.word_order import COUNTRIES, reordered, reordered_at_sign

_LISTS = lists("english")

_COLOURS, _GAMES, _MONTHS, _RIVERS = (
    _LISTS[section].replace(" ", "|") for section in ("colours", "games", "months", "rivers")
)

PlainWords = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a name as spelt, and each in its form."""

_TRIGGERS = SPECIAL_WORDS | VARIED | COMPANY_ENDS | PERSON_WORDS | NON_NAME_WORDS | NUMBER_WORDS | SHORT_WORDS
"""Words that trigger a rule other than form and spelling."""
KINDS = words(_LISTS["kinds"])
"""Words that may state the kind of the following name: planet Mars."""
_CAPITALS = re.compile(r"[A-Z](?:[A-Z]|s\b)")


@lru_cache(maxsize=1024)
def plain_words(name: str) -> PlainWords | None:
    """Return the words of a plain name; None for any other name.

    Only the rules form and spelling apply to plain names. They have no symbols, numbers or unusual capitals, and none
    of the words that trigger other rules.
    """
    if not (name.isascii() and name.replace(" ", "").isalpha()) or (not name.islower() and _CAPITALS.search(name)):
        return None
    spelt = tuple(normalise(name).split())
    if (
        not _TRIGGERS.isdisjoint(spelt)
        or (not name.islower() and may_name_a_person(spelt))
        or (len(spelt) > 1 and spelt[0] in KINDS)
    ):
        return None
    formed = tuple([token_form(word) for word in spelt])
    return (spelt, formed) if "".join(formed).isalpha() and _TRIGGERS.isdisjoint(formed) else None


_KIND = f"(?:{_LISTS['kinds_in_parentheses'].replace(' ', '|')})"
"""A kind, before a name or in a parenthesis after it."""
_GLOSS = re.compile(r"(?P<name>[^()]{2,}?) \((?:[a-z]+ ){0,2}" + _KIND + r"\)")
_OFFICIAL = (
    "(?i:(?:(?:federal|islamic|democratic|socialist) ){0,2}(?:republic|kingdom|sultanate|commonwealth) of(?: the)?)"
)
"""Precedes the name of a country in its official name: the Republic of Kenya."""
_BY_OFFICIAL_NAME = "|".join(
    country for country in sorted(COUNTRIES) if country not in ("china", "ireland", "netherlands", "wales")
)
"""Countries with such an official name; the Republic of China and the Kingdom of the Netherlands are others."""
_FILLER = (
    r"(?:[Tt]he )?(?:(?i:so-called|(?:concept|notion|idea|process|phenomenon|practice) of)|"
    r"(?:city|town|village|country|[Ii]sland|[Ss]tate|[Pp]rovince|planet|genus|species|metal|gas|disease|"
    r"language) of|(?:planet|chemical element|well-known|famous|celebrated)(?= )|"
    r"(?:said|aforesaid|(?:above-|afore)mentioned)(?= )|[Tt]he [Rr]iver(?= (?:" + _RIVERS + r")$)|"
    rf"month of(?= (?:{_MONTHS})$)|(?:game|sport) of(?= (?:{_GAMES})$)|colou?r(?= (?:" + _COLOURS + r")$)|"
    r"(?:disease|element)(?= \S+$)(?! (?:burden|outbreak|model|control|course|process|state|risk|vector|agent|onset|"
    r"severity|progression|prevention|management)s?$)|"
    r"(?:[Aa]n? )?(?:[a-z]+ )?(?:known as|called|named)(?= )|"
    + _OFFICIAL
    + rf"(?= (?i:{_BY_OFFICIAL_NAME})$)|(?:[a-z]+ ){{0,2}}"
    + _KIND
    + r"(?= [\"“‘«]?[A-Z])|"
    r"(?i:term|word|phrase)(?= [\"'“‘«]))[ \"'“‘«]+(?:the )?(?P<rest>.+?)[\"'”’»]*$"
)
_TITLES = r"(?:King|Queen|Pope|Emperor|Empress|Tsar|Czar|Saint|Sultan|Kaiser)\s+(?P<rest>[A-Z].*(?: [IVX]+| the \w+))"
_REGNAL = r"(?P<name>[A-Z]\S+) the (?P<nth>[\w-]+(?:st|nd|rd|th|first|second|third))$"
LONGEST = 120
"""Maximum characters of a name with variants."""

_RIVER = re.compile(r"(?:[Tt]he |[Rr]iver )(?P<name>[A-Z][a-z]+)")
"""A river: `River Thames` or `the Thames`. Without the article it may be a county or a person."""
_SIGNS = re.compile("[,/'’0-9–—-]")


@lru_cache(maxsize=1024)
def variant_keys(name: str) -> frozenset[str]:
    """Return the keys of a name and its variants."""
    if plain_words(name) is not None or len(name) > LONGEST:
        return frozenset(form_keys(name))
    signs = _SIGNS.search(name) is not None or not name.isascii()
    spelt = normalise(name).split()
    telling = not VARIED.isdisjoint(spelt)
    found, low = [name], name.lower()
    found += _in_full(name)
    if signs or has_number(name):
        found += (_state(name), with_values(name))
    if signs or " and " in low or " & " in low or " or " in low:
        found += reordered_at_sign(name, low)
    if has_number(name) or not ROMAN.keys().isdisjoint(spelt):
        found += numbered(name)
    if telling:
        found += reordered(name, low)
    found.append(_qualified(name))
    found = [*dict.fromkeys(variant for variant in found if variant)]
    found += [with_values(base) for base in found[1:] if has_number(base)]
    for base in tuple(found):
        if rest := without_filler(base):
            found.append(rest)
        if telling and (title := re.match(_TITLES, base)) is not None:
            found.append(title["rest"])
    for base in tuple(found):
        found.extend(_regnal(base))
        found.extend(_company(base))
    keys = [key for variant in dict.fromkeys(found) for key in form_keys(variant)]
    if (river := _RIVER.fullmatch(name)) is not None and (
        re.fullmatch(_RIVERS, river["name"]) or not is_word(river["name"].lower())  # not the River Police
    ):
        keys.append(f"{MARK}{APART}{form_key(normalise(river['name']))}")
    return frozenset(keys)


def _in_full(name: str) -> list[str]:
    """Return the name with abbreviations expanded, and that with other spellings of its numbers."""
    full = spelt_out(name)
    return ([full, *numbered(full)] if has_number(full) else [full]) if full else []


def without_filler(name: str) -> str:
    """Return `entropy` for `the concept of entropy`; "" for a name without a filler."""
    filler = re.match(_FILLER, name)
    return "" if filler is None else filler["rest"]


def _qualified(name: str) -> str:
    """Return `gross salary` for `salary (gross)`; "" for other names."""
    hit = _QUALIFIED.fullmatch(name) if name[-1:] == ")" and not without_gloss(name) else None
    return "" if hit is None else f"{hit['kind']} {hit['head']}"


_QUALIFIED = re.compile(r"(?P<head>[^()]*[^()\s]) \((?P<kind>[a-z]{4,}(?:-[a-z]+)?)\)")


def without_gloss(name: str) -> str:
    """Return `Rust` for `Rust (programming language)`; "" for a name that does not state its kind."""
    hit = _GLOSS.fullmatch(name)
    return "" if hit is None else hit["name"]


def _state(name: str) -> str:
    """Return `Los Angeles, California` for `Los Angeles, CA`; "" for other names."""
    head, comma, tail = name.rpartition(", ")
    return f"{head}, {STATES[tail]}" if comma and tail in STATES else ""


def _regnal(name: str) -> list[str]:
    """Return `Henry 8` for `Henry the Eighth`, the form of `Henry VIII`."""
    hit = re.search(_REGNAL, name) if " the " in name else None
    if hit is None:
        return []
    number = re.match(r"=(\d+)(?:st|nd|rd|th)", form_key(normalise(hit["nth"])))
    return [f"{name[: hit.start()]}{hit['name']} {number[1]}"] if number else []


def _company(name: str) -> list[str]:
    """Return `Siemens` for `Siemens AG`; for `Motor Corp.` also `Motor Corporation`, which may be the whole name."""
    rest, forms = split_company(name)
    joined = _AND_COMPANY.search(name.lower())  # Mercy and her company
    bare = [] if joined and (joined[1] == "and" or frequency(rest.lower()) > ORDINARY) else [rest]
    return [*bare, *(f"{rest} {full}" for short, full in _IN_FULL.items() if short in forms)] if forms else []


_AND_COMPANY = re.compile(r" (and|&) co(?:mpany)?\b")
_IN_FULL = {"co": "company", "corp": "corporation"}
