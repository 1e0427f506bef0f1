"""Find quotes and names in a source text, and names that it uses in two senses."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate

from row3.matching.lexicon.inflection import unaccented
from row3.matching.lexicon.lists import lists, words
from row3.matching.normalise import APOSTROPHES, fold, normalise, normalise_text
from row3.matching.text.places import sentences
from row3.matching.variant.marks import mark_difference

ELLIPSIS = re.compile(r"…|\.\s?\.\s?\.")
_APOSTROPHES_AS_SPACES = str.maketrans(dict.fromkeys(APOSTROPHES, " "))
_SIGN_BEFORE = re.compile(r"(?:(?<!\S)[^\w\s]+|(?<=\w)[^\w\s#%&°]+)(?=\w)")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?![^\w\s]*\d)(?=\S)")
"""The space between a number and its unit: 5 kg, 20 °C, 50 %."""
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]")
"""Letters of scripts without spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer."""
_BETWEEN_WORDS = ' \n,.;:!?()"'
"""Characters beside a word that do not belong to it."""
_ENDS = ".!?。！？"
"""Characters that may end a sentence within a line."""
MOST_SENTENCES = 3
"""Number of sentences up to which a quote points at a passage."""


def find_words(key: str, padded: str, start: int = 0) -> int:
    """Return the offset of whole words `key` in a normalised text padded with spaces; -1 for none.

    The offset is that of the preceding space. Scripts without spaces between words need none.
    """
    at = padded.find(f" {key} ", start)
    if at >= 0 or _NO_SPACES.search(key) is None:
        return at
    at = padded.find(key, start + 1)
    while at >= 0:
        if _is_boundary(padded[at - 1], key[0]) and _is_boundary(key[-1], padded[at + len(key)]):
            return at - 1
        at = padded.find(key, at + 1)
    return -1


def _is_boundary(one: str, other: str) -> bool:
    """Return whether a word may end between two neighbouring letters."""
    return " " in (one, other) or _NO_SPACES.match(one) is not None or _NO_SPACES.match(other) is not None


def _parted(text: str, *, units: bool = False) -> str:
    """Return a normalised text with spaces for apostrophes and behind a sign before a word: ±5, x=alpha.

    A quote may end before 's, and tokenised text separates it. Signs behind a word belong to it (C++). By `units` no
    space follows a number.
    """
    key = normalise_text(text.translate(_APOSTROPHES_AS_SPACES))
    return _SIGN_BEFORE.sub(r"\g<0> ", _BEFORE_UNIT.sub("", key) if units else key)


def _is_plain(text: str, key: str) -> bool:
    """Return whether a text has neither apostrophes nor signs, so that `_parted` is its key."""
    return key.replace(" ", "").isalnum() and not any(map(text.__contains__, APOSTROPHES))


class SourceText:
    """A case's text, normalised once on first use."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _padded(self) -> str:
        padded = f" {fold(self.text)} "
        while "  " in padded:
            padded = padded.replace("  ", " ")
        return padded

    @cached_property
    def _plain(self) -> bool:
        return _is_plain(self.text, self._padded)

    @cached_property
    def _parted(self) -> str:
        return f" {_parted(self.text)} "

    @cached_property
    def _joined(self) -> str:
        return f" {_parted(self.text, units=True)} "

    @cached_property
    def _ends(self) -> list[int]:
        """Offsets in the padded text at which its sentences end."""
        keys = (normalise_text(self.text[start:end]) for start, end in sentences(self.text))
        return list(accumulate(len(key) + 1 for key in keys if key))

    def __contains__(self, word: object) -> bool:
        """Return whether a normalised word occurs."""
        return f" {word} " in self._padded

    def mentions(self, name: str) -> bool:
        """Return whether the name occurs as whole words, apostrophes joining or separating words."""
        key = normalise(name)
        return bool(key) and (f" {key} " in self._padded or self._mentions_variant(name, key))

    def _mentions_variant(self, name: str, key: str) -> bool:
        """Return whether the name occurs with signs, units and apostrophes apart, or in a script without spaces."""
        if _NO_SPACES.search(key) is not None and find_words(key, self._padded) >= 0:
            return True
        if not (self._plain and _is_plain(name, key)) and find_words(_parted(name), self._parted) >= 0:
            return True
        return any(map(str.isdigit, key)) and find_words(_parted(name, units=True), self._joined) >= 0

    def contains_quote(self, quote: str) -> bool:
        """Return whether the quote, or its parts around ellipses in order, occur."""
        key = normalise(quote)
        return bool(key) and (
            f" {key} " in self._padded or bool(self._spans(quote)) or self._mentions_variant(quote, key)
        )

    def _spans(self, quote: str) -> list[tuple[int, int]]:
        """Return start and end in the padded text of the quote, or of its parts around ellipses in order; else []."""
        for parts in ([quote], ELLIPSIS.split(quote)):
            spans, end = [], 0
            for key in filter(None, map(normalise, parts)):
                start = find_words(key, self._padded, end)
                spans.append((start, end := start + len(key) + 1))
            if spans and min(spans)[0] >= 0:
                return spans
        return []

    def is_passage(self, quote: str) -> bool | None:
        """Return whether a quote is at most three sentences and leaves out one or a third; None if it is not there."""
        # Most quotes are a place of the text, letter for letter, with few marks.
        start, text, padded = self.text.find(quote), self.text, self._padded
        if start >= 0 and quote.isprintable() and 0 < 3 * len(normalise(quote)) <= 2 * len(padded) - 6:
            end = start + len(quote)
            beside = (not start or text[start - 1] in _BETWEEN_WORDS) and text[end : end + 1] in _BETWEEN_WORDS
            if beside and sum(map(quote.count, _ENDS)) < MOST_SENTENCES:
                return True
        if not self.contains_quote(quote):
            return None
        ends, spans = self._ends, self._spans(quote)
        touched = {at for start, end in spans for at in range(bisect_right(ends, start), bisect_left(ends, end) + 1)}
        number = len(touched or sentences(quote))  # a sign or an apostrophe may stand apart
        short = 3 * len(normalise(quote)) <= 2 * (len(padded) - 2)
        return number <= MOST_SENTENCES and (short or number < len(ends))


