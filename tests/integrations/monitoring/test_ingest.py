"""What becomes of records, ratings, feedback and bad lines: each once, nothing lost, nothing invented."""

from __future__ import annotations

import contextlib
import json
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.errors import InvalidFile
from row3.integrations.monitoring.rows import Keeping, in_sample, stored_records
from row3.integrations.monitoring.storage import DuckDb, Postgres, Store
from row3.integrations.monitoring.tables import SCHEMA_VERSION, Totals, by_group, by_minute, hourly, total
from row3.running.processes import Processes
from tests.monitored import EVER, NOW_MS, jsonl, record, take
from tests.rows import every_row
from tests.strategies import json_values

HOUR = 3_600_000


def totals(store: Store) -> Totals:
    with store.open() as connection:
        return total(connection, *EVER)


def test_unknown_fields_are_ignored_and_counted(store: Store, tmp_path: Path) -> None:
    plain = [record(f"r{n}") for n in range(4)]
    lines = [
        plain[0],
        plain[1] | {"sourceTxt": "misspelt", "latency_ms": 3},
        plain[2] | {"sourceTxt": None, "concept": [{"a": 1}]},
        json.dumps(plain[3] | {"sourceTxt": "\ud800", "x" * 99 + "\x1b[1m": float("nan")}),
    ]
    done = take(store, jsonl(*lines), tmp_path)
    assert (done.new, done.bad) == (4, 0)
    long = "x" * 59 + "…"
    assert done.notes() == [
        f"unknown fields, ignored (in so many records): `sourceTxt` (3), `latency_ms` (1), `concept` (1), `{long}` (1)"
    ]
    again = take(store, jsonl(*plain), tmp_path)  # they are no part of a record
    assert (again.known, again.conflicts, again.notes()) == (4, 0, [])


def test_the_same_file_twice_changes_nothing(store: Store, tmp_path: Path) -> None:
    raw = jsonl(
        record("a"),
        record("b", error="time-out", concepts=[], relationships=[], latencyMs=9000, costUsd=None),
        {"id": "a", "at": "2026-11-02T00:00:00Z", "acceptable": True},
        {"id": "a", "at": "2026-11-02T00:00:01Z", "thumb": "down"},
        {"id": "a", "at": "2026-11-02T00:00:02Z", "score": 4},
    )
    first = take(store, raw, tmp_path)
    once = totals(store)
    again = take(store, raw, tmp_path)

    assert (first.new, first.opinions, first.known) == (2, 3, 0)
    assert (again.new, again.opinions, again.known, again.known_opinions) == (0, 0, 2, 3)
    assert totals(store) == once
    assert once == Totals(
        requests=2,
        first_ms=1_793_527_200_000,
        last_ms=1_793_527_200_000,
        errors=1,
        concepts=2,
        relationships=1,
        confidences=2,
        confidence_sum=1.4,
        distribution=(0, 0, 0, 0, 0, 1, 0, 0, 0, 1),
        timed=2,
        latency_sum=10_000.0,
        latency_p50=5000.0,
        latency_p95=pytest.approx(8600.0),
        latency_p99=pytest.approx(8920.0),
        priced=1,
        cost_sum=0.01,
        sampled=2,
        measured=1,
        measured_concepts=2,
        quotes=1,
        verified=1,
        ungrounded=1,
        watched=1,
        watched_concepts=2,
        canaries=1,
        ratings=1,
        acceptable=1.0,
        scores=2,
        score_sum=5.0,
    )


def test_a_records_digest_does_not_depend_on_the_concepts_empty_fields(store: Store, tmp_path: Path) -> None:
    bare = [{"label": "fungi"}, {"label": "wolves", "confidence": None}, {"label": "oaks", "sourceQuote": "oaks"}]
    take(store, jsonl(record("a", concepts=bare, latencyMs=1.5)), tmp_path)
    written = record("a", latencyMs=1.5, concepts=[{"label": "fungi"}, {"label": "wolves"}, bare[2]])
    with store.open() as connection:
        [(digest,)] = connection.rows("SELECT digest FROM records")
    assert digest == sha256(json.dumps(written, separators=(",", ":")).encode()).hexdigest()


