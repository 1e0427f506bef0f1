"""Tables of the store, in SQL that DuckDB and PostgreSQL both run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

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
"""Columns of `records`. `quotes` to `ungrounded` are null for unmeasured records, `canaries` also if golden cases
of its domain forbid nothing. `hour` counts hours since 1970 UTC.
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


def _count(what: str, where: str = "") -> str:
    return f"CAST(coalesce(sum({what}){where}, 0) AS {LARGE})"


def _sum(what: str) -> str:
    return f"CAST(coalesce(sum({what}), 0) AS {NUMBER})"


def _percentile(part: float) -> str:
    return f"percentile_cont({part}) WITHIN GROUP (ORDER BY latency_ms)"


OF_RECORDS: dict[str, tuple[str, str]] = {
    "requests": (LARGE, "count(*)"),
    "first_ms": (LARGE, "min(at_ms)"),
    "last_ms": (LARGE, "max(at_ms)"),
    "errors": (LARGE, "count(error)"),
    "concepts": (LARGE, _count("concepts", " FILTER (WHERE error IS NULL)")),
    "relationships": (LARGE, _count("relationships", " FILTER (WHERE error IS NULL)")),
    "confidences": (LARGE, _count("confidences")),
    "confidence_sum": (NUMBER, _sum("confidence_sum")),
    **{name: (LARGE, _count(name)) for name in _BINS},
    "timed": (LARGE, "count(latency_ms)"),
    "latency_sum": (NUMBER, _sum("latency_ms")),
    "latency_p50": (NUMBER, _percentile(0.5)),
    "latency_p95": (NUMBER, _percentile(0.95)),
    "latency_p99": (NUMBER, _percentile(0.99)),
    "priced": (LARGE, "count(cost_usd)"),
    "cost_sum": (NUMBER, _sum("cost_usd")),
    "sampled": (LARGE, "count(*) FILTER (WHERE sampled)"),
    "measured": (LARGE, "count(ungrounded)"),
    "measured_concepts": (LARGE, _count("concepts", " FILTER (WHERE ungrounded IS NOT NULL)")),
    "quotes": (LARGE, _count("quotes")),
    "verified": (LARGE, _count("verified")),
    "ungrounded": (LARGE, _count("ungrounded")),
    "watched": (LARGE, "count(canaries)"),
    "watched_concepts": (LARGE, _count("concepts", " FILTER (WHERE canaries IS NOT NULL)")),
    "canaries": (LARGE, _count("canaries")),
}
"""Totals of records: type and SQL. Concepts and relationships leave out failed decompositions."""

OF_OPINIONS: dict[str, tuple[str, str]] = {
    "ratings": (LARGE, "count(*) FILTER (WHERE o.kind = 'rating')"),
    "acceptable": (NUMBER, "coalesce(sum(o.value) FILTER (WHERE o.kind = 'rating'), 0)"),
    "scores": (LARGE, "count(*) FILTER (WHERE o.kind = 'feedback')"),
    "score_sum": (NUMBER, "coalesce(sum(o.value) FILTER (WHERE o.kind = 'feedback'), 0)"),
}
"""Totals of ratings and feedback, counted at the time of their record."""

HOURS: Mapping[str, str] = {"hour": COUNT} | {name: type_ for name, (type_, _) in (OF_RECORDS | OF_OPINIONS).items()}
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


class Connection(Protocol):
    """One transaction."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement with `?` for each value; return its rows, if any."""
        ...

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows, with values in the order of the columns; rows with a known key are skipped."""
        ...
