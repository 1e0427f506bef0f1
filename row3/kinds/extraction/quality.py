"""What can be counted of an extraction without a golden case."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from row3.domain.scores import Quality
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.explain import is_quote
from row3.matching.names import NameIndex, closest
from row3.matching.normalise import normalise
from row3.matching.scorers import NameRule
from row3.matching.text.quotes import SourceText

SIMILAR = NameRule("token-sort", 0.8)
"""Names less similar than this, in any order of their words, are not compared by all rules, which takes 0.4 ms."""


def measure(items: Sequence[tuple[str, str | None]], text: str | None, canaries: Sequence[str]) -> Quality:
    """Return the counts over concepts, given as label and quote."""
    labels = [label for label, _ in items]
    found = count_canaries(labels, text, canaries)
    if text is None or not text.strip():
        return Quality(None, None, None, found)
    source = SourceText(text)
    index = NameIndex((), (), NameRule(), source)
    quoted = [(label, quote) for label, quote in items if is_quote(quote, label)]
    return Quality(
        len(quoted),
        sum(
            source.contains_quote(quote) and mentions(quote, [label], source, lambda: index.matcher.acronyms)
            for label, quote in quoted
        ),
        sum(not source.mentions(label) for label in labels),
        found,
    )


def count_canaries(labels: Sequence[str], text: str | None, canaries: Sequence[str]) -> int | None:
    """Return how many labels are canaries that the text does not mention; None without labels or canaries."""
    if not (labels and canaries):
        return None
    found = [label for label in labels if _is_canary(label, tuple(canaries))]
    source = SourceText(text or "") if found else None
    return sum(source is not None and not source.mentions(label) for label in found)


@lru_cache(maxsize=1 << 16)
def _is_canary(label: str, canaries: tuple[str, ...]) -> bool:
    index, keys = _index(canaries)
    return closest(normalise(label), keys, SIMILAR) is not None and index.matches(label).canary.position >= 0


@lru_cache(maxsize=64)
def _index(canaries: tuple[str, ...]) -> tuple[NameIndex, list[str]]:
    return NameIndex((), canaries, NameRule()), [*map(normalise, canaries)]