def test_an_id_with_another_content_is_kept_aside_once(store: Store, tmp_path: Path) -> None:
    other = record("a", latencyMs=5)
    done = take(store, jsonl(record("a"), other, record("a")), tmp_path)
    again = take(store, jsonl(other), tmp_path)

    assert (done.new, done.known, done.conflicts, again.conflicts) == (1, 1, 1, 1)
    assert done.named == ["file.jsonl:2: the store has a record `a` with different content"]
    assert totals(store).latency_sum == 1000
    [kept] = (tmp_path / "aside.jsonl").read_text().splitlines()
    assert json.loads(json.loads(kept)["raw"]) == other


@every_row(
    ("line", "why"),
    [
        ('{"id": "a", "at": "2026-', "incomplete line"),
        ('{"id": "a"} x', "not JSON"),
        ("[1]", "not a JSON object"),
        (record("a", concepts=[{"label": "x", "confidence": float("nan")}]), "`concepts.0.confidence`"),
        (record("a", concepts=[{"label": "x", "confidence": 1.01}]), "`concepts.0.confidence`"),
        (record("a", concepts=[{"label": "x", "confidence": "high"}]), "`concepts.0.confidence`"),
        (record("a", latencyMs=float("inf")), "`latencyMs`"),
        (record("a", costUsd=-1), "`costUsd`"),
        (record("a", at="2026-11-01T10:00:00"), "`at`: should be a time with its offset"),
        (record("", topic="x"), "`id`"),
        (record("a\nerror: b"), "`id`: should be 1 to 256 characters in one line"),
        (record("a\u2028b"), "`id`"),
        (record("a", topic=None), "`topic`"),
        ({"id": "a", "at": "2026-11-01T10:00:00Z", "score": 6}, "`score`"),
        ({"id": "a", "at": "2026-11-01T10:00:00Z", "score": 3, "thumb": "up"}, "either `score` or `thumb`"),
        ({"id": "a", "at": "2026-11-01T10:00:00Z", "thumb": "sideways"}, "`thumb`"),
        ({"id": "a", "at": "2026-11-01T10:00:00Z", "acceptable": "yes"}, "`acceptable`"),
        (json.dumps(record("a")).replace("forests", "\\ud800"), "a lone surrogate"),
        ("[" * 100_000, "nested too deeply"),
        ({"id": "\ud800", "at": "2026-11-01T10:00:00Z", "score": 4}, "a lone surrogate"),
        ({"id": "a", "at": "2026-11-01T10:00:00Z", "thumb": "up", "concept": "x\udfff"}, "a lone surrogate"),
        ({"id": "\udfff", "at": "2026-11-01T10:00:00Z", "acceptable": True}, "a lone surrogate"),
        (record("a", at="0001-01-01T00:00:00+14:00"), "`at`: should be from 1970 to 2200"),
        (record("a", at="9999-12-31T23:59:59-14:00"), "`at`: should be from 1970 to 2200"),
        (record("a", at="1969-12-31T23:59:59.999Z"), "`at`: should be from 1970 to 2200"),
        (record("a", at="2201-01-01T00:00:00Z"), "`at`: should be from 1970 to 2200"),
        ({"id": "a", "at": "0001-01-01T00:00:00+14:00", "score": 4}, "`at`: should be from 1970 to 2200"),
        ({"id": "a", "at": "2201-01-01T00:00:00+00:00", "acceptable": None}, "`at`: should be from 1970 to 2200"),
    ],
)
def test_a_bad_line_is_counted_named_and_kept(line: Any, why: str, tmp_path: Path) -> None:
    store = DuckDb(tmp_path / "m.duckdb")
    done = take(store, jsonl(record("good"), line), tmp_path)

    assert (done.new, done.bad) == (1, 1)
    assert done.named[0].startswith("file.jsonl:2: ") and why in done.named[0]
    kept = json.loads((tmp_path / "aside.jsonl").read_text())
    assert kept["raw"].encode() == jsonl(line) and kept["line"] == 2


ODD = st.sampled_from(("\ud800", "\0", "", "0001-01-01T00:00:00+14:00", "9" * 400, True)) | json_values()
BAD = st.one_of(
    st.binary(min_size=1, max_size=60).filter(lambda raw: b"\n" not in raw),
    *(
        st.dictionaries(st.sampled_from([*line, "timestamp", "output", "resourceSpans", "data"]), ODD, min_size=1).map(
            lambda changed, line=line: jsonl(line | changed)
        )
        for line in (
            record("a"),
            *({"id": "a", "at": "2026-11-01T10:00:00Z", key: 1} for key in ("score", "acceptable")),
        )
    ),
)


