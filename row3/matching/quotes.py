"""Whether a quote or a name really occurs in a text, after normalisation."""

from __future__ import annotations

import re

from row3.matching.normalise import normalise, normalise_text

ELLIPSIS = re.compile(r"…|\.\s?\.\s?\.")


class SourceText:
    """A case's text, normalised once, when first needed, and searched many times."""

    __slots__ = ("_normal", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._normal = ""

    @property
    def _padded(self) -> str:
        if not self._normal:
            self._normal = f" {normalise_text(self.text)} "
        return self._normal

    def __contains__(self, word: object) -> bool:
        """A normalised word occurs."""
        return f" {word} " in self._padded

    def mentions(self, name: str) -> bool:
        """The name occurs as whole words."""
        key = normalise(name)
        return bool(key) and f" {key} " in self._padded

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
