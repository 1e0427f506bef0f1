"""Whether a quote or a name really occurs in a text, after normalisation."""

from __future__ import annotations

import re

from row3.matching.normalise import normalise, normalise_text, spaced

ELLIPSIS = re.compile(r"…|\.\s?\.\s?\.")


class SourceText:
    """A case's text, normalised once, when first needed, and searched many times."""

    __slots__ = ("_normal", "_spaced", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._spaced = ""
        self._normal = ""

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

    def __contains__(self, word: object) -> bool:
        """A normalised word occurs."""
        return f" {word} " in self._words

    def mentions(self, name: str) -> bool:
        """The name occurs as whole words."""
        key, words = normalise(name), self._words
        if not key:
            return False
        for word in key.split():  # most names that are not there have a word that is not
            if f" {word} " not in words:
                return False
        return " " not in key or f" {key} " in self._padded

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
        if f" {key} " in self._padded:
            return True
        if "…" not in quote and ".." not in quote and ". ." not in quote:
            return False
        position, parts = 0, [normalise_text(part) for part in ELLIPSIS.split(quote)]
        for part in filter(None, parts):
            position = self._padded.find(f" {part} ", position)
            if position < 0:
                return False
            position += len(part) + 1
        return True
