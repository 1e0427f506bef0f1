"""Single stored records, with their ratings and feedback."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from pydantic_core import to_json

from row3.errors import UsageError
from row3.integrations.monitoring.records import Record, moment, read_content
from row3.integrations.monitoring.storage import open_store
from row3.integrations.monitoring.tables import OF_OPINIONS, Connection
from row3.project.files import disk_faults, write_atomic
from row3.project.project import Project

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
