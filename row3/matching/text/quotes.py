"""Whether a quote or a name really occurs in a text, after normalisation."""

from __future__ import annotations

import re

from row3.matching.normalise import APOSTROPHES, normalise, normalise_text, spaced

ELLIPSIS = re.compile(r"…|\.\s?\.\s?\.")
_APART = str.maketrans(dict.fromkeys(APOSTROPHES, " "))
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]")
"""Letters of scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer."""


def find_words(key: str, padded: str, start: int = 0) -> int:
    """Where a normalised text stands in another, which has a space at both ends, as whole words; -1 for nowhere.

    The place is that of the space before. Where a script puts no spaces between words, none is asked for.
    """
    at = padded.find(f" {key} ", start)
    if at >= 0 or _NO_SPACES.search(key) is None:
        return at
    at = padded.find(key, start + 1)
    while at >= 0:
        if _part(padded[at - 1], key[0]) and _part(key[-1], padded[at + len(key)]):
            return at - 1
        at = padded.find(key, at + 1)
    return -1


def _part(one: str, other: str) -> bool:
    """Two neighbouring letters may belong to two words."""
    return " " in (one, other) or _NO_SPACES.match(one) is not None or _NO_SPACES.match(other) is not None


class SourceText:
    """A case's text, normalised once, when first needed, and searched many times."""

    __slots__ = ("_normal", "_possessed", "_spaced", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._spaced = ""
        self._normal = ""
        self._possessed = ""

    @property
    def _words(self) -> str:
        """The text in which single words can be found: normalised but for the runs of spaces, a fifth of the work."""
        if not self._spaced:
            self._spaced = f" {spaced(self.text)} "
        return self._spaced

    @property
    def _padded(self) -> str:
        if not self._normal:
            self._normal = f" {' '.join(self._words.split())} "
        return self._normal

    @property
    def _apart(self) -> str:
        """The text with a space for each apostrophe: a quote may end before 's, and tokenised text parts it."""
        if not self._possessed:
            self._possessed = f" {normalise_text(self.text.translate(_APART))} "
        return self._possessed

    def __contains__(self, word: object) -> bool:
        """A normalised word occurs."""
        return f" {word} " in self._words

    def mentions(self, name: str) -> bool:
        """The name occurs as whole words; an apostrophe parts words or joins them."""
        key, words = normalise(name), self._words
        if not key:
            return False
        for word in key.split():  # most names that are not there have a word that is not
            if f" {word} " not in words:
                return self._has_otherwise(name, key)
        return " " not in key or find_words(key, self._padded) >= 0 or self._has_otherwise(name, key)

    def _has_otherwise(self, name: str, key: str) -> bool:
        """The name occurs with its apostrophes as spaces, or in a script that has none."""
        if _NO_SPACES.search(key) is not None and find_words(key, self._padded) >= 0:
            return True
        if "'" not in self.text and "’" not in self.text and "'" not in name and "’" not in name:
            return False
        return find_words(normalise_text(name.translate(_APART)), self._apart) >= 0

    def contains_quote(self, quote: str) -> bool:
        """The quote occurs; where it leaves something out with an ellipsis, its parts do, in order."""
        text = self.text
        start = text.find(quote)
        if start >= 0 and quote[:1].isalnum():
            # To the letter and between white space, so it occurs after normalisation too.
            end = start + len(quote)
            if (start == 0 or text[start - 1].isspace()) and (end == len(text) or text[end].isspace()):
                return True
        key = normalise_text(quote)
        if not key:
            return False
        if find_words(key, self._padded) >= 0 or self._has_otherwise(quote, key):
            return True
        if "…" not in quote and ".." not in quote and ". ." not in quote:
            return False
        position, parts = 0, [normalise_text(part) for part in ELLIPSIS.split(quote)]
        for part in filter(None, parts):
            position = find_words(part, self._padded, position)
            if position < 0:
                return False
            position += len(part) + 1
        return True
