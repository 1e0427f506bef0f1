"""Locate names and quotes in a text: paragraph, line and sentence."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from rapidfuzz import fuzz, process

from row3.matching.normalise import normalise, normalise_text

SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+|[。！？]")
ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|cf|Dr|Mr|Mrs|Ms|St|vs|No|Fig|al|approx|ca)\.\Z|(?:^|\n)[ \t]*\d{1,2}\.\Z"
)
PARAGRAPH = re.compile(r"\n\s*\n")
_BULLET = re.compile(r"\W+|\(?(?:\w|\d\d)[.)]")
WIDTH = 40
"""Number of characters below which no text is wrapped."""
NEARLY = 0.9
"""Similarity to a passage from which a quote was changed a little; below it, it was made up."""


class Place(NamedTuple):
    """A location in the source text."""

    paragraph: int
    line: int
    """Paragraph and line are 1-based."""
    start: int
    end: int
    """Offsets in the original text, not the normalised one."""
    sentence: str
    marks: tuple[tuple[int, int], ...] = ()
    """Spans to highlight, as offsets in the sentence."""


class SearchableText:
    """A text normalised once, which maps every normalised character to its origin."""

    def __init__(self, text: str) -> None:
        self.text = text
        folded, self._origins = _folded(text)
        self._padded = f" {folded} "
        self._sentences = sentences(text)
        self._normal = [f" {normalise_text(text[start:end])} " for start, end in self._sentences]

    def find(self, names: Iterable[str]) -> Place | None:
        """Return the first occurrence of the first name that occurs."""
        for name in names:
            key = normalise(name)
            found = self._padded.find(f" {key} ") if key else -1
            if found >= 0:
                return self._place(self._origins[found][0], self._origins[found + len(key) - 1][1])
        return None

    def together(self, one: Sequence[str], other: Sequence[str]) -> Place | None:
        """Return the first sentence that contains a form of each, with both marked."""
        for (start, end), normal in zip(self._sentences, self._normal, strict=True):
            if all(any(f" {normalise(name)} " in normal for name in names) for names in (one, other)):
                inner = SearchableText(self.text[start:end])
                marks = [(spot.start, spot.end) for names in (one, other) if (spot := inner.find(names)) is not None]
                return self._place(start, end, tuple(marks))
        return None

    def most_like(self, quote: str) -> tuple[Place, float] | None:
        """Return the sentence most similar to a quote, and the similarity in [0, 1]."""
        hit = process.extractOne(normalise_text(quote), self._normal, scorer=fuzz.partial_ratio)
        return None if hit is None else (self._place(*self._sentences[hit[2]], ()), hit[1] / 100)

    def _place(self, start: int, end: int, marks: tuple[tuple[int, int], ...] | None = None) -> Place:
        starts = [begin for begin, _ in self._sentences]
        first = self._sentences[max(0, bisect_right(starts, start) - 1)][0]
        last = max(end, self._sentences[max(0, bisect_right(starts, end - 1) - 1)][1])
        above = self.text[:start]
        own = ((start - first, end - first),) if marks is None else marks
        paragraph = len([part for part in PARAGRAPH.split(above) if part.strip()])
        starts_one = not above.strip() or bool(re.search(r"\n\s*\n\s*\Z", above))
        return Place(paragraph + starts_one, above.count("\n") + 1, start, end, self.text[first:last], own)


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text as normalised by `normalise_text`, and the span each of its characters came from."""
    chars: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        # Digits combine with nothing, and keep a span that becomes a space from being stripped.
        for char in normalise_text(f"0{text[start:end]}0")[1:-1]:
            if char == " " and (not chars or chars[-1] == " "):
                continue
            chars.append(char)
            origins.append((start, end))
    if chars and chars[-1] == " ":
        chars.pop()
        origins.pop()
    return "".join(chars), origins


def _clusters(text: str) -> list[tuple[int, int]]:
    """Return the spans that normalise independently: a character with what it combines with."""
    spans: list[tuple[int, int]] = []
    for at, char in enumerate(text):
        if spans and not char.isascii():
            before = text[spans[-1][0] : at]
            apart = unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", char)
            if unicodedata.combining(char) or unicodedata.normalize("NFKC", before + char) != apart:
                spans[-1] = (spans[-1][0], at + 1)
                continue
        spans.append((at, at + 1))
    return spans


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the offsets of a text's sentences. They end also before a bullet, and with a line that is not full."""
    paragraphs = [0, *(match.end() for match in PARAGRAPH.finditer(text)), len(text)]
    cuts, small = {*paragraphs}, text.islower()
    for start, end in pairwise(paragraphs):
        lines = text[start:end].splitlines(keepends=True)
        width = max([WIDTH, *(len(line.rstrip()) for line in lines)])
        for at, line, following in zip(accumulate(map(len, lines), initial=start), ["", *lines], lines, strict=False):
            word, *_ = following.split(maxsplit=1) or [""]
            if _BULLET.fullmatch(word) or len(line.rstrip()) + 1 + len(word) <= width:
                cuts.add(at)
    for match in SENTENCE_END.finditer(text):
        following = text[match.end() : match.end() + 2].lstrip("\"'“‘([")
        said = text[max(0, match.start() - 10) : match.start() + 1]
        if following and (small or not following[0].islower()) and not ABBREVIATION.search(said):
            cuts.add(match.end())
    spans = [(start, start + len(text[start:end].rstrip())) for start, end in pairwise(sorted(cuts))]
    return [span for span in spans if span[0] < span[1]] or [(0, len(text))]
