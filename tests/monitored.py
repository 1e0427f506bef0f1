"""Production records for tests, and their ingest."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from row3.integrations.monitoring.ingest import Ingested, ingest
from row3.integrations.monitoring.readers import chunks
from row3.integrations.monitoring.rows import Keeping
from row3.integrations.monitoring.storage import Store

NOW_MS = 1_795_000_000_000
EVER = (-(2**60), 2**60)
TEXT = "Tall trees feed fungi. Fungi bring water to the trees."


def record(id_: str, **changed: Any) -> dict[str, Any]:
    """A record as production sends it: two concepts, one of which is neither quoted nor in the text."""
    return {
        "id": id_,
        "at": "2026-11-01T10:00:00Z",
        "topic": "forests",
        "domain": "ecological",
        "version": "v1.0",
        "model": "m",
        "latencyMs": 1000,
        "costUsd": 0.01,
        "error": None,
        "sourceText": TEXT,
        "concepts": [
            {"label": "fungi", "confidence": 0.9, "sourceQuote": "Tall trees feed fungi."},
            {"label": "wolves", "confidence": 0.5},
        ],
        "relationships": [{"source": "trees", "predicate": "SUPPORTS", "target": "fungi"}],
    } | changed


def jsonl(*lines: Any) -> bytes:
    """JSON Lines; a text is a line as it is."""
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()


def take(store: Store, raw: bytes, folder: Path, keeping: Keeping | None = None, **more: Any) -> Ingested:
    """What ingest makes of a file."""
    keeping = keeping or Keeping(1.0, {"ecological": ("wolves", "acid rain")})
    lines = chunks(io.BytesIO(raw))
    return ingest(store, lines, keeping, name="file.jsonl", aside=folder / "aside.jsonl", now_ms=NOW_MS, **more)
