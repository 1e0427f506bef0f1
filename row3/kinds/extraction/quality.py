"""What can be counted of an extraction without a golden case."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from row3.domain.scores import Quality
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.explain import is_quote
from row3.matching.names import NameIndex, is_near
from row3.matching.normalise import normalise
from row3.matching.scorers import NameRule
from row3.matching.text.quotes import SourceText

SIMILAR = NameRule("token-sort", 0.8)
"""Names less similar than this that share no word are not compared by all rules, which takes 0.4 ms."""


def measure(
    items: Sequence[tuple[str, str | None]], text: str | None, canaries: Sequence[str], *, sampled: bool
) -> Quality:
    """Return the counts over concepts, given as label and quote; if not `sampled`, only that of canaries."""
    source = SourceText(text or "")
    labels = [label for label, _ in items]
    found = [label for label in labels if canaries and _is_canary(label, tuple(canaries))]
    number = sum(not source.mentions(label) for label in found) if labels and canaries else None
    if not sampled or text is None or not text.strip():
        return Quality(None, None, None, number)
    index = NameIndex((), (), NameRule(), source)
    quoted = [(label, quote) for label, quote in items if is_quote(quote, label)]
    return Quality(
        len(quoted),
        sum(
            mentions(quote, [label], source, lambda: index.matcher.acronyms)
            for label, quote in quoted
            if source.is_passage(quote)
        ),
        sum(not source.mentions(label) for label in labels),
        number,
    )


@lru_cache(maxsize=1 << 16)
def _is_canary(label: str, canaries: tuple[str, ...]) -> bool:
    index, keys = _index(canaries)
    key = normalise(label)
    alike = is_near(key, keys, SIMILAR) or not {*key.split()}.isdisjoint(" ".join(keys).split())
    return alike and index.matches(label).canary.position >= 0


@lru_cache(maxsize=64)
def _index(canaries: tuple[str, ...]) -> tuple[NameIndex, list[str]]:
    return NameIndex((), canaries, NameRule()), [*map(normalise, canaries)]
