"""What sentences mean, as a small model sees it: a vector for each sentence and its successor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from row3.providers.minilm import MiniLM, model_folder

from .extraction import Sentence, sentences

WINDOW = 2
"""Sentences that are read together: one alone is often "Yes, by Friday"."""


@dataclass(frozen=True)
class Read:
    """A text that was read: its sentences, and the vector of each with the one after it."""

    text: str
    sentences: list[Sentence]
    vectors: list[Any]


class Passages:
    """The sentences of texts and how well they fit a query. Raises `MissingExtra` where the model is not installed."""

    def __init__(self) -> None:
        self._model = MiniLM(model_folder())
        self._known: dict[str, Read] = {}

    def read(self, text: str) -> Read:
        """The sentences of a text with their vectors; up to a second for a page."""
        found = sentences(text)
        windows = (" ".join(one.words for one in found[at : at + WINDOW]) for at in range(len(found)))
        return Read(text, found, [self._model.vector(window) for window in windows])

    def keep(self, name: str, read: Read) -> None:
        """Keep what was read, in the place of an earlier text of that name."""
        self._known[name] = read

    def has(self, name: str, text: str) -> bool:
        """Whether a text was read as it is now."""
        return name in self._known and self._known[name].text == text

    def scores(self, query: str) -> dict[str, list[tuple[Sentence, float]]]:
        """Every sentence with its cosine to a query, in [-1, 1], by text; rounded, to be the same on every machine."""
        wanted = self._model.vector(query)
        return {
            name: [
                (one, round(float(vector @ wanted), 4))
                for one, vector in zip(read.sentences, read.vectors, strict=True)
            ]
            for name, read in sorted(self._known.items())
        }
