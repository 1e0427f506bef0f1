"""Records as rows of the store: columns for the figures, and the whole record if it may be read later."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from row3.integrations.monitoring.quality import Quality, in_sample, measure
from row3.integrations.monitoring.records import HOUR_MS, Record, milliseconds
from row3.integrations.monitoring.tables import BINS


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


def row(record: Record, keeping: Keeping) -> tuple[Any, ...]:
    """Return a record's values in the order of `RECORDS`."""
    raw, at_ms, sampled = record.model_dump_json().encode(), milliseconds(record.at), in_sample(record.id, keeping.rate)
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


def _text(value: str | None) -> str | None:
    """Return a text without NUL, which PostgreSQL cannot store."""
    return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value
