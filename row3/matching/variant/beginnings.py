"""How words begin, by which names are looked for, and the words that say nothing of a name or begin in another way."""

from __future__ import annotations

from functools import lru_cache

from row3.matching.lexicon.inflection import token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.phrases import (
    BEFORE_NAMES,
    BEFORE_NUMBERS,
    COMPANY_ENDS,
    COUNTRIES_IN_SHORT,
    FUNCTION_WORDS,
    LETTERED,
    OFTEN,
    PHRASES,
)
from row3.matching.lexicon.words import (
    NUMERALS,
    PLURALS,
    ROMAN,
    ROMAN_FIFTIES,
    ROMAN_LETTERS,
    ROMAN_ORDINALS,
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

ARTICLES = ("the", "a", "an")


@lru_cache(maxsize=4096)
def beginning(word: str, most: int = 3) -> str:
    """What a word and its other forms begin with; less of a short one, whose plural may change more of it."""
    form = token_form(word)
    return form[:2] if len(form) < 5 else form[: min(len(form) - 2, most)]


@lru_cache(maxsize=8192)
def last_beginning(word: str) -> str:
    """How the last word of a normalised name begins; "" where the name may be written without it."""
    return "" if word in SKIPPED else beginning(word, 5)


_RUN_FIRST = frozenset(phrase.partition("-")[0] for phrase in PHRASES)
"""Words that begin a run which is written in another way: per cent, Tse-tung."""
WRITTEN_OTHERWISE = _RUN_FIRST.union(BEFORE_NAMES, LETTERED)
UNLIKE = NUMBER_WORDS.union(
    ROMAN, ROMAN_FIFTIES, ROMAN_LETTERS, ROMAN_ORDINALS, _RUN_FIRST, COUNTRIES_IN_SHORT, OFTEN
).union(
    spelling
    for table in (PLURALS, SPELLINGS, NUMERALS, BEFORE_NUMBERS, BEFORE_NAMES)
    for spelling, form in table.items()
    if not spelling.startswith(beginning(form, 5))
)
UNLIKE |= {f"{word}s" for word in UNLIKE}
"""Words that begin otherwise than their form, and plurals of them: mice, Kyiv, two, sceptics."""
