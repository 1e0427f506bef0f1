"""Similarity of descriptions, and positions of quotes in a document."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from row3.matching.lexicon.inflection import token_form, unaccented
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
    """Return whether one of two different lower-case words excludes the other, in any number and spelling."""
    groups, groups_of_other = (_groups().get(token_form(unaccented(word)), set()) for word in (one, other))
    return bool(groups & groups_of_other)


DIGITS = re.compile(r"\d+")
LIGHT = FUNCTION_WORDS | words("a an to in on for at by with is are was were be will we our it its")
"""Words that a description may have or lack without saying anything else."""


@lru_cache(maxsize=8192)
def description_key(text: str) -> str:
    """Return the base forms of a description's words, with values normalised and without light words."""
    spelt = normalise(with_values(text)).split()
    return " ".join([form_key(word).lstrip("=") or word for word in spelt if word not in LIGHT])


def description_similarity(one: str, other: str) -> float:
    """Return how much two descriptions say the same, in [0, 1]: the mean of two similarities of their words.

    rapidfuzz's token sort ratio compares all words in any order, its token set ratio the words they share. So a
    description with one more detail is similar to the shorter one, but less than an equal one. A contradiction (18 and
    12, May and June, yes and no) halves a similarity above 0.5: it is otherwise said in the same words.
    """
    a, b = description_key(one), description_key(other)
    if not a or not b:
        return 0.0
    alike = (fuzz.token_sort_ratio(a, b) + fuzz.token_set_ratio(a, b)) / 200.0
    return alike / 2 if alike > 0.5 and _contradict(a, b) else alike


def _contradict(one: str, other: str) -> bool:
    """Return whether each has a number that the other lacks, only one is negated, or two of their words conflict."""
    numbers, others = set(DIGITS.findall(one)), set(DIGITS.findall(other))
    if numbers - others and others - numbers:
        return True
    words_of_one, words_of_other = set(one.split()), set(other.split())
    left, right = words_of_one - words_of_other, words_of_other - words_of_one
    if (left | right) & NEGATIONS:
        return True
    return any(exclusive(word, rival) for word in left for rival in right)


def position_of(quote: str, text: str) -> tuple[int, int] | None:
    """Return start and end of a quote in a normalised text padded with spaces; None if it does not occur."""
    key = normalise_text(quote)
    at = find_words(key, text) if key else -1
    return None if at < 0 else (at, at + len(key))


def overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Return the share of the shorter passage that lies in the other, in [0, 1]."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(0.0, common / min(one[1] - one[0], other[1] - other[0]))
