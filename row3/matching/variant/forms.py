"""Keys of names: names with the same key are spellings or inflections of one concept.

A key is for look-up and never shown. It ignores plural, hyphen or space, British or American spelling, accents, `&`
or `and`, a leading article, a company's `Inc.`, and Roman or Arabic numerals. It keeps whatever may distinguish
concepts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from row3.matching.lexicon.inflection import UMLAUTS, token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import BEFORE_NAMES, BEFORE_NUMBERS, COUNTED, NUMERALS, PHRASES, ROMAN, ROMAN_LETTERS
from row3.matching.normalise import normalise

_LISTS = lists("english")
COMPANY = words("inc incorporated corp ltd llc plc gmbh llp aktiengesellschaft")
"""Company suffixes, which keys omit."""
TANTUM = words(_LISTS["plurals_as_names"])
"""Plurals that, as a whole name, mean something else than their singular."""
A_NAMES = words(_LISTS["a_names"])
"""Words before which a leading `a` is a letter and not an article."""
MEASURED = words(_LISTS["measured"])
"""Units that form a measure with a number: a 5-year plan."""
LETTERED = words("rev fig vol sec")
"""Abbreviations also expanded before a single letter that ends the name: Rev. C."""
SAINTLY = words("mount fort lake port cape")
"""Words after which `St` means Saint: Mount St Helens."""
SPLIT = {first: frozenset(rest) for first, *rest in map(str.split, _LISTS["split"].split("/"))}
"""By prefix, the words whose meaning depends on the space: re-creation, recreation; no body, nobody."""
TENS = {word: NUMERALS[word][0] for word in _LISTS["tens"].split()}
"""First digit of compound numerals, by their first word: twenty-first."""
_CAPITALS_IN_PLURAL = re.compile(r"\b([A-Z]{1,4})s\b")
_TOKENISED = re.compile(r" (?=['’]s\b)")
_AND = re.compile(r" ['’‘]?[nN]['’] | ['’‘][nN] ")
"""`and` as in `rock 'n' roll`."""
_AGAINST = re.compile(r" vs?\.? (?=[A-Z])")
_SINCE = re.compile(r" v(?=\d\d\b)")
"""The v of `PostgreSQL v16`; with one digit it may be part of a code (`lead V2`)."""
_SECTION = r"§+\s*(?=\d)"
_NUMBER_SIGN = r"(?:№|\bN[ºo]\.?|#)\s*(?=\d)"
_JOINED_NAME = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
"""The boundary of joined words: dateOfBirth."""
_CAMEL = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"

APART = "_"
"""Separates words in a key that must not be joined; no normalised name contains it."""

MARK = "="
"""First character of every key, which distinguishes keys from names: the key of a key is itself."""


@lru_cache(maxsize=1024)
def form_key(normalised: str) -> str:
    """Return the key of a normalised name; "" for "".

    Takes about 3 µs for three cached words, 0.2 µs for a cached name.
    """
    if normalised[:1] == MARK:
        return normalised
    return joined(form_parts(normalised)[1])


@lru_cache(maxsize=1024)
def form_parts(normalised: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a normalised name that make up its key, as spelt and in their form."""
    spelt = _spelt(normalised)
    return tuple(spelt), tuple(_formed(spelt))


@lru_cache(maxsize=1024)
def form_keys(name: str) -> tuple[str, ...]:
    """Return all keys of a name as written, the usual one first.

    They also cover what normalisation hides from `form_key`: `GPUs` is a plural, and an umlaut is written with or
    without e (`Müller`, `Mueller`, `Muller`).
    """
    if name.islower() and name.isascii() and "#" not in name and "'" not in name:
        key = form_key(normalise(name))
        return (key,) if key else ()
    if " '" in name or " ’" in name:
        name = _TOKENISED.sub("", name)
    name = _CAPITALS_IN_PLURAL.sub(r"\1", _JOINED_NAME.sub(" ", name))
    if "n" in name and _AND.search(name):
        name = _AND.sub(" and ", name)
    if "(s)" in name:
        name = name.replace("(s)", "s")
    if " v" in name:
        name = _AGAINST.sub(" versus ", _SINCE.sub(" ", name))
    if not name.isascii() or "#" in name:
        name = re.sub(_NUMBER_SIGN, "number ", re.sub(_SECTION, "section ", name))
    key = form_key(normalise(name))
    if name.isascii():
        return (key,) if key else ()
    keys = [key, form_key(normalise(name.translate(UMLAUTS)))]
    return tuple(dict.fromkeys(key for key in keys if key))


def category_key(name: str) -> str:
    """Return the key of a category or type, whose words may be joined: `HasPart`, `has_part`, `Has parts`."""
    return form_key(normalise(re.sub(_CAMEL, " ", name)))


