"""Some days of production for tests of reviews: what is good, what is bad and when is chosen by the test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from row3.integrations.monitoring.rows import Keeping
from row3.integrations.monitoring.storage import Store
from tests.monitored import jsonl, record, take

END = datetime(2026, 11, 24, tzinfo=UTC)
END_MS = int(END.timestamp() * 1000)
GOOD = {"label": "fungi", "confidence": 0.9, "sourceQuote": "Tall trees feed fungi."}
BAD = {"label": "hyphal radio", "confidence": 0.5}


def at(days_ago: float) -> str:
    """A time so many days before the end."""
    return (END - timedelta(days=days_ago)).isoformat()


def made(id_: str, days_ago: float, good: int = 1, bad: int = 0, **changed: Any) -> dict[str, Any]:
    """A record with concepts that are quoted and in the text, and others that are neither."""
    return record(id_, at=at(days_ago), concepts=[GOOD] * good + [BAD] * bad, **changed)


def failed(id_: str, days_ago: float, error: str = "timeout") -> dict[str, Any]:
    """A record of a request that failed."""
    return record(id_, at=at(days_ago), error=error, concepts=[], relationships=[])


def score(id_: str, points: int, **more: Any) -> dict[str, Any]:
    """A user's score of a record."""
    return {"id": id_, "at": at(0), "score": points, **more}


def keep(store: Store, folder: Path, *lines: Any) -> None:
    """Take in lines, all of them in the sample, without canaries."""
    take(store, jsonl(*lines), folder, Keeping(1.0, {}))
