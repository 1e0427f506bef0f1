"""Tables of the store, in SQL that DuckDB and PostgreSQL both run, and totals of records.

Totals are stored by the hour; by period, minute, topic or version they are computed on demand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from row3.integrations.monitoring.records import HOUR_MS, MINUTE_MS

SCHEMA_VERSION = 1
BINS = 10
"""Of confidence, each a tenth wide; the last includes 1.0."""
TEXT, COUNT, LARGE, NUMBER, BYTES = "VARCHAR", "INTEGER", "BIGINT", "DOUBLE PRECISION", "BYTEA"
_BINS = [f"confidence_{place}" for place in range(BINS)]

RECORDS: Mapping[str, str] = {
    "id": TEXT,
    "digest": TEXT,
    "at_ms": LARGE,
    "hour": COUNT,
    "topic": TEXT,
    "domain": TEXT,
    "version": TEXT,
    "model": TEXT,
    "latency_ms": NUMBER,
    "cost_usd": NUMBER,
    "error": TEXT,
    "concepts": COUNT,
    "relationships": COUNT,
    "confidences": COUNT,
    "confidence_sum": NUMBER,
    **dict.fromkeys(_BINS, COUNT),
    "sampled": "BOOLEAN",
    "quotes": COUNT,
    "verified": COUNT,
    "ungrounded": COUNT,
    "canaries": COUNT,
    "payload": BYTES,
}
"""Columns of `records`. `quotes` to `ungrounded` are null for unmeasured records; `canaries` for records without
concepts and if golden cases of its domain forbid nothing. `hour` counts hours since 1970 UTC.
"""

OPINIONS: Mapping[str, str] = {
    "key": TEXT,
    "kind": TEXT,
    "id": TEXT,
    "at_ms": LARGE,
    "concept": TEXT,
    "value": NUMBER,
}
"""Columns of `opinions`: ratings (value 0 or 1) and feedback (1 to 5), also for records still to come."""


def _counted(sql: str, default: int | None = 0) -> Any:
    """Return a field whose value is the result of an aggregate over records."""
    return field(default=default, metadata={"records": sql})


def _summed(column: str, where: str = "", type_: str = LARGE) -> Any:
    return _counted(f"CAST(coalesce(sum({column}){where and f' FILTER (WHERE {where})'}, 0) AS {type_})")


def _percentile(part: float) -> Any:
    return _counted(f"percentile_cont({part}) WITHIN GROUP (ORDER BY latency_ms)", None)


def _of_opinions(what: str, kind: str) -> Any:
    """Return a field over ratings or feedback, which count at the time of their record."""
    return field(default=0, metadata={"opinions": f"coalesce({what} FILTER (WHERE o.kind = '{kind}'), 0)"})


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums and counts over records. Concepts and relationships leave out failed decompositions."""

    requests: int = _counted("count(*)")
    first_ms: int | None = _counted("min(at_ms)", None)
    """Time of the first record; None without records."""
    last_ms: int | None = _counted("max(at_ms)", None)
    errors: int = _counted("count(error)")
    concepts: int = _summed("concepts", "error IS NULL")
    relationships: int = _summed("relationships", "error IS NULL")
    confidences: int = _summed("confidences")
    """Concepts with a confidence."""
    confidence_sum: float = _summed("confidence_sum", type_=NUMBER)
    distribution: tuple[int, ...] = (0,) * BINS
    """Concepts by tenths of confidence."""
    timed: int = _counted("count(latency_ms)")
    """Records with a latency."""
    latency_sum: float = _summed("latency_ms", type_=NUMBER)
    """Milliseconds."""
    latency_p50: float | None = _percentile(0.5)
    latency_p95: float | None = _percentile(0.95)
    latency_p99: float | None = _percentile(0.99)
    priced: int = _counted("count(cost_usd)")
    """Records with a cost."""
    cost_sum: float = _summed("cost_usd", type_=NUMBER)
    """US dollars."""
    sampled: int = _counted("count(*) FILTER (WHERE sampled)")
    measured: int = _counted("count(ungrounded)")
    """Sampled records with a source text, whose quality is known."""
    measured_concepts: int = _summed("concepts", "ungrounded IS NOT NULL")
    quotes: int = _summed("quotes")
    verified: int = _summed("verified")
    ungrounded: int = _summed("ungrounded")
    watched: int = _counted("count(canaries)")
    """Records with concepts whose domain has canaries."""
    watched_concepts: int = _summed("concepts", "canaries IS NOT NULL")
    """Concepts of watched records."""
    canaries: int = _summed("canaries")
    ratings: int = _of_opinions("count(*)", "rating")
    acceptable: float = _of_opinions("sum(o.value)", "rating")
    scores: int = _of_opinions("count(*)", "feedback")
    """Users' scores."""
    score_sum: float = _of_opinions("sum(o.value)", "feedback")

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


