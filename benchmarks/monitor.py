"""How fast production's records are taken in while a hundred pages show them, and how fast the dashboard's queries are.

    python -m benchmarks.monitor --records 1000000

Records have 20 concepts with quotes and confidences, 40 relationships and a source text of 2,000 characters, 9 KB,
over a month; a tenth of them go into a file that `row3 monitor ingest` reads, while `row3 monitor serve` has a hundred
pages. The rest is taken in in this process before. Then each query is timed alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
from pydantic_core import to_json

from row3.integrations.monitoring.ingest import ingest
from row3.integrations.monitoring.readers import Chunk
from row3.integrations.monitoring.records import DAY_MS, moment
from row3.integrations.monitoring.rows import Keeping
from row3.integrations.monitoring.serving.panels import page, read_recent
from row3.integrations.monitoring.storage import DuckDb, Store
from row3.integrations.monitoring.tables import Connection
from row3.project.integration_config import AlertsConfig
from row3.running.processes import Processes

START_MS = 1_793_491_200_000  # 2026-11-01
MONTH_MS = 30 * DAY_MS
TOPICS, CONCEPTS, RELATIONSHIPS = 200, 20, 40
DOMAINS = ("ecological", "technical", "social", "economic", "interdisciplinary")
CANARIES = {domain: tuple(f"{domain} canary {n}" for n in range(25)) for domain in DOMAINS}
SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ne",
    "ru",
    "sa",
    "ti",
    "vo",
    "wen",
    "dor",
    "lin",
    "mar",
    "tes",
    "pol",
    "gra",
    "shi",
    "fen",
    "bor",
    "cal",
    "hum",
]


def topics(seed: int) -> list[tuple[str, list[str], str]]:
    """Return for each topic the JSON before the concepts, its concepts without confidence, and the JSON after them."""
    draw = random.Random(seed)

    def word() -> str:
        return "".join(draw.choices(SYLLABLES, k=draw.randint(2, 4)))

    made = []
    for number in range(TOPICS):
        names = [f"{word()} {word()}" for _ in range(CONCEPTS)]
        sentences = [f"{' '.join(word() for _ in range(7))} {name} {word()} {word()}." for name in names]
        begin = {"topic": f"topic {number}", "domain": draw.choice(DOMAINS), "sourceText": " ".join(sentences)}
        concepts = [json.dumps({"label": n, "sourceQuote": s})[:-1] for n, s in zip(names, sentences, strict=True)]
        links = [
            {"source": draw.choice(names), "predicate": "RELATES_TO", "target": draw.choice(names)}
            for _ in range(RELATIONSHIPS)
        ]
        after = json.dumps({"relationships": links})[1:]
        made.append((json.dumps(begin)[1:-1], concepts, after))
    return made


def lines(number: int, first: int = 0, *, seed: int = 0) -> Iterator[str]:
    """Yield records as production sends them, evenly over a month."""
    draw, known = random.Random(seed + first), topics(seed)
    for place in range(first, first + number):
        begin, concepts, after = known[int(draw.random() * TOPICS)]
        sure = ", ".join([f'{one}, "confidence": {0.6 + 0.4 * draw.random():.3f}}}' for one in concepts])
        at = moment(START_MS + place * MONTH_MS // ALL)
        yield (
            f'{{"id": "record-{place}", "at": "{at}", {begin}, "version": "v1.{place % 2}", "model": "m", '
            f'"latencyMs": {draw.gammavariate(4, 400):.1f}, "costUsd": {0.01 + 0.02 * draw.random():.5f}, '
            f'"error": {"null" if draw.random() > 0.002 else json.dumps("time-out")}, "concepts": [{sure}], {after}'
        )


ALL = 1_000_000
PAGES = 100


def chunks(number: int, first: int) -> Iterator[Chunk]:
    """Yield the records of `lines` in chunks, made by another process."""
    command = [sys.executable, "-m", "benchmarks.monitor", "--write", str(number), "--first", str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as made:
        assert made.stdout is not None
        at, left = 1, b""
        while piece := made.stdout.read(1 << 23):
            whole = left + piece
            end = whole.rfind(b"\n")
            yield Chunk(at, whole[:end])
            at, left = at + whole.count(b"\n", 0, end + 1), whole[end + 1 :]


QUERIES = ("newest record", "all hours", "last 5 minutes", "last hour by the minute", "hours of a month")
"""What the dashboard asks in one refresh, in its order, before the windows of the alerts."""


class Timed:
    """A connection that measures each query."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self.times = connection, list[float]()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        begun = time.perf_counter()
        found = self._connection.rows(sql, values)
        self.times.append(time.perf_counter() - begun)
        return found

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        raise NotImplementedError