@settings(max_examples=15)
@given(before=st.lists(BAD, max_size=5), after=st.lists(BAD, max_size=5))
def test_no_line_costs_the_lines_beside_it(before: list[bytes], after: list[bytes]) -> None:
    lines = [*before, jsonl(record("one")), *after, jsonl(record("two"))]
    with tempfile.TemporaryDirectory() as folder:
        store = DuckDb(Path(folder) / "m.duckdb")
        done = take(store, b"\n".join(lines), Path(folder))
        counts = (done.new, done.known, done.conflicts, done.bad, done.opinions, done.known_opinions, done.unrated)
        assert sum(counts) == sum(bool(line.strip()) for line in lines)
        assert len(done.named) == done.bad + done.conflicts
        with store.open() as connection:
            assert {"one", "two"} <= {each.id for each in stored_records(connection, *EVER)}
            assert sum(each.requests for each in hourly(connection, *EVER).values()) == done.new


def test_times_up_to_the_bounds_are_data(tmp_path: Path) -> None:
    store, times = DuckDb(tmp_path / "m.duckdb"), ("1970-01-01T00:00:00Z", "2200-12-31T23:59:59.999Z")
    assert take(store, jsonl(*(record(f"r{at}", at=at) for at in times)), tmp_path).new == 2
    with store.open() as connection:
        assert len(hourly(connection, *EVER)) == 2


def test_bytes_that_are_no_text_are_kept_too(tmp_path: Path) -> None:
    store = DuckDb(tmp_path / "m.duckdb")
    for _ in range(2):
        assert take(store, b'{"id": "\xff"}\n\n  \n', tmp_path).bad == 1
    assert json.loads((tmp_path / "aside.jsonl").read_text())["base64"]


def test_feedback_waits_for_its_record(store: Store, tmp_path: Path) -> None:
    early = take(store, jsonl({"id": "late", "at": "2026-11-02T00:00:00Z", "thumb": "up"}), tmp_path)
    assert (early.opinions, early.unknown) == (1, 1)
    assert totals(store).scores == 0

    then = take(store, jsonl(record("late")), tmp_path)

    assert then.unknown == 0
    assert totals(store).score_sum == 5
    with store.open() as connection:
        assert sum(hourly(connection, *EVER).values(), Totals()).scores == 1


def test_hours_are_what_their_records_add_up_to(store: Store, tmp_path: Path) -> None:
    times = ["09:59:59.999", "10:00:00", "10:59:00", "12:00:00"]
    records = [record(f"r{n}", at=f"2026-11-01T{at}Z", latencyMs=100 * n) for n, at in enumerate(times)]
    take(store, jsonl(*records[:2]), tmp_path)
    take(store, jsonl(*records[2:]), tmp_path)

    ten = 1_793_527_200_000  # 2026-11-01 10:00 UTC
    with store.open() as connection:
        hours = hourly(connection, *EVER)
        assert hours == {at: total(connection, at, at + HOUR) for at in (ten - HOUR, ten, ten + 2 * HOUR)}
        assert [*hourly(connection, ten, ten + HOUR)] == [ten]
        assert [each.requests for each in by_minute(connection, ten, ten + HOUR).values()] == [1, 1]


def test_clocks_that_go_back_or_ahead_are_data(tmp_path: Path) -> None:
    store = DuckDb(tmp_path / "m.duckdb")
    raw = jsonl(record("a", at="2027-11-01T00:00:00Z"), record("b", at="2026-10-31T23:00:00-01:00"), record("c"))
    done = take(store, raw, tmp_path)

    assert (done.new, done.backwards, done.future) == (3, 1, 1)
    with store.open() as connection:
        assert len(hourly(connection, 0, NOW_MS)) == 2


def test_what_a_record_has_not_is_not_invented(store: Store, tmp_path: Path) -> None:
    bare = record("a", latencyMs=None, costUsd=None, domain=None, concepts=[{"label": "x\0y"}], version=None)
    del bare["sourceText"]
    take(store, jsonl(bare, record("b", domain="social")), tmp_path)

    found = totals(store)
    assert (found.requests, found.timed, found.priced, found.confidences, found.measured) == (2, 1, 1, 2, 1)
    assert (found.watched_concepts, found.canaries) == (0, 0)  # no golden case of the domain forbids anything
    with store.open() as connection:
        assert [*by_group(connection, "version", *EVER)] == ["", "v1.0"]


