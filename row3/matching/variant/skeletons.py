"""Consonant skeletons of words, by which names are looked up, and the words that look-up ignores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import (
    BEFORE_NAMES,
    BEFORE_NUMBERS,
    COMPANY_ENDS,
    FUNCTION_WORDS,
    NUMBER_WORDS,
    NUMERALS,
    OFTEN,
    PHRASES,
    PLURALS,
    ROMAN,
    ROMAN_LETTERS,
    SPELLINGS,
)

_LISTS = lists("english")

OPTIONAL = FUNCTION_WORDS | COMPANY_ENDS | BEFORE_NAMES.keys() | words(_LISTS["light"])
"""Words that may be missing from a name, so that look-up ignores them."""

FILLERS = words(_LISTS["fillers"])
"""Words that add nothing before a name but matter elsewhere: the planet Mars."""

FILLED_FIRST = FILLERS | words(_LISTS["filled_first"])

_RUNS = frozenset(" ".join((*PHRASES, *PHRASES.values())).replace("-", " ").split())
"""Words of phrases with two spellings: per cent, Tse-tung."""
_DROPPED = b"aeiouyh "
_SOUNDS = bytes.maketrans(b"cqzv", b"kksf")


def consonants(text: str) -> str:
    """Return the consonants of unaccented words, joined: they are the same in most spellings and forms.

    Vowels and h are dropped; c and q become k, z becomes s, v and ph become f, ll becomes l. So `colour` equals
    `color`, and `leaves` begins like `leaf`.
    """
    letters = text.replace("ph", "f").encode("utf-8", "replace").translate(_SOUNDS, _DROPPED).decode()
    return letters.replace("ll", "l")


def _skeletons(spelt: Sequence[str]) -> list[str]:
    """Return the first consonants, at most five, that all forms of each word share: without the s of a plural."""
    parts = consonants("\n".join(spelt)).split("\n")
    return [
        (part.rstrip("s") if word[-1:] == "s" else part)[:5] for word, part in zip(spelt, parts, strict=bool(spelt))
    ]


IRREGULAR = {
    spelt
    for spelt, form in ((word, token_form(word)) for word in (*PLURALS, *SPELLINGS))
    if _skeletons([form])[0] not in consonants(spelt) or _skeletons([spelt])[0] not in consonants(form)
}
"""Words whose forms have other consonants: mice, Kyiv. They are also looked up by their form."""
IRREGULAR |= {f"{word}s" for word in IRREGULAR}
IGNORED = OPTIONAL.union(FILLERS, IRREGULAR, _RUNS, NUMBER_WORDS, ROMAN, ROMAN_LETTERS, OFTEN, NUMERALS).union(
    BEFORE_NUMBERS, BEFORE_NUMBERS.values(), BEFORE_NAMES, BEFORE_NAMES.values()
)
"""Words that a name may omit or replace, so that look-up ignores them."""


def skeletons(spelt: Iterable[str]) -> list[str]:
    """Return the first consonants of each distinctive word."""
    return _skeletons([word for word in spelt if _is_distinctive(word)])


def last_skeletons(names: Sequence[Sequence[str]]) -> list[str]:
    """Return the first consonants of each name's last distinctive word; "" for none."""
    lasts = [spelt[-1] if spelt else "" for spelt in names]
    silent = IGNORED.intersection(lasts)
    for place, word in enumerate(lasts):
        if word in silent or len(word) < 3 or not word.isalpha():
            lasts[place] = next(filter(_is_distinctive, reversed(names[place])), "")
    return _skeletons(lasts)


def _is_distinctive(word: str) -> bool:
    """Return whether every way of writing a name contains this word in some form."""
    return len(word) > 2 and word not in IGNORED and word.isalpha()
