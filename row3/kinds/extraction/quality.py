"""What can be counted of an extraction without a golden case."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.scores import Quality
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.explain import is_quote
from row3.matching.names import NameIndex, NameRule, match_names
from row3.matching.text.quotes import SourceText


def measure(items: Sequence[tuple[str, str | None]], text: str | None, canaries: Sequence[str]) -> Quality:
    """Return the counts over concepts, given as label and quote."""
    labels = [label for label, _ in items]
    if text is None or not text.strip():
        return Quality(None, None, None, _canaries(labels, NameIndex((), canaries, NameRule())) if canaries else None)
    source = SourceText(text)
    index = NameIndex((), canaries, NameRule(), source)
    quoted = [(label, quote) for label, quote in items if is_quote(quote, label)]
    strange = [label for label in labels if not source.mentions(label)]
    return Quality(
        len(quoted),
        sum(
            source.contains_quote(quote) and mentions(quote, [label], source, lambda: index.judge.acronyms)
            for label, quote in quoted
        ),
        len(strange),
        _canaries(strange, index) if canaries else None,
    )


def _canaries(labels: Sequence[str], index: NameIndex) -> int:
    return sum(match.state == "canary" for match in match_names(labels, index))
