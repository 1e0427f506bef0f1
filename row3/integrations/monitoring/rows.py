"""A record as a row of the store: what figures need as columns, and the whole of it where somebody will read it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from row3.integrations.monitoring.quality import Quality, in_sample, measure
from row3.integrations.monitoring.records import HOUR_MS, Record, content, milliseconds, read_content
from row3.integrations.monitoring.tables import BINS


class Keeping(NamedTuple):
    """Which records are measured, and which are kept whole."""

    rate: float
    """Part of the records that is sampled."""
    canaries: Mapping[str, Sequence[str]]
    """What golden cases forbid, by domain."""
    whole: bool = False
    """Keep every record whole, not only those of the sample, with an error or in `wanted`."""
    wanted: frozenset[str] = frozenset()
    """Ids of records that somebody has rated."""


def row(record: Record, keeping: Keeping) -> tuple[Any, ...]:
    """Return a record's values in the order of `RECORDS`."""
    raw, at_ms, sampled = content(record), milliseconds(record.at), in_sample(record.id, keeping.rate)
    confidences = [one.confidence for one in record.concepts if one.confidence is not None]
    bins = [0] * BINS
    for confidence in confidences:
        bins[min(int(confidence * BINS), BINS - 1)] += 1
    quality = measure(record, keeping.canaries) if sampled else (None,) * len(Quality._fields)
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


def read_payload(payload: bytes) -> Record:
    """Return the record of a `payload`."""
    return read_content(zlib.decompress(payload))


def _text(value: str | None) -> str | None:
    """Return a text without the one character that PostgreSQL has no place for."""
    return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value