def ask(store: Store, now_ms: int) -> dict[str, float]:
    """Return milliseconds of each query of a refresh, and of all of it with opening, closing and JSON."""
    begun = time.perf_counter()
    with store.open() as connection:
        timed = Timed(connection)
        seen = read_recent(timed, now_ms, AlertsConfig())
    to_json(page(seen))
    whole = time.perf_counter() - begun
    figures, alerts = timed.times[: len(QUERIES)], sum(timed.times[len(QUERIES) :])
    names = (*QUERIES, "windows of the alerts", "refresh")
    return {name: 1000 * taken for name, taken in zip(names, (*figures, alerts, whole), strict=True)}


def connect(address: str, stop: Path) -> None:
    """Keep pages connected until a file appears; print how often each was sent new figures."""
    counts = [0] * PAGES

    async def one(client: httpx2.AsyncClient, place: int) -> None:
        async with client.stream("GET", f"{address}events") as answer:
            async for line in answer.aiter_lines():
                counts[place] += line.startswith("data: ")

    async def all_of_them() -> None:
        async with httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), timeout=None) as client:
            tasks = [asyncio.create_task(one(client, place)) for place in range(PAGES)]
            while not all(counts):
                await asyncio.sleep(0.01)
            print("ready", flush=True)
            while not stop.exists():
                await asyncio.sleep(0.1)
            assert not any(task.done() for task in tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(all_of_them())
    print(min(counts), max(counts))


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Serve the dashboard to many pages."""
    row3 = [sys.executable, "-m", "row3", "-C", str(folder), "monitor", "serve", "--port", "0"]
    stop = folder / "stop"
    with subprocess.Popen(row3, stderr=subprocess.PIPE, text=True) as served:
        assert served.stderr is not None
        address = re.search(r"http\S+", served.stderr.readline())
        assert address
        pages = [sys.executable, "-m", "benchmarks.monitor", "--connect", address[0], "--stop", str(stop)]
        with subprocess.Popen(pages, stdout=subprocess.PIPE, text=True) as connected:
            assert connected.stdout is not None
            connected.stdout.readline()
            yield
            stop.touch()
            least, most = connected.stdout.read().split()
        used = psutil.Process(served.pid)
        times, memory = used.cpu_times(), used.memory_info().rss
        served.send_signal(signal.SIGINT)
        assert served.wait() == 0
    print(
        f"{PAGES} pages: new figures {least} to {most} times; the server took {times.user + times.system:.1f} s of a "
        f"processor, {memory / 1e6:.0f} MB"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=ALL)
    parser.add_argument("--write", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--connect", help=argparse.SUPPRESS)
    parser.add_argument("--stop", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        sys.stdout.writelines(f"{line}\n" for line in lines(given.write, given.first))
        return
    if given.connect:
        connect(given.connect, given.stop)
        return
    with tempfile.TemporaryDirectory(prefix="row3-monitor-") as folder:
        measure(Path(folder), given.records)


def measure(folder: Path, number: int) -> None:
    """Take in most records, then the file while the dashboard is open; time the queries."""
    (folder / "row3.toml").write_text("schema_version = 1\n")
    (folder / ".row3").mkdir()
    part = number // 10
    file, database = folder / "records.jsonl", folder / ".row3" / "monitor.duckdb"
    with file.open("w") as out:
        out.writelines(f"{line}\n" for line in lines(part, number - part))
    print(f"{part:,} records, {file.stat().st_size / part / 1000:.1f} KB each")
    rest = number - part
    begun = time.monotonic()
    if rest:
        keeping = Keeping(0.05, CANARIES)
        store, aside, late = DuckDb(database), folder / "aside", START_MS * 2
        done = ingest(store, chunks(rest, 0), keeping, name="-", aside=aside, now_ms=late, executor=Processes(2))
        print(f"{done.new:,} records made and taken in: {done.new / (time.monotonic() - begun):,.0f} a second")
    with watched(folder):
        begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "row3", "-C", str(folder), "monitor", "ingest", str(file)], check=True)
        took = time.monotonic() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"ingest beside the dashboard: {part / took:,.0f} records a second ({took:.1f} s, {cpu:.1f} s of processors)")
    times = [ask(DuckDb(database), START_MS + MONTH_MS) for _ in range(7)]
    print("median alone, ms:", {name: round(statistics.median([each[name] for each in times]), 1) for name in times[0]})
    print(f"store: {database.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
