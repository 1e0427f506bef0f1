"""Totals of records: stored by the hour; by period, minute, topic or version computed on demand."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from row3.integrations.monitoring.records import MINUTE_MS
from row3.integrations.monitoring.tables import BINS, HOURS, OF_OPINIONS, OF_RECORDS, Connection

Group = Literal["topic", "domain", "version", "model"]
_ALL = "records.at_ms >= ? AND records.at_ms < ?"


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums and counts over records; see `OF_RECORDS` and `OF_OPINIONS` for how each is counted."""

    requests: int = 0
    first_ms: int | None = None
    """Time of the first record; None without records."""
    last_ms: int | None = None
    errors: int = 0
    concepts: int = 0
    relationships: int = 0
    confidences: int = 0
    """Concepts with a confidence."""
    confidence_sum: float = 0.0
    distribution: tuple[int, ...] = (0,) * BINS
    """Concepts by tenths of confidence."""
    timed: int = 0
    """Records with a latency."""
    latency_sum: float = 0.0
    """Milliseconds."""
    latency_p50: float | None = None
    latency_p95: float | None = None
    latency_p99: float | None = None
    priced: int = 0
    """Records with a cost."""
    cost_sum: float = 0.0
    """US dollars."""
    sampled: int = 0
    measured: int = 0
    """Sampled records with a source text, whose quality is known."""
    measured_concepts: int = 0
    quotes: int = 0
    verified: int = 0
    ungrounded: int = 0
    watched: int = 0
    """Sampled records whose domain has canaries."""
    watched_concepts: int = 0
    """Concepts of watched records."""
    canaries: int = 0
    ratings: int = 0
    acceptable: float = 0.0
    scores: int = 0
    """Users' scores."""
    score_sum: float = 0.0

    @property
    def answered(self) -> int:
        """Records without an error."""
        return self.requests - self.errors

    @property
    def per_minute(self) -> float | None:
        """Records per minute between the first and the last; None for less than a minute."""
        if self.first_ms is None or self.last_ms is None or self.last_ms - self.first_ms < MINUTE_MS:
            return None
        return self.requests * MINUTE_MS / (self.last_ms - self.first_ms)

    def __add__(self, other: Totals) -> Totals:
        """Return the sum; percentiles cannot be added and are None."""
        joined = {name: getattr(self, name) + getattr(other, name) for name in _ADDED}
        times = [at for each in (self, other) for at in (each.first_ms, each.last_ms) if at is not None]
        return Totals(
            **joined,
            first_ms=min(times, default=None),
            last_ms=max(times, default=None),
            distribution=tuple(a + b for a, b in zip(self.distribution, other.distribution, strict=True)),
        )


_APART = ("first_ms", "last_ms", "distribution", "latency_p50", "latency_p95", "latency_p99")
_ADDED = [field.name for field in fields(Totals) if field.name not in _APART]


def refresh_hours(connection: Connection) -> None:
    """Compute the totals of the hours marked as stale."""
    if connection.rows("SELECT hour FROM stale LIMIT 1"):
        stale = "hour IN (SELECT hour FROM stale)"
        connection.rows(f"DELETE FROM hours WHERE {stale}")
        connection.rows(f"INSERT INTO hours ({', '.join(HOURS)}) {_select('hour', f'records.{stale}')}")
        connection.rows("DELETE FROM stale")


def hourly(connection: Connection, from_ms: int, to_ms: int) -> dict[int, Totals]:
    """Return the totals of the hours with records that start in a period, by start in ms, oldest first."""
    hour_ms = 60 * MINUTE_MS
    bounds = [-(-from_ms // hour_ms), -(-to_ms // hour_ms)]
    found = connection.rows(f"SELECT {', '.join(HOURS)} FROM hours WHERE hour >= ? AND hour < ? ORDER BY hour", bounds)
    return {key * hour_ms: totals for key, totals in map(_read, found)}


def all_time(connection: Connection) -> Totals:
    """Return the sum over all hours, without percentiles."""
    how = {"first_ms": "min(first_ms)", "last_ms": "max(last_ms)"} | dict.fromkeys(_APART[3:], "NULL")
    sums = [
        how.get(name) or f"CAST(coalesce(sum({name}), 0) AS {type_})" for name, type_ in HOURS.items() if name != "hour"
    ]
    return _read(connection.rows(f"SELECT 0, {', '.join(sums)} FROM hours")[0])[1]


def total(connection: Connection, from_ms: int, to_ms: int) -> Totals:
    """Return the totals of a period, with percentiles."""
    found = connection.rows(_select("0", _ALL), [from_ms, to_ms] * 2)
    return _read(found[0])[1] if found else Totals()


def by_minute(connection: Connection, from_ms: int, to_ms: int) -> dict[int, Totals]:
    """Return the totals of the minutes with records, by start in ms, oldest first."""
    minute = f"CAST(floor(records.at_ms / {MINUTE_MS}.0) AS BIGINT)"
    found = connection.rows(f"{_select(minute, _ALL)} ORDER BY 1", [from_ms, to_ms] * 2)
    return {key * MINUTE_MS: totals for key, totals in map(_read, found)}


def by_group(connection: Connection, group: Group, from_ms: int, to_ms: int) -> dict[str, Totals]:
    """Return the totals of each topic, domain, version or model ("" for records without one), most requests first."""
    query = _select(f"coalesce(records.{group}, '')", _ALL)
    found = connection.rows(f"{query} ORDER BY 2 DESC, 1", [from_ms, to_ms] * 2)
    return dict(map(_read, found))


def _select(key: str, where: str) -> str:
    """Return the query for totals by `key` over the records that meet `where`; the values must be passed twice."""
    records = ", ".join(f"{sql} AS {name}" for name, (_, sql) in OF_RECORDS.items())
    opinions = ", ".join(f"{sql} AS {name}" for name, (_, sql) in OF_OPINIONS.items())
    names = ", ".join([f"r.{name}" for name in OF_RECORDS] + [f"coalesce(o.{name}, 0)" for name in OF_OPINIONS])
    return (
        f"SELECT r.part, {names} FROM (SELECT {key} AS part, {records} FROM records WHERE {where} GROUP BY 1) r "
        f"LEFT JOIN (SELECT {key} AS part, {opinions} FROM opinions o JOIN records ON records.id = o.id WHERE {where} "
        "GROUP BY 1) o ON o.part = r.part"
    )


def _read(found: tuple[Any, ...]) -> tuple[Any, Totals]:
    """Return the key and the totals of a row with the columns of `hours`."""
    values = dict(zip(HOURS, found, strict=True))
    key, bins = values.pop("hour"), tuple(values.pop(f"confidence_{place}") for place in range(BINS))
    return key, Totals(**values, distribution=bins)
