"""What a memory keeps, and where: one class a back end, all with the same six methods."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from typing import Any, Protocol

from row3.providers.minilm import MiniLM, model_folder

Events = list[dict[str, Any]]
STOP = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be by did do for from had has have how in is it its of on or that the to was were what
        when where which who why will with""",
    )
)


class Store(Protocol):
    """A place for texts and what was found in them."""

    def add(self, name: str, text: str) -> None:
        """Keep a text, in the place of an earlier one of that name."""

    def keep(self, name: str, events: Events) -> None:
        """Keep the events of a text."""

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        """Names of texts and how well they fit, best first; higher is better."""

    def text(self, name: str) -> str:
        """A text; empty where there is none of that name."""

    def events(self, name: str) -> Events:
        """The events of a text; none where nothing is known of it."""

    def names(self) -> list[str]:
        """All texts."""


def words_of(query: str) -> list[str]:
    """The words of a query that are worth looking for."""
    return [word for word in dict.fromkeys(re.findall(r"\w+", query.lower())) if word not in STOP]


class SqliteStore:
    """SQLite with FTS5: ranked by BM25, words by their stem."""

    def __init__(self, path: str = ":memory:") -> None:
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(name UNINDEXED, body, "
                         "tokenize = 'porter unicode61')")  # fmt: skip
        self._db.execute("CREATE TABLE IF NOT EXISTS events (name TEXT PRIMARY KEY, found TEXT NOT NULL)")

    def add(self, name: str, text: str) -> None:
        self._db.execute("DELETE FROM texts WHERE name = ?", (name,))
        self._db.execute("INSERT INTO texts (name, body) VALUES (?, ?)", (name, text))

    def keep(self, name: str, events: Events) -> None:
        self._db.execute("INSERT OR REPLACE INTO events VALUES (?, ?)", (name, json.dumps(events)))

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        match = " OR ".join(f'"{word}"' for word in words_of(query))
        if not match:
            return []
        # FTS5 gives BM25 negated, so that the best comes first in ascending order.
        sql = "SELECT name, -bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), name LIMIT ?"
        return [(name, score) for name, score in self._db.execute(sql, (match, limit))]

    def text(self, name: str) -> str:
        row = self._db.execute("SELECT body FROM texts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def events(self, name: str) -> Events:
        row = self._db.execute("SELECT found FROM events WHERE name = ?", (name,)).fetchone()
        return list(json.loads(row[0])) if row else []

    def names(self) -> list[str]:
        return [name for (name,) in self._db.execute("SELECT name FROM texts ORDER BY name")]


class PostgresStore:
    """PostgreSQL's full-text search, ranked by `ts_rank`; `path` is a connection string."""

    def __init__(self, path: str = "") -> None:
        import psycopg

        self._db: Any = psycopg.connect(path, autocommit=True)
        self._db.execute("CREATE TABLE IF NOT EXISTS texts (name TEXT PRIMARY KEY, body TEXT NOT NULL, words tsvector "
                         "GENERATED ALWAYS AS (to_tsvector('english', body)) STORED)")  # fmt: skip
        self._db.execute("CREATE INDEX IF NOT EXISTS texts_words ON texts USING gin (words)")
        self._db.execute("CREATE TABLE IF NOT EXISTS events (name TEXT PRIMARY KEY, found JSONB NOT NULL)")

    def add(self, name: str, text: str) -> None:
        sql = "INSERT INTO texts (name, body) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET body = EXCLUDED.body"
        self._db.execute(sql, (name, text))

    def keep(self, name: str, events: Events) -> None:
        sql = "INSERT INTO events VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET found = EXCLUDED.found"
        self._db.execute(sql, (name, json.dumps(events)))

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        wanted = " | ".join(words_of(query))
        if not wanted:
            return []
        sql = ("SELECT name, ts_rank(words, q) FROM texts, to_tsquery('english', %s) q WHERE words @@ q "
               "ORDER BY 2 DESC, name LIMIT %s")  # fmt: skip
        return [(name, float(score)) for name, score in self._db.execute(sql, (wanted, limit))]

    def text(self, name: str) -> str:
        row = self._db.execute("SELECT body FROM texts WHERE name = %s", (name,)).fetchone()
        return str(row[0]) if row else ""

    def events(self, name: str) -> Events:
        row = self._db.execute("SELECT found FROM events WHERE name = %s", (name,)).fetchone()
        return list(row[0]) if row else []

    def names(self) -> list[str]:
        return [name for (name,) in self._db.execute("SELECT name FROM texts ORDER BY name")]


class ChromaStore:
    """Chroma: ranked by what texts mean, as a small model that is installed with row3 sees it; `path` is a folder."""

    def __init__(self, path: str = "") -> None:
        import chromadb
        from chromadb.config import Settings

        quiet = Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path, quiet) if path else chromadb.EphemeralClient(quiet)
        model = MiniLM(model_folder())
        self._embed: Callable[[str], list[float]] = lambda text: [float(number) for number in model.vector(text)]
        # Vectors are made here, so Chroma needs no model and downloads none.
        cosine = {"hnsw": {"space": "cosine"}}
        self._texts = client.get_or_create_collection("texts", embedding_function=None, configuration=cosine)

    def add(self, name: str, text: str) -> None:
        self._texts.upsert(ids=[name], documents=[text], embeddings=[self._embed(text)], metadatas=[{"found": "[]"}])

    def keep(self, name: str, events: Events) -> None:
        self._texts.update(ids=[name], metadatas=[{"found": json.dumps(events)}])

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        found: Any = self._texts.query(query_embeddings=[self._embed(query)], n_results=limit, include=["distances"])
        return [(name, 1 - far) for name, far in zip(found["ids"][0], found["distances"][0], strict=True)]

    def text(self, name: str) -> str:
        found: Any = self._texts.get(ids=[name], include=["documents"])["documents"]
        return str(found[0]) if found else ""

    def events(self, name: str) -> Events:
        found: Any = self._texts.get(ids=[name], include=["metadatas"])["metadatas"]
        return list(json.loads(found[0]["found"])) if found else []

    def names(self) -> list[str]:
        return sorted(self._texts.get(include=[])["ids"])


STORES: dict[str, Any] = {"sqlite": SqliteStore, "postgres": PostgresStore, "chroma": ChromaStore}
