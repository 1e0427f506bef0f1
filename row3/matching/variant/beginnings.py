"""How words begin, by which names are looked for, and the words that say nothing of a name or begin in another way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import (
    BEFORE_NAMES,
    BEFORE_NUMBERS,
    COMPANY_ENDS,
    FUNCTION_WORDS,
    NUMERALS,
    OFTEN,
    PHRASES,
    PLURALS,
    ROMAN,
    ROMAN_LETTERS,
    SPELLINGS,
)
from row3.matching.value.values import NUMBER_WORDS

_LISTS = lists("english")

LIGHT = FUNCTION_WORDS | COMPANY_ENDS | BEFORE_NAMES.keys() | words(_LISTS["light"])
"""Words that one way to write a name has and another has not: a name is not looked up by them."""

FILLERS = words(
    "country state island kingdom river planet genus species metal gas disease language chemical element known called "
    "named as"
)
"""Words that stand before a name and add nothing to it, though they tell much in others: the planet Mars."""

FILLED_FIRST = FILLERS | words(_LISTS["filled_first"])
SKIPPED = LIGHT | FILLERS
"""A name may be written without these, but for numbers and the like."""

_RUNS = frozenset(" ".join((*PHRASES, *PHRASES.values())).replace("-", " ").split())
"""Words of runs that are written in another way: per cent, Tse-tung."""
_DROPPED = b"aeiouyh "
_SOUNDS = bytes.maketrans(b"cqzv", b"kksf")


def consonants(text: str) -> str:
    """The consonants of words without accents, run together: what they keep in most spellings and forms.

    Without vowels and h; c and q as k, z as s, v and ph as f, ll as l. So `colour` is `color`, and `leaves`
    begins as `leaf` does.
    """
    told = text.replace("ph", "f").encode("utf-8", "replace").translate(_SOUNDS, _DROPPED).decode()
    return told.replace("ll", "l")


def _shared(spelt: Sequence[str]) -> list[str]:
    """The first consonants of each word, five at most, that all of its forms have; without the s of a plural."""
    parts = consonants("\n".join(spelt)).split("\n")
    return [
        (told.rstrip("s") if word[-1:] == "s" else told)[:5] for word, told in zip(spelt, parts, strict=bool(spelt))
    ]


UNLIKE = {
    spelt
    for spelt, form in ((word, token_form(word)) for word in (*PLURALS, *SPELLINGS))
    if _shared([form])[0] not in consonants(spelt) or _shared([spelt])[0] not in consonants(form)
}
"""Words whose forms have other consonants: mice, Kyiv. A name that has one is looked for by the form too."""
UNLIKE |= {f"{word}s" for word in UNLIKE}
SILENT = (
    SKIPPED.union(UNLIKE, _RUNS, NUMBER_WORDS, ROMAN, ROMAN_LETTERS)
    .union(OFTEN, NUMERALS)
    .union(*((*table, *table.values()) for table in (BEFORE_NUMBERS, BEFORE_NAMES)))
)
"""Words that a name may be written without, or otherwise: it is not looked for by them."""


def beginnings(spelt: Iterable[str]) -> list[str]:
    """How all forms of each word begin, by their consonants; without the words that tell nothing of a name."""
    return _shared([word for word in spelt if _tells(word)])


def last_beginnings(names: Sequence[Sequence[str]]) -> list[str]:
    """How the last word of each name begins that tells something of it; "" for none."""
    lasts = [spelt[-1] if spelt else "" for spelt in names]
    silent = SILENT.intersection(lasts)
    for place, word in enumerate(lasts):
        if word in silent or len(word) < 3 or not word.isalpha():
            lasts[place] = next(filter(_tells, reversed(names[place])), "")
    return _shared(lasts)


def _tells(word: str) -> bool:
    """A word is part of a name however this is written, in one of its forms."""
    return len(word) > 2 and word not in SILENT and word.isalpha()
