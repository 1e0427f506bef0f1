"""How fast production's records are taken in while a dashboard asks, and how fast it is answered over all of them.

    python -m benchmarks.monitor --records 1000000

Records have 20 concepts with quotes and confidences, 40 relationships and a source text of 2,000 characters, 9 KB,
KB, over a month; a tenth of them go into a file that `row3 monitor ingest` reads, while another process asks the
dashboard's queries once a second. The rest is taken in in this process. Then each query is timed alone.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from row3.integrations.monitoring.ingest import ingest
from row3.integrations.monitoring.readers import Chunk
from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.rows import Keeping
from row3.integrations.monitoring.samples import stored_records
from row3.integrations.monitoring.storage import DuckDb, Store
from row3.integrations.monitoring.tables import Connection
from row3.integrations.monitoring.totals import by_minute, hourly, total

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


def queries(end_ms: int) -> dict[str, Callable[[Connection], object]]:
    """Return what a dashboard asks: the last hour by the minute, hours of a day and a week, days of a month."""
    return {
        "last hour by the minute": lambda c: by_minute(c, end_ms - HOUR_MS, end_ms),
        "last 5 minutes": lambda c: total(c, end_ms - 5 * MINUTE_MS, end_ms),
        "hours of a day": lambda c: hourly(c, end_ms - DAY_MS, end_ms),
        "hours of a month": lambda c: hourly(c, end_ms - 30 * DAY_MS, end_ms),
        "last sampled records": lambda c: stored_records(c, end_ms - HOUR_MS, end_ms, "sampled", most=50),
    }


def ask(store: Store, end_ms: int) -> dict[str, float]:
    """Return milliseconds of each query, of opening, and of closing."""
    times: dict[str, float] = {}
    begun = time.perf_counter()
    with store.open() as connection:
        times["opening"] = time.perf_counter() - begun
        for name, query in queries(end_ms).items():
            begun = time.perf_counter()
            query(connection)
            times[name] = time.perf_counter() - begun
    return {name: 1000 * taken for name, taken in times.items()}


def watch(path: Path) -> None:
    """Ask once a second, and print the slowest of each query at the end."""
    store, worst = DuckDb(path), dict[str, float]()
    print("ready", flush=True)
    until = path.with_suffix(".stop")
    while not until.exists():
        begun = time.monotonic()
        for name, taken in ask(store, START_MS + MONTH_MS).items():
            worst[name] = max(taken, worst.get(name, 0.0))
        time.sleep(max(0.0, 1 - (time.monotonic() - begun)))
    print(json.dumps(worst))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=ALL)
    parser.add_argument("--write", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--watch", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        sys.stdout.writelines(f"{line}\n" for line in lines(given.write, given.first))
        return
    if given.watch:
        watch(given.watch)
        return
    with tempfile.TemporaryDirectory(prefix="row3-monitor-") as folder:
        measure(Path(folder), given.records)


def measure(folder: Path, number: int) -> None:
    """Take in the file while another process asks, then the rest; time the queries."""
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
        done = ingest(
            DuckDb(database), chunks(rest, 0), keeping, name="-", aside=folder / "aside", now_ms=START_MS * 2, jobs=2
        )
        print(f"{done.new:,} records made and taken in: {done.new / (time.monotonic() - begun):,.0f} a second")
    watcher = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.monitor", "--watch", str(database)], stdout=subprocess.PIPE, text=True
    )
    assert watcher.stdout is not None
    watcher.stdout.readline()
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "row3", "-C", str(folder), "monitor", "ingest", str(file)], check=True)
    took = time.monotonic() - begun
    database.with_suffix(".stop").touch()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"ingest beside a reader: {part / took:,.0f} records a second ({took:.1f} s, {cpu:.1f} s of processors)")
    print("slowest while ingesting, ms:", {k: round(v) for k, v in json.loads(watcher.communicate()[0]).items()})
    times = [ask(DuckDb(database), START_MS + MONTH_MS) for _ in range(7)]
    print("median alone, ms:", {name: round(statistics.median([each[name] for each in times]), 1) for name in times[0]})
    print(f"store: {database.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
