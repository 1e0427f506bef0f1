"""The sample, and measures of a decomposition that need no golden case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from row3.integrations.monitoring.records import Record
from row3.kinds import kind_named
from row3.kinds.extraction.evidence import mentions
from row3.kinds.extraction.explain import is_quote
from row3.matching.names import NameIndex, NameRule, match_names
from row3.matching.text.quotes import SourceText
from row3.project.cases import golden_files, unique_cases
from row3.project.project import Project

EXTRACTION = "extraction"


def in_sample(record_id: str, rate: float) -> bool:
    """Return whether a record belongs to the sample: the first 64 bits of its id's SHA-256 are below rate · 2^64."""
    return int.from_bytes(sha256(record_id.encode()).digest()[:8]) < rate * 2.0**64


class Quality(NamedTuple):
    """Counts over the concepts of one decomposition; the first three are None without a source text."""

    quotes: int | None
    """Concepts with a source quote."""
    verified: int | None
    """Concepts whose quote occurs in the source text and mentions them."""
    ungrounded: int | None
    """Concepts that the source text does not mention."""
    canaries: int | None
    """Concepts that the domain's golden cases forbid and the source text does not mention; None if they forbid none."""


def domain_canaries(project: Project) -> dict[str, tuple[str, ...]]:
    """Return the concepts that extraction cases forbid, by domain. Raises `InvalidFile`."""
    kind, found = kind_named(EXTRACTION, where=""), dict[str, dict[str, None]]()
    for name in project.suite_names():
        settings = project.config.suites.get(name)
        if settings is None or settings.kind == EXTRACTION:
            for stored in unique_cases(project.tree, golden_files(project.tree, project.golden(name)), kind):
                if stored.case.domain is not None:
                    found.setdefault(stored.case.domain, {}).update(dict.fromkeys(stored.case.forbidden_concepts))
    return {domain: tuple(canaries) for domain, canaries in found.items() if canaries}


def measure(record: Record, canaries: Mapping[str, Sequence[str]]) -> Quality:
    """Return the quality of a decomposition; all None after an error."""
    if record.error is not None:
        return Quality(None, None, None, None)
    forbidden, labels = canaries.get(record.domain or "", ()), [one.label for one in record.concepts]
    if record.source_text is None or not record.source_text.strip():
        return Quality(None, None, None, _canaries(labels, NameIndex((), forbidden, NameRule())) if forbidden else None)
    text = SourceText(record.source_text)
    index = NameIndex((), forbidden, NameRule(), text)
    quoted = [(one.label, one.source_quote) for one in record.concepts if is_quote(one.source_quote, one.label)]
    strange = [label for label in labels if not text.mentions(label)]
    return Quality(
        len(quoted),
        sum(
            text.contains_quote(quote) and mentions(quote, [label], text, lambda: index.judge.acronyms)
            for label, quote in quoted
        ),
        len(strange),
        _canaries(strange, index) if forbidden else None,
    )


def _canaries(labels: Sequence[str], index: NameIndex) -> int:
    return sum(match.state == "canary" for match in match_names(labels, index))
