"""Keys of names: two names with one key are one concept, spelt or inflected in two ways.

A key is for look-up and never shown. It takes away what English leaves to habit: plural, hyphen or space or
neither, British or American spelling, accents, `&` or `and`, a leading article, a company's `Inc.`, a Roman
numeral after its word. What could make another concept stays in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from row3.matching.lexicon.inflection import UMLAUTS, token_form
from row3.matching.lexicon.words import (
    A_NAMES,
    BEFORE_NAMES,
    BEFORE_NUMBERS,
    COMPANY,
    COUNTED,
    LETTERED,
    MEASURED,
    NUMERALS,
    PHRASES,
    ROMAN,
    ROMAN_LETTERS,
    SAINTLY,
    SPLIT,
    TANTUM,
    TENS,
)
from row3.matching.normalise import normalise

_CAPITALS_IN_PLURAL = re.compile(r"\b([A-Z]{1,4})s\b")
_TOKENISED = re.compile(r" (?=['’]s\b)")
_AND = re.compile(r" ['’‘]?[nN]['’] | ['’‘][nN] ")
"""`rock 'n' roll` is rock and roll."""
_AGAINST = re.compile(r" vs?\.? (?=[A-Z])")
_SINCE = re.compile(r" v(?=\d\d\b)")
"""`PostgreSQL v16` is PostgreSQL 16; one digit behind a capital may be a code (`lead V2`)."""
_SECTION = r"§+\s*(?=\d)"
_NUMBER_SIGN = r"(?:№|\bN[ºo]\.?|#)\s*(?=\d)"
_JOINED_NAME = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
"""Where words are run together: dateOfBirth."""
_CAMEL = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"


APART = "_"
"""Stands in a key where two words must not run together; no normalised name has it."""

MARK = "="
"""Every key begins with it, so that a key is told from a name: the key of a key is itself."""


@lru_cache(maxsize=1024)
def form_key(normalised: str) -> str:
    """The key of a normalised name; "" for "".

    About 3 µs for three words that were met before, 0.2 µs for a name that was.
    """
    if normalised[:1] == MARK:
        return normalised
    return joined(form_parts(normalised)[1])


@lru_cache(maxsize=1024)
def form_parts(normalised: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a normalised name that its key is made of, as they are spelt and in their form."""
    spelt = _spelt(normalised)
    return tuple(spelt), tuple(_formed(spelt))


def form_keys(name: str) -> tuple[str, ...]:
    """All keys of a name as it was written, the usual one first: look up any of them.

    More than `form_key` can see once the case is gone: `GPUs` is a plural, and a letter with an umlaut is written with
    or without its e (`Müller`, `Mueller`, `Muller`).
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
    """The key of a category or type, whose words may be run together: `HasPart`, `has_part`, `Has parts`."""
    return form_key(normalise(re.sub(_CAMEL, " ", name)))


def _spelt(normalised: str) -> list[str]:
    """The words of a normalised name that its key is made of, spelt as they are."""
    if " v" in normalised or normalised[:1] in _MAY_BE_VERSION or " release " in normalised:
        normalised = _VERSION.sub(" ", _VERSION_ALONE.sub("version ", normalised))
    words = (normalised.replace("&", " and ") if "&" in normalised else normalised).split()
    return _trimmed(words) if len(words) > 1 and not _USUAL.isdisjoint(words) else words


def _formed(words: list[str]) -> list[str]:
    """Each word in its form (see `inflection`), numerals as digits."""
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
"""`Python v3.11` and `Stata version 16` are Python 3.11 and Stata 16; `V2` alone may be a code."""
_VERSION_ALONE = re.compile(r"^(?:(?:release |version )?v ?|release )(?=\d+ \d)")
"""`release 2.4.0`, `release v2.4.0` and `v2.4.0` are version 2.4.0."""
_MAY_BE_VERSION = frozenset("rv")

_NUMERALS = frozenset(ROMAN) | frozenset(ROMAN_LETTERS)
_RUNS = tuple((tuple(short.split("-")), long.split("-")) for short, long in PHRASES.items())
_USUAL = (
    frozenset(("the", "an", "a"))
    | COMPANY
    | {"co"}
    | frozenset(BEFORE_NUMBERS)
    | frozenset(BEFORE_NAMES)
    | frozenset(SPLIT)
    | frozenset(TENS)
    | frozenset(run[0] for run, _ in _RUNS)
)
"""Words without which a name is left as it is by `_trimmed`."""
TELLING = _USUAL | _NUMERALS | TANTUM
"""Words that make more of a name than its words, each in its form."""


def _trimmed(words: list[str]) -> list[str]:
    """Without an article before and `Inc.` after; with short forms and parted prefixes in one way of writing."""
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
    """In place: `per cent` is one sign, `twenty first` one ordinal."""
    for run, by in _RUNS:
        for at in range(len(words) - len(run) + 1):
            if tuple(words[at : at + len(run)]) == run:
                words[at : at + len(run)] = by
    for at in range(len(words) - 2, -1, -1):
        unit = NUMERALS.get(words[at + 1], "") if words[at] in TENS else ""
        if unit and unit[0] != "0" and not unit[1:2].isdigit():
            words[at : at + 2] = [TENS[words[at]] + unit]


def joined(tokens: Sequence[str]) -> str:
    """The tokens run together into a key, digits kept apart; "" for none."""
    run = "".join(tokens)
    if not run or run.isalpha():
        return run and MARK + run
    return MARK + _GAP.sub("", " ".join(tokens))


_GAP = re.compile(r"(?<!\d) | (?!\d)")
