"""Where names and quotes are in a text, compared much as the scorer compares: by letters and digits alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import regex

_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
_ELLIPSIS = re.compile(r"…|\.\s?\.\s?\.")


class Mark(NamedTuple):
    """Names that are marked in one way."""

    names: Sequence[str]
    css: str
    title: str


class Piece(NamedTuple):
    """A part of a text: what it is marked as, if anything, and whether it is quoted."""

    text: str
    mark: Mark | None
    quoted: bool

    @property
    def css(self) -> str:
        """The classes of its mark."""
        return " ".join(filter(None, (self.mark and self.mark.css, "q" if self.quoted else "")))


def folded(text: str) -> str:
    """Return the words of a text without case or forms of writing, each between single spaces."""
    words = (unicodedata.normalize("NFKD", word).casefold() for word in _WORD.findall(text))
    return "".join(f" {word.replace(' ', '')}" for word in words) + " "


@lru_cache(4096)
def key(name: str) -> str:
    """Return a name without case and punctuation."""
    return folded(name).strip()


def positions(words: str, name: str) -> list[tuple[int, int]]:
    """Return numbers of the first and last word of every place where a name stands in a folded text."""
    wanted, found = f" {key(name)} ", []
    at = words.find(wanted) if key(name) else -1
    while at >= 0:
        first = words.count(" ", 0, at)
        found.append((first, first + wanted.count(" ") - 2))
        at = words.find(wanted, at + 1)
    return found


def marked(text: str, marks: Sequence[Mark], quotes: Sequence[str]) -> Iterator[Piece]:
    """Yield a text in pieces; of names that overlap the longest is marked."""
    spans = [match.span() for match in _WORD.finditer(text)]
    words = folded(text)
    owner: list[Mark | None] = [None] * len(text)
    quoted = [False] * len(text)
    for first, last in (place for quote in quotes for place in _quoted(words, quote)):
        start, end = spans[first][0], spans[last][1]
        quoted[start:end] = [True] * (end - start)
    names = sorted(((name, mark) for mark in marks for name in mark.names), key=lambda each: -len(each[0]))
    for name, mark in names:
        for first, last in positions(words, name):
            start, end = spans[first][0], spans[last][1]
            if not any(owner[start:end]):
                owner[start:end] = [mark] * (end - start)
    at = 0
    for (found, quote), run in groupby(zip(owner, quoted, strict=True)):
        end = at + sum(1 for _ in run)
        yield Piece(text[at:end], found, quote)
        at = end


def _quoted(words: str, quote: str) -> list[tuple[int, int]]:
    """Return the first place of a quote; of one that leaves something out, the first place of each part."""
    whole = positions(words, quote)
    parts = [] if whole else _ELLIPSIS.split(quote)
    return whole[:1] or [place for part in parts if len(parts) > 1 for place in positions(words, part)[:1]]
