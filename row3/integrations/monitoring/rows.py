"""Records as rows of the store: figures, the quality of sampled ones, and the whole record if it may be read later."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from row3.domain.scores import NO_QUALITY, Quality
from row3.integrations.monitoring.readers import Aside, Chunk, read_line
from row3.integrations.monitoring.records import HOUR_MS, Opinion, Record, milliseconds
from row3.integrations.monitoring.tables import BINS
from row3.integrations.monitoring.traces import BROKEN, why
from row3.kinds import monitored_kind
from row3.project.config import SuiteConfig
from row3.project.project import Project


class Keeping(NamedTuple):
    """Which records are measured, and which are stored whole."""

    rate: float
    """Share of records in the sample."""
    canaries: Mapping[str, Sequence[str]]
    """Concepts that golden cases forbid, by domain."""
    whole: bool = False
    """Whether all records are stored whole, not only sampled, failed and `wanted` ones."""
    wanted: frozenset[str] = frozenset()
    """Ids of rated records."""


@dataclass(slots=True)
class Parsed:
    """The content of some lines."""

    rows: list[tuple[int, tuple[Any, ...]]] = field(default_factory=list)
    """Each with its line number."""
    opinions: list[Opinion] = field(default_factory=list)
    unrated: int = 0
    bad: list[Aside] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    """Records by unknown field."""


def parse(chunk: Chunk, keeping: Keeping) -> Parsed:
    """Return the content of a chunk's lines, without blank ones."""
    parsed = Parsed(bad=list(chunk.bad))
    for number, raw in chunk.lines():
        if not raw or raw.isspace():
            continue
        try:
            found = read_line(raw)
            if isinstance(found, Record):
                if found.model_extra:
                    parsed.ignored.update(found.model_extra.keys())
                    found.model_extra.clear()
                parsed.rows.append((number, row(found, keeping)))
            elif found is not None:
                parsed.opinions.append(found)
            else:
                parsed.unrated += 1
        except BROKEN as error:
            parsed.bad.append(Aside(number, why(error), raw))
    return parsed


def row(record: Record, keeping: Keeping) -> tuple[Any, ...]:
    """Return a record's values in the order of `RECORDS`."""
    raw, at_ms, sampled = record.model_dump_json().encode(), milliseconds(record.at), in_sample(record.id, keeping.rate)
    confidences = [one.confidence for one in record.concepts if one.confidence is not None]
    bins = [0] * BINS
    for confidence in confidences:
        bins[min(int(confidence * BINS), BINS - 1)] += 1
    quality = measure(record, keeping.canaries, sampled=sampled)
    whole = sampled or keeping.whole or record.error is not None or record.id in keeping.wanted
    return (
        record.id,
        sha256(raw).hexdigest(),
        at_ms,
        at_ms // HOUR_MS,
        _text(record.topic),
        _text(record.domain),
        _text(record.version),
        _text(record.model),
        record.latency_ms,
        record.cost_usd,
        _text(record.error),
        len(record.concepts),
        len(record.relationships),
        len(confidences),
        float(sum(confidences)),
        *bins,
        sampled,
        *quality,
        zlib.compress(raw, 1) if whole else None,
    )


def _text(value: str | None) -> str | None:
    """Return a text without NUL, which PostgreSQL cannot store."""
    return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value


def in_sample(record_id: str, rate: float) -> bool:
    """Return whether a record belongs to the sample: the first 64 bits of its id's SHA-256 are below rate · 2^64."""
    return int.from_bytes(sha256(record_id.encode()).digest()[:8]) < rate * 2.0**64


def measure(record: Record, canaries: Mapping[str, Sequence[str]], *, sampled: bool = True) -> Quality:
    """Return the quality of a decomposition, outside the sample only its canaries; all None after an error."""
    if record.error is not None:
        return NO_QUALITY
    items = [(one.label, one.source_quote) for one in record.concepts]
    forbidden = canaries.get(record.domain or "", ())
    return monitored_kind().quality(items, record.source_text, forbidden, sampled=sampled)


def monitored_suites(project: Project) -> list[str]:
    """Return the names of the suites of production's kind."""
    suites, kind = project.config.suites, monitored_kind().name
    return [name for name in project.suite_names() if suites.get(name, SuiteConfig()).kind == kind]


def domain_canaries(project: Project) -> dict[str, tuple[str, ...]]:
    """Return the concepts that golden cases forbid, by domain. Raises `InvalidFile`."""
    folders = (project.golden(name) for name in monitored_suites(project))
    kind = monitored_kind()
    return canaries_of(stored.case for folder in folders for stored in project.cases.unique(folder, kind))


def canaries_of(cases: Iterable[Any]) -> dict[str, tuple[str, ...]]:
    """Return the concepts that these cases forbid, by domain."""
    found: dict[str, dict[str, None]] = {}
    for case in cases:
        if case.domain and (names := case_names(case, "canary")):
            found.setdefault(case.domain, {}).update(dict.fromkeys(names))
    return {domain: tuple(names) for domain, names in found.items()}


def case_names(case: Any, *whats: str) -> list[str]:
    """Return the names of what a case expects or forbids."""
    found = (one for one in monitored_kind().expected(case) if one.what in whats)
    return [name for one in found for name in one.names or (one.name,)]