_FIELDS = fields(Totals)
_APART = ("first_ms", "last_ms", "distribution", "latency_p50", "latency_p95", "latency_p99")
_ADDED = [each.name for each in _FIELDS if each.name not in _APART]
_OF_RECORDS = {each.name: each.metadata["records"] for each in _FIELDS if "records" in each.metadata}
_OF_RECORDS |= {name: f"CAST(coalesce(sum({name}), 0) AS {LARGE})" for name in _BINS}
OF_OPINIONS = {each.name: each.metadata["opinions"] for each in _FIELDS if "opinions" in each.metadata}
"""SQL of each total of ratings and feedback."""
_NUMBERS = {each.name for each in _FIELDS if "float" in str(each.type)}
HOURS: Mapping[str, str] = {"hour": COUNT} | {
    name: NUMBER if name in _NUMBERS else LARGE for name in _OF_RECORDS | OF_OPINIONS
}
"""Columns of `hours`: the totals of each hour that has records."""


def _table(name: str, columns: Mapping[str, str]) -> str:
    """Return the statement that creates a table; the first column is its key."""
    parts = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
    return f"CREATE TABLE IF NOT EXISTS {name} ({parts}, PRIMARY KEY ({next(iter(columns))}))"


SCHEMA = (
    _table("about", {"version": COUNT}),
    _table("records", RECORDS),
    _table("opinions", OPINIONS),
    _table("hours", HOURS),
    _table("stale", {"hour": COUNT}),
)
"""Statements that create the tables. `stale` has the hours whose totals are out of date."""


class Connection(ABC):
    """One transaction."""

    mark = "?"
    """What the database writes for a value."""

    def __init__(self, database: Any) -> None:
        """Take an open connection of DuckDB or PostgreSQL."""
        self._database = database

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement with `?` for each value; return its rows, if any."""
        done = self._database.execute(sql.replace("?", self.mark), list(values) or None)
        return [] if done.description is None else list(done.fetchall())

    @abstractmethod
    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows, with values in the order of the columns; rows with a known key are skipped."""


Group = Literal["topic", "domain", "version", "model"]
_ALL = "records.at_ms >= ? AND records.at_ms < ?"


def refresh_hours(connection: Connection) -> None:
    """Compute the totals of the hours marked as stale."""
    if connection.rows("SELECT hour FROM stale LIMIT 1"):
        stale = "hour IN (SELECT hour FROM stale)"
        connection.rows(f"DELETE FROM hours WHERE {stale}")
        connection.rows(f"INSERT INTO hours ({', '.join(HOURS)}) {_select('hour', f'records.{stale}')}")
        connection.rows("DELETE FROM stale")


def hourly(connection: Connection, from_ms: int, to_ms: int) -> dict[int, Totals]:
    """Return the totals of the hours with records that start in a period, by start in ms, oldest first."""
    bounds = [-(-from_ms // HOUR_MS), -(-to_ms // HOUR_MS)]
    found = connection.rows(f"SELECT {', '.join(HOURS)} FROM hours WHERE hour >= ? AND hour < ? ORDER BY hour", bounds)
    return {key * HOUR_MS: totals for key, totals in map(_read, found)}


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
    return dict(map(_read, connection.rows(f"{query} ORDER BY 2 DESC, 1", [from_ms, to_ms] * 2)))


def _select(key: str, where: str) -> str:
    """Return the query for totals by `key` over the records that meet `where`; the values must be passed twice."""
    records = ", ".join(f"{sql} AS {name}" for name, sql in _OF_RECORDS.items())
    opinions = ", ".join(f"{sql} AS {name}" for name, sql in OF_OPINIONS.items())
    names = ", ".join([f"r.{name}" for name in _OF_RECORDS] + [f"coalesce(o.{name}, 0)" for name in OF_OPINIONS])
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