def test_sample_is_by_the_digest_of_the_id(store: Store, tmp_path: Path) -> None:
    ids = [f"record-{n}" for n in range(400)]
    expected = [each for each in ids if int(sha256(each.encode()).hexdigest()[:16], 16) < 0.05 * 2**64]
    assert expected and [each for each in ids if in_sample(each, 0.05)] == expected
    assert all(in_sample(each, 1.0) and not in_sample(each, 0.0) for each in ids)

    failed = record("failed", error="500", concepts=[], relationships=[])
    take(store, jsonl(*map(record, ids), failed), tmp_path, Keeping(0.05, {}))

    with store.open() as connection:
        assert [each.id for each in stored_records(connection, *EVER, "sampled")] == sorted(expected)
        assert [each.id for each in stored_records(connection, *EVER) if each.error] == ["failed"]
        whole = {each.id: each.record() for each in stored_records(connection, *EVER) if each.payload is not None}
    assert whole.keys() == {*expected, "failed"}
    assert (found := whole[expected[0]]) and found.concepts[0].label == "fungi"


def test_rated_records_become_whole_when_they_come_again(store: Store, tmp_path: Path) -> None:
    keeping = Keeping(0.0, {})
    take(store, jsonl(record("a")), tmp_path, keeping)
    take(store, jsonl({"id": "a", "at": "2026-11-02T00:00:00Z", "acceptable": False}), tmp_path, keeping)
    take(store, jsonl(record("a")), tmp_path, keeping._replace(wanted=frozenset("a")))

    with store.open() as connection:
        [rated] = stored_records(connection, *EVER, "rated")
        assert stored_records(connection, *EVER, "unrated") == []
    assert (rated.ratings, rated.acceptable) == (1, 0.0) and rated.record() is not None


def test_many_processes_read_as_one(tmp_path: Path) -> None:
    raw = jsonl(*(record(f"r{n}", at=f"2026-11-01T{n % 24:02}:00:00Z") for n in range(500)), "half")
    one, many = DuckDb(tmp_path / "one.duckdb"), DuckDb(tmp_path / "many.duckdb")
    assert take(one, raw, tmp_path) == take(many, raw, tmp_path, executor=Processes(2))
    assert totals(one) == totals(many)


def test_a_store_of_a_newer_row3_is_refused(store: DuckDb | Postgres) -> None:
    with store.open(write=True) as connection:
        connection.rows("UPDATE about SET version = ?", [SCHEMA_VERSION + 1])
    store._made = False  # as in another process
    with pytest.raises(InvalidFile, match="newer than this row3 knows"), store.open():
        pass


def test_a_failing_transaction_leaves_nothing(store: Store) -> None:
    with contextlib.suppress(ZeroDivisionError), store.open(write=True) as connection:
        connection.rows("INSERT INTO stale VALUES (?)", [1])
        raise ZeroDivisionError
    with store.open() as connection:
        assert connection.rows("SELECT hour FROM stale") == []


def test_any_text_comes_back_as_it_was(store: Store, tmp_path: Path) -> None:
    texts = ['"', "'; DROP TABLE records; --", "a\nb", "\\u0041", "é😀\u2028", "%s ? $1 {}", " ", "null", "12"]
    ids = [" ".join(text.splitlines()) + "." for text in texts]
    lines = [record(ids[n], topic=text, version=text, costUsd=0.1 + n / 3) for n, text in enumerate(texts)]
    assert take(store, jsonl(*lines), tmp_path).new == len(texts)
    assert take(store, jsonl(*lines), tmp_path).known == len(texts)
    with store.open() as connection:
        found = {each.id: each for each in stored_records(connection, *EVER)}
        assert by_group(connection, "topic", *EVER).keys() == set(texts)
    for line in lines:
        stored = found[line["id"]]
        assert (stored.topic, stored.version, stored.cost_usd) == (line["topic"], line["version"], line["costUsd"])
        assert (whole := stored.record()) and whole.topic == line["topic"]