NO_TEXT = SourceText("")
_LISTS = lists("english")
A_NAME_AND_A_NOUN = "a proper name and a common noun"
WITH_CAPITAL = words(_LISTS["with_capital"])
"""Words whose meaning changes with a capital: Apple and an apple."""
ALWAYS_A_NAME = words("turkey china polish apple amazon oracle")
"""Words of `WITH_CAPITAL` that are names even at the start of a sentence or without a text: Apple, apples."""
FIRST_OF_TWO = words(_LISTS["first_of_two"])
"""First words of compounds that mean something else apart: a green house, a greenhouse."""
_ARTICLE = re.compile(r"^(?:[Tt]he|[Aa]n?) ")
_MID_SENTENCE = r"(?<=[a-z,;] )"
"""Precedes a word that does not begin a sentence."""


def differ_by_text(one: str, other: str, text: str) -> bool:
    """Return whether names that differ only in a capital, accent or space mean two things, and the text has both."""
    one, other = _ARTICLE.sub("", one), _ARTICLE.sub("", other)
    low, low2 = one.casefold(), other.casefold()
    if low2 in (low, f"{low}s") or f"{low2}s" == low:
        said, named = (one, other) if one.islower() else (other, one)
        word = named.lower()
        if word not in WITH_CAPITAL or named != word.capitalize() or said not in (word, f"{word}s"):
            return False
        if word in ALWAYS_A_NAME and said != word:
            return True
        before = "" if word in ALWAYS_A_NAME else _MID_SENTENCE
        return _contains(text, said) and re.search(rf"{before}\b{named}\b", text) is not None
    if unaccented(low) == unaccented(low2):
        return _contains(text, one) and _contains(text, other)
    parted, joined = (low, low2) if " " in low else (low2, low)
    first, _, rest = parted.partition(" ")
    return (
        first in FIRST_OF_TWO
        and first + rest == joined
        and all(_contains(text.casefold(), form) for form in (parted, joined))
    )


def _contains(text: str, name: str) -> bool:
    """Return whether the text contains the exact name or its plural."""
    return re.search(rf"\b{re.escape(name)}s?\b", text) is not None


def normalised_difference(one: str, other: str, text: str) -> str:
    """Return why marks or the text separate two names that normalise alike, else ""."""
    one, other = " ".join(one.split()), " ".join(other.split())
    return mark_difference(one, other) or (A_NAME_AND_A_NOUN if text and differ_by_text(one, other, text) else "")
