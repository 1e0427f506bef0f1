"""How much two pieces of text say the same, and where a quote stands in its document: for events."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from row3.matching.lexicon.inflection import plain, token_form
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise, normalise_text
from row3.matching.text.quotes import find_words
from row3.matching.value.values import with_values
from row3.matching.variant.forms import form_key
from row3.matching.word.contradictions import NEGATIONS


@lru_cache(maxsize=1)
def _groups() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(lists("contrasts")["contrasts"].split("/")):
        for word in group.split():
            found.setdefault(token_form(word), set()).add(number)
    return found


def exclusive(one: str, other: str) -> bool:
    """Two differing words of small letters of which one excludes the other; in whatever number and spelling."""
    groups = _groups()
    none: set[int] = set()
    return not groups.get(token_form(plain(one)), none).isdisjoint(groups.get(token_form(plain(other)), none))


DIGITS = re.compile(r"\d+")
LIGHT = FUNCTION_WORDS | words("a an to in on for at by with is are was were be will we our it its")
"""Words that descriptions have or leave out at will."""


@lru_cache(maxsize=8192)
def description_key(text: str) -> str:
    """The words of a description in their forms, values written in one way, without light words."""
    spelt = normalise(with_values(text)).split()
    return " ".join([form_key(word).lstrip("=") or word for word in spelt if word not in LIGHT])


def description_similarity(one: str, other: str) -> float:
    """How much two descriptions say the same, in [0, 1]: the mean of two likenesses of their words.

    One is of all words in any order (rapidfuzz's token sort ratio), one of the words they share (its token set ratio),
    so that a description with a detail more is like the shorter one, but not as like as the same one. Two that
    contradict each other are half as like: 18 and 12, May and June, a yes and a no are said in the same words.
    """
    a, b = description_key(one), description_key(other)
    if not a or not b:
        return 0.0
    alike = (fuzz.token_sort_ratio(a, b) + fuzz.token_set_ratio(a, b)) / 200.0
    return alike / 2 if alike > 0.5 and _contradict(a, b) else alike


def _contradict(one: str, other: str) -> bool:
    """Either has a number that the other has not, or a word that excludes one of the other's, or one alone says no."""
    numbers, others = set(DIGITS.findall(one)), set(DIGITS.findall(other))
    if numbers - others and others - numbers:
        return True
    words_of_one, words_of_other = set(one.split()), set(other.split())
    left, right = words_of_one - words_of_other, words_of_other - words_of_one
    if (left | right) & NEGATIONS:
        return True
    return any(exclusive(word, rival) for word in left for rival in right)


class Passages:
    """The words of a document, in which quotes are found."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = f" {normalise_text(text)} "

    def place(self, quote: str) -> tuple[int, int] | None:
        """From which letter to which a quote stands in the normalised text; None where it does not."""
        key = normalise_text(quote)
        at = find_words(key, self._text) if key else -1
        return None if at < 0 else (at, at + len(key))


def overlap(one: tuple[int, int] | None, other: tuple[int, int] | None) -> float:
    """The share of the shorter passage that lies in the other, in [0, 1]."""
    if one is None or other is None:
        return 0.0
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(0.0, common / min(one[1] - one[0], other[1] - other[0]))
