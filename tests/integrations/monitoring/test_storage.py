"""The store itself: broken, locked, killed, read while it is written."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from row3.errors import EnvironmentFault
from row3.integrations.monitoring import readers, storage
from row3.integrations.monitoring.ingest import Ingested, ingest
from row3.integrations.monitoring.rows import Keeping
from row3.integrations.monitoring.storage import DuckDb, Postgres
from row3.integrations.monitoring.tables import Totals, by_group, hourly, total
from row3.running.processes import Processes
from tests.monitored import EVER, NOW_MS, jsonl, record, take
from tests.rows import every_row


def test_a_file_that_is_no_store_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "m.duckdb").write_bytes(b"not a database" * 500)
    with pytest.raises(EnvironmentFault, match=r"\.row3/m\.duckdb: the store cannot be used"):
        take(DuckDb(tmp_path / "m.duckdb"), jsonl(record("a")), tmp_path)


@every_row("name", ["outside.txt", "it's outside.txt"])
def test_a_store_of_a_stranger_reads_no_other_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("secret")
    store = DuckDb(tmp_path / "m.duckdb")
    take(store, jsonl(record("a")), tmp_path)
    file = str(tmp_path / name).replace("'", "''")
    with duckdb.connect(str(tmp_path / "m.duckdb")) as connection:
        connection.execute("ALTER TABLE hours RENAME TO kept")
        connection.execute(f"CREATE VIEW hours AS SELECT kept.* FROM kept, read_text('{file}') WHERE content <> ''")
    with pytest.raises(EnvironmentFault, match="Permission Error"), store.open() as connection:
        hourly(connection, *EVER)


def test_a_lock_that_cannot_be_made_is_named_by_its_place_in_the_project(tmp_path: Path) -> None:
    (tmp_path / "m.duckdb.lock").symlink_to(tmp_path / "outside")
    with (
        pytest.raises(EnvironmentFault, match=r"^\.row3/m\.duckdb\.lock: cannot be written"),
        DuckDb(tmp_path / "m.duckdb").open(),
    ):
        pass
    assert not (tmp_path / "outside").exists()


def test_who_keeps_the_store_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PATIENCE_S", 0.1)
    store = DuckDb(tmp_path / "m.duckdb")
    with store.open(), pytest.raises(EnvironmentFault, match="another row3 has held the store"):
        take(DuckDb(tmp_path / "m.duckdb"), jsonl(record("a")), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "url", ["postgresql://row3:hunter2secret@localhost:1/x", "postgresql://row3:hunter2secret@h/x?hunter2secret"]
)
def test_a_password_is_in_no_message(url: str) -> None:
    with pytest.raises(EnvironmentFault) as refused, Postgres(url).open():
        pass
    assert "the store cannot be used" in str(refused.value) and "hunter2" not in str(refused.value)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_too_long_a_line_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    monkeypatch.setattr(readers, "CHUNK_BYTES", 2000)
    monkeypatch.setattr(readers, "MAX_LINE_BYTES", 4000)
    lines = [record("a"), record("b")]
    lines.insert(place, record("c", topic="x" * 19_000))
    done = take(DuckDb(tmp_path / "m.duckdb"), jsonl(*lines), tmp_path)
    assert (done.new, done.bad) == (2, 1)
    assert done.named == [f"file.jsonl:{place + 1}: the line has more than 4,000 bytes, of which the first are kept"]


def test_lines_of_any_length_survive_the_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "CHUNK_BYTES", 97)
    lines = [record(f"r{n}", topic="ü" * n) for n in range(20)]
    done = take(DuckDb(tmp_path / "m.duckdb"), b"\xef\xbb\xbf" + jsonl(*lines[:9], "", "bad", *lines[9:]), tmp_path)
    assert (done.new, done.bad) == (20, 1) and done.named[0].startswith("file.jsonl:11: ")


def test_a_stream_is_taken_in_while_it_is_open(tmp_path: Path) -> None:
    store, (out, into) = DuckDb(tmp_path / "m.duckdb"), os.pipe()
    done: list[Ingested] = []

    def read() -> None:
        with os.fdopen(out, "rb") as stream:
            lines = readers.chunks(stream, live=True)
            keeping = Keeping(0.0, {})
            done.append(ingest(store, lines, keeping, name="-", aside=tmp_path / "aside.jsonl", now_ms=NOW_MS))

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(into, "wb", buffering=0) as stream:
        for n in range(2):
            stream.write(jsonl(record(f"r{n}"), "") + b'{"id": ')
            stream.write(b'"half"}\n')
            until = time.monotonic() + 60
            while requests(store) <= n:
                assert time.monotonic() < until
                time.sleep(0.05)
        stream.write(jsonl(record("last")))
    reader.join()
    assert (done[0].new, done[0].bad) == (3, 2)
    with store.open() as connection:
        assert sum(hourly(connection, *EVER).values(), Totals()).requests == 3


def requests(store: DuckDb) -> int:
    with store.open() as connection:
        return total(connection, *EVER).requests


def test_a_stream_that_breaks_is_an_error_of_the_machine() -> None:
    class Broken(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(readers.chunks(Broken(), live=True))


@pytest.mark.slow
def test_kill_at_any_time_and_the_same_command_again(tmp_path: Path) -> None:
    (tmp_path / "row3.toml").write_text("[monitor]\nsample = 1.0\n")
    lines = [record(f"r{n}", at=f"2026-11-{1 + n % 28:02}T10:00:00Z", topic="t" * 2000) for n in range(12_000)]
    (tmp_path / "production.jsonl").write_bytes(jsonl(*lines, "bad"))
    command = [sys.executable, "-m", "row3", "-C", str(tmp_path), "monitor"]
    draw, store = random.Random(0), DuckDb(tmp_path / ".row3" / "monitor.duckdb")
    for _ in range(6):
        running = subprocess.Popen([*command, "ingest", str(tmp_path / "production.jsonl")])
        time.sleep(draw.uniform(0.5, 4.0))
        running.kill()
        running.wait()
    subprocess.run([*command, "ingest", str(tmp_path / "production.jsonl")], check=True)
    with store.open() as connection:
        whole, hours = total(connection, *EVER), hourly(connection, *EVER)
    assert whole.requests == sum(each.requests for each in hours.values()) == 12_000
    assert whole.concepts == 24_000 and len(hours) == 28
    kept = (tmp_path / ".row3" / "monitor" / "aside.jsonl").read_text().splitlines()
    assert [json.loads(line)["raw"] for line in kept] == ["bad"]


@pytest.mark.slow
def test_very_many_records_of_one_topic_in_one_moment(tmp_path: Path) -> None:
    store = DuckDb(tmp_path / "m.duckdb")
    line = json.dumps(record("ID", concepts=[{"label": "fungi", "confidence": 0.5}] * 3))
    many = b"\n".join(line.replace("ID", f"r{n}", 1).encode() for n in range(100_000))
    assert take(store, many, tmp_path, Keeping(0.05, {}), executor=Processes(2)).new == 100_000
    assert take(store, many, tmp_path, Keeping(0.05, {}), executor=Processes(2)).known == 100_000
    with store.open() as connection:
        whole, [hour] = total(connection, *EVER), hourly(connection, *EVER).values()
        [(topic, forests)] = by_group(connection, "topic", *EVER).items()
    assert topic == "forests" and whole.per_minute is None
    for each in (whole, hour, forests):
        assert (each.requests, each.concepts, each.latency_p99) == (100_000, 300_000, 1000)
        assert each.cost_sum == pytest.approx(1000)
    assert 0.045 < whole.sampled / whole.requests < 0.055