def _spelt(normalised: str) -> list[str]:
    """Return the words of a normalised name that make up its key, as spelt."""
    if " v" in normalised or normalised[:1] in _MAY_BE_VERSION or " release " in normalised:
        normalised = _VERSION.sub(" ", _VERSION_ALONE.sub("version ", normalised))
    words = (normalised.replace("&", " and ") if "&" in normalised else normalised).split()
    return _trimmed(words) if len(words) > 1 and not _TRIMMED_WORDS.isdisjoint(words) else words


def _formed(words: list[str]) -> list[str]:
    """Return each word in its form (see `inflection`), with numerals as digits."""
    if len(words) == 1 and words[0] in TANTUM:
        return words
    tokens = [token_form(word) for word in words]
    if len(tokens) > 1 and not _NUMERALS.isdisjoint(tokens):
        for at in range(1, len(tokens)):
            if tokens[at] in ROMAN and len(tokens[at - 1]) > 1:
                tokens[at] = ROMAN[tokens[at]]
            elif tokens[at] in ROMAN_LETTERS and tokens[at - 1] in COUNTED:
                tokens[at] = ROMAN_LETTERS[tokens[at]]
    return tokens


_VERSION = re.compile(r"(?<=\w) (?:(?:(?:version |release )?v ?|version |release )(?=\d+ \d)|version (?=\d))")
"""The marker in `Python v3.11` and `Stata version 16`; `V2` alone may be a code."""
_VERSION_ALONE = re.compile(r"^(?:(?:release |version )?v ?|release )(?=\d+ \d)")
"""The marker in `release 2.4.0`, `release v2.4.0` and `v2.4.0`."""
_MAY_BE_VERSION = frozenset("rv")

_NUMERALS = frozenset(ROMAN) | frozenset(ROMAN_LETTERS)
_RUNS = tuple((tuple(short.split("-")), long.split("-")) for short, long in PHRASES.items())
_TRIMMED_WORDS = COMPANY.union(
    ("the", "an", "a", "co"), BEFORE_NUMBERS, BEFORE_NAMES, SPLIT, TENS, (run[0] for run, _ in _RUNS)
)
"""Words that `_trimmed` may change."""
SPECIAL_WORDS = _TRIMMED_WORDS | _NUMERALS | TANTUM
"""Words for which a key needs more than the form of each word."""


def _trimmed(words: list[str]) -> list[str]:
    """Remove a leading article and `Inc.`; expand abbreviations and mark separate prefixes."""
    start, end = 0, len(words)
    first, second = words[0], words[1]
    a_measure = end > 3 and second.isdigit() and words[2] in MEASURED  # a 5 year plan
    a_name = end > 2 and len(second) > 2 and second not in A_NAMES
    if first in ("the", "an") or (first == "a" and (a_name or a_measure)):
        start = 1
    while end - start > 1 and words[end - 1] in COMPANY:
        end -= 1
    if end < len(words):
        while end - start > 1 and words[end - 1] in ("co", "and"):
            end -= 1
    words = words[start:end]
    if words[-1] == "co" and len(words) > 1:
        words[-1] = "company"
    if words[0] == "a" and max(map(len, words)) > 1:  # not A.T.M.
        words[0] += APART
    elif len(words) > 1:
        first = words[0]
        words[0] = BEFORE_NAMES.get(first, first)
        if words[1] == "st" and words[0] in SAINTLY and len(words) > 2:
            words[1] = BEFORE_NAMES["st"]
    _replace_runs(words)
    for at in range(len(words) - 1):
        if words[at] in BEFORE_NUMBERS and (
            words[at + 1][0].isdigit()
            or words[at + 1] in _NUMERALS
            or (len(words) == 2 and len(words[1]) == 1 and words[0] in LETTERED)
        ):
            words[at] = BEFORE_NUMBERS[words[at]]
        elif words[at + 1] in SPLIT.get(words[at], ()):
            words[at] += APART
    return words


def _replace_runs(words: list[str]) -> None:
    """Join phrases in place: `per cent`, `twenty first`."""
    for run, by in _RUNS:
        for at in range(len(words) - len(run) + 1):
            if tuple(words[at : at + len(run)]) == run:
                words[at : at + len(run)] = by
    for at in range(len(words) - 2, -1, -1):
        unit = NUMERALS.get(words[at + 1], "") if words[at] in TENS else ""
        if unit and unit[0] != "0" and not unit[1:2].isdigit():
            words[at : at + 2] = [TENS[words[at]] + unit]


def joined(tokens: Sequence[str]) -> str:
    """Join tokens into a key, keeping digits separate; "" for none."""
    run = "".join(tokens)
    if not run or run.isalpha():
        return run and MARK + run
    return MARK + _GAP.sub("", " ".join(tokens))


_GAP = re.compile(r"(?<!\d) | (?!\d)")
