"""Records as rows of the store, with the quality of sampled ones; and single stored records with their ratings."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json

from row3.domain.scores import NO_QUALITY, Quality
from row3.errors import UsageError
from row3.integrations.monitoring.readers import Aside, Chunk, read_line
from row3.integrations.monitoring.records import HOUR_MS, Opinion, Record, milliseconds, moment, read_content
from row3.integrations.monitoring.storage import open_store
from row3.integrations.monitoring.tables import BINS, OF_OPINIONS, Connection
from row3.integrations.monitoring.traces import BROKEN, why
from row3.kinds import monitored_kind
from row3.project.config import SuiteConfig
from row3.project.files import disk_faults, write_atomic
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


Choice = Literal["all", "sampled", "unrated", "rated"]
_WHERE: dict[Choice, str] = {
    "all": "true",
    "sampled": "sampled",
    "unrated": "sampled AND error IS NULL AND coalesce(o.ratings, 0) = 0",
    "rated": "o.id IS NOT NULL",
}


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record; see `tables.RECORDS` and `tables.OF_OPINIONS` for its fields."""

    id: str
    at_ms: int
    topic: str
    domain: str | None
    version: str | None
    model: str | None
    latency_ms: float | None
    cost_usd: float | None
    error: str | None
    concepts: int
    relationships: int
    confidences: int
    confidence_sum: float
    quotes: int | None
    verified: int | None
    ungrounded: int | None
    canaries: int | None
    payload: bytes | None
    ratings: int
    acceptable: float
    scores: int
    score_sum: float

    def record(self) -> Record | None:
        """Return the whole record; None if only its figures are stored."""
        return None if self.payload is None else _read_payload(self.payload)


def stored_records(connection: Connection, from_ms: int, to_ms: int, choice: Choice = "all") -> list[StoredRecord]:
    """Return the first 100,000 records of a period, oldest first.

    `unrated` are sampled records that no expert has rated, `rated` those with ratings or feedback.
    """
    columns = [field.name for field in fields(StoredRecord)]
    names = [f"coalesce(o.{name}, 0)" if name in OF_OPINIONS else f"records.{name}" for name in columns]
    opinions = ", ".join(f"{sql} AS {name}" for name, sql in OF_OPINIONS.items())
    found = connection.rows(
        f"SELECT {', '.join(names)} FROM records LEFT JOIN (SELECT id, {opinions} FROM opinions o GROUP BY id) o "
        f"ON o.id = records.id WHERE records.at_ms >= ? AND records.at_ms < ? AND {_WHERE[choice]} "
        "ORDER BY records.at_ms, records.id LIMIT 100000",
        [from_ms, to_ms],
    )
    return [StoredRecord(*each) for each in found]


def record_with_text(connection: Connection, record_id: str) -> tuple[str, str]:
    """Return topic and source text of a record; raises `UsageError` if it is unknown or its text is not stored."""
    found, where = connection.rows("SELECT payload FROM records WHERE id = ?", [record_id]), "row3 monitor"
    if not found:
        raise UsageError(f"there is no record `{record_id}`", where=where, fix="Ingest it with `row3 monitor ingest`")
    if found[0][0] is None:
        fix = 'Set `keep = "all"` in [monitor] of row3.toml and ingest it again, or use --from-text'
        raise UsageError(f"only the figures of record `{record_id}` are stored", where=where, fix=fix)
    record = _read_payload(found[0][0])
    if not record.source_text:
        raise UsageError(f"record `{record_id}` has no source text", where=where, fix="Use --from-text")
    return record.topic, record.source_text


def _read_payload(payload: bytes) -> Record:
    return read_content(zlib.decompress(payload))


def export_sample(
    project: Project, out: str, environ: Mapping[str, str], *, from_ms: int, to_ms: int, now_ms: int
) -> int:
    """Write the unrated records of the sample, one a line, with `acceptable` to fill in; return their number.

    Raises `UsageError` if the file exists, because it may hold ratings; otherwise as `open_store`.
    """
    target = Path(out)
    if target.exists():
        raise UsageError("the file exists and may hold ratings", where=f"--out {out}", fix="Name a new file")
    with open_store(project, environ).open() as connection:
        found = stored_records(connection, from_ms, to_ms, "unrated")
    lines = [
        to_json(
            {
                "id": each.id,
                "at": moment(now_ms),
                "acceptable": None,
                "record": record.model_dump(mode="json", exclude_none=True),
            }
        )
        + b"\n"
        for each in found
        if (record := each.record()) is not None
    ]
    with disk_faults(out):
        write_atomic(target, lines, where=out)
    return len(lines)
