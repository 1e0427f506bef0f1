"""Ingest records, ratings and feedback, each once; lines that do not fit are counted, named and kept."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from row3.domain.printable import plain, shorten
from row3.domain.words import count
from row3.integrations.monitoring.readers import CHUNK_BYTES, Aside, AsideFile, Chunk, chunks
from row3.integrations.monitoring.records import Opinion
from row3.integrations.monitoring.rows import Keeping, Parsed, domain_canaries, parse
from row3.integrations.monitoring.storage import Store, open_store
from row3.integrations.monitoring.tables import OPINIONS, RECORDS, Connection, refresh_hours
from row3.project.files import read_faults
from row3.project.project import Project
from row3.running.execute import cluster_at
from row3.running.processes import Executor, Processes, Work, count_cores

STDIN = "-"
ASIDE = "monitor/aside.jsonl"
"""File in `.row3/` for lines that could not be ingested."""
NAMED = 20
"""Maximum bad lines to name; the file has all of them."""
REFRESH_S = 3.0
"""Seconds between updates of the hourly totals during an ingest."""
FUTURE_MS = 300_000
"""How far a clock may be ahead, in milliseconds."""
GIVEN = "SELECT unnest(CAST(? AS VARCHAR[]))"
BATCH = 10_000
"""Records and opinions in one transaction."""
AHEAD = 3
"""Chunks read ahead, per process."""
AT, DIGEST, HOUR, PAYLOAD = (list(RECORDS).index(each) for each in ("at_ms", "digest", "hour", "payload"))


@dataclass(slots=True)
class Ingested:
    """Counts of what a file contained."""

    new: int = 0
    known: int = 0
    """Records that the store already had."""
    conflicts: int = 0
    """Records whose id the store has with different content."""
    bad: int = 0
    opinions: int = 0
    """New ratings and feedback."""
    known_opinions: int = 0
    unrated: int = 0
    """Lines of an exported sample without a rating."""
    unknown: int = 0
    """Ratings and feedback in the whole store without a record."""
    backwards: int = 0
    """Records older than the one before them in the file."""
    future: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    """Records by unknown field."""
    named: list[str] = field(default_factory=list)
    """The first lines set aside, each with its number and the reason."""

    @property
    def only_bad(self) -> bool:
        """Whether all lines were bad, and there was at least one."""
        return self.bad > 0 and not (
            self.new + self.known + self.conflicts + self.opinions + self.known_opinions + self.unrated
        )

    def text(self) -> str:
        """Return a line with the number of new and known entries."""
        parts = [f"{count(self.new, 'record')} new", f"{self.known:,} known"]
        if self.opinions or self.known_opinions:
            parts.append(
                f"{count(self.opinions, 'rating or score', 'ratings and scores')} new, {self.known_opinions:,} known"
            )
        return " · ".join(parts)

    def notes(self) -> list[str]:
        """Return notes on bad lines, conflicts, missing ratings and wrong clocks."""
        notes = list(self.named)
        if self.bad or self.conflicts:
            parts = [count(self.bad, "bad line")] if self.bad else []
            parts += [f"{count(self.conflicts, 'record')} with the id of a different one"] if self.conflicts else []
            notes.append(f"{', '.join(parts)}: kept in .row3/{ASIDE}")
        if self.unrated:
            notes.append(
                f"{count(self.unrated, 'line')} of a sample without a rating: set `acceptable` to true or false"
            )
        if self.unknown:
            notes.append(
                f"{count(self.unknown, 'rating or score', 'ratings and scores')} kept for records still to come"
            )
        if self.backwards:
            notes.append(f"{count(self.backwards, 'record is', 'records are')} older than the one before")
        if self.ignored:
            fields = ", ".join(f"`{shorten(plain(key), 60)}` ({n:,})" for key, n in self.ignored.most_common(NAMED))
            notes.append(f"unknown fields, ignored (in so many records): {fields}")
        if self.future:
            notes.append(f"{count(self.future, 'record is', 'records are')} from the future: check the clock")
        return notes


def ingest_file(
    project: Project, file: str, environ: Mapping[str, str], *, now_ms: int, ray: str | None = None
) -> Ingested:
    """Ingest a file, or stdin for `-`; lines are parsed in the cluster `ray`, if given.

    Raises `InvalidFile`, `EnvironmentFault`, `MissingExtra`, `RunIncomplete`.
    """
    store, settings = open_store(project, environ), project.config.monitor
    keeping = Keeping(settings.sample, domain_canaries(project), settings.keep == "all", ids_wanted(store))
    live = file == STDIN
    with contextlib.ExitStack() as stack:
        with read_faults(file):
            stream = sys.stdin.buffer if live else stack.enter_context(Path(file).open("rb"))
        small = not live and os.fstat(stream.fileno()).st_size <= CHUNK_BYTES
        cores = count_cores()
        forked = None if small or cores < 2 or not hasattr(os, "fork") else Processes(cores)
        return ingest(
            store,
            chunks(stream, live=live),
            keeping,
            name=file,
            aside=project.at(f"{project.local.name}/{ASIDE}"),
            now_ms=now_ms,
            executor=cluster_at(ray) or forked,
        )


def ids_wanted(store: Store) -> frozenset[str]:
    """Return the ids of rated records that are not stored whole."""
    with store.open() as connection:
        found = connection.rows(
            "SELECT DISTINCT o.id FROM opinions o LEFT JOIN records r ON r.id = o.id WHERE r.payload IS NULL"
        )
    return frozenset(record_id for (record_id,) in found)


def ingest(
    store: Store,
    chunks: Iterable[Chunk | None],
    keeping: Keeping,
    *,
    name: str,
    aside: Path,
    now_ms: int,
    executor: Executor | None = None,
) -> Ingested:
    """Ingest the chunks of a file; `name` is the file's in messages, `aside` the file for bad lines.

    Lines are parsed by the executor, if there is one. Raises as `Store.open`.
    """
    writer = _Writer(store, name, AsideFile(aside, name), now_ms)
    reading: deque[tuple[Chunk, Future[Parsed]]] = deque()
    ahead = 0 if executor is None else AHEAD * executor.workers
    with _parser(executor, keeping) as start:
        try:
            for chunk in chunks:
                if chunk is not None:
                    reading.append((chunk, start(chunk)))
                while reading and (chunk is None or len(reading) > ahead or reading[0][1].done()):
                    taken, future = reading.popleft()
                    writer.take(taken, future.result())
                if chunk is None:
                    writer.write()
        except KeyboardInterrupt:
            _finish(writer, reading)  # a stream cannot be read again
            raise
        return _finish(writer, reading)


def _finish(writer: _Writer, reading: Iterable[tuple[Chunk, Future[Parsed]]]) -> Ingested:
    for taken, future in reading:
        writer.take(taken, future.result())
    return writer.close()


@dataclass(frozen=True, slots=True)
class _Parsing(Work[Chunk, Parsed]):
    """Parses chunks in another process."""

    keeping: Keeping

    def __call__(self, chunk: Chunk) -> Parsed:
        return parse(chunk, self.keeping)


def _parser(executor: Executor | None, keeping: Keeping) -> AbstractContextManager[Callable[[Chunk], Future[Parsed]]]:
    """Return the function that parses a chunk: at once, or in one of several processes."""
    if executor is not None:
        return executor.open(_Parsing(keeping))

    def now(chunk: Chunk) -> Future[Parsed]:
        done: Future[Parsed] = Future()
        done.set_result(parse(chunk, keeping))
        return done

    return nullcontext(now)


class _Writer:
    """Writes parsed chunks in batches."""

    def __init__(self, store: Store, name: str, aside: AsideFile, now_ms: int) -> None:
        self._store, self._name, self._aside, self._now_ms = store, name, aside, now_ms
        self._waiting: list[tuple[Chunk, Parsed]] = []
        self._latest = 0
        self._due, self._stale = time.monotonic() + REFRESH_S, False
        self.done = Ingested()

    def take(self, chunk: Chunk, parsed: Parsed) -> None:
        """Add a chunk; a full batch is written."""
        self._waiting.append((chunk, parsed))
        if sum(len(each.rows) + len(each.opinions) for _, each in self._waiting) >= BATCH:
            self.write()

    def write(self) -> None:
        """Write the waiting chunks in one transaction, and update the hourly totals when due."""
        due = self._stale and time.monotonic() >= self._due
        if not self._waiting and not due:
            return
        waiting, self._waiting = self._waiting, []
        for _, parsed in waiting:
            self._note(parsed.bad)
            self.done.bad += len(parsed.bad)
            self.done.unrated += parsed.unrated
            self.done.ignored.update(parsed.ignored)
            for _, each in parsed.rows:
                self.done.backwards += each[AT] < self._latest
                self.done.future += each[AT] > self._now_ms + FUTURE_MS
                self._latest = each[AT]
        with self._store.open(write=True) as connection:
            self._records(connection, waiting)
            self._opinions(connection, [each for _, parsed in waiting for each in parsed.opinions])
            if due:
                begun = time.monotonic()
                refresh_hours(connection)
                now = time.monotonic()
                self._due = now + max(REFRESH_S, 10 * (now - begun))
        self._stale = not due

    def close(self) -> Ingested:
        """Write the rest and return the counts."""
        self._stale, self._due = True, 0.0  # a killed process may have left stale totals
        self.write()
        with self._store.open() as connection:
            [(self.done.unknown,)] = connection.rows(
                "SELECT count(*) FROM opinions o LEFT JOIN records r ON r.id = o.id WHERE r.id IS NULL"
            )
        return self.done

    def _records(self, connection: Connection, waiting: Sequence[tuple[Chunk, Parsed]]) -> None:
        query = f"SELECT id, digest, payload IS NULL FROM records WHERE id IN ({GIVEN})"
        ids = [values[0] for _, parsed in waiting for _, values in parsed.rows]
        stored = {each[0]: (each[1], each[2]) for each in connection.rows(query, [ids])} if ids else {}
        fresh: list[tuple[Any, ...]] = []
        conflicts: list[Aside] = []
        for chunk, parsed in waiting:
            lines: dict[int, bytes] = {}
            for number, values in parsed.rows:
                digest, lacking = stored.setdefault(values[0], ("", False))
                if not digest:
                    stored[values[0]] = values[DIGEST], False
                    fresh.append(values)
                elif digest != values[DIGEST]:
                    what = f"the store has a record `{values[0]}` with different content"
                    lines = lines or dict(chunk.lines())
                    conflicts.append(Aside(number, what, lines[number]))
                else:
                    self.done.known += 1
                    if lacking and values[PAYLOAD] is not None:
                        connection.rows("UPDATE records SET payload = ? WHERE id = ?", [values[PAYLOAD], values[0]])
        self._note(conflicts)
        self.done.conflicts += len(conflicts)
        self.done.new += len(fresh)
        if fresh:
            connection.insert("records", RECORDS, fresh)
            connection.insert("stale", {"hour": RECORDS["hour"]}, [(hour,) for hour in {each[HOUR] for each in fresh}])

    def _opinions(self, connection: Connection, opinions: Sequence[Opinion]) -> None:
        if not opinions:
            return
        new = {each.key: each for each in opinions}
        for (key,) in connection.rows(f"SELECT key FROM opinions WHERE key IN ({GIVEN})", [[*new]]):
            del new[key]
        self.done.opinions += len(new)
        self.done.known_opinions += len(opinions) - len(new)
        if new:
            connection.insert("opinions", OPINIONS, [*new.values()])
            hours = f"SELECT DISTINCT hour FROM records WHERE id IN ({GIVEN})"
            connection.rows(f"INSERT INTO stale {hours} ON CONFLICT DO NOTHING", [[each.id for each in new.values()]])

    def _note(self, asides: Sequence[Aside]) -> None:
        for each in asides[: NAMED - len(self.done.named)]:
            self.done.named.append(f"{self._name}:{each.line}: {each.why}")
        self._aside.add(asides)
