"""What the dashboard says, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.serving.panels import Chart, Page, Tile, page, read_recent
from row3.integrations.monitoring.storage import Store
from tests.monitored import NOW_MS, jsonl, record, take

NOW = NOW_MS // MINUTE_MS * MINUTE_MS + 30_000  # half a minute past a minute


def shown(store: Store, now_ms: int = NOW) -> Page:
    with store.open() as connection:
        return page(read_recent(connection, now_ms))


def chart(shown: Page, key: str) -> Chart:
    return next(each for panel in shown.panels for each in panel.charts if each.key == key)


def tile(shown: Page, name: str) -> Tile:
    return next(each for panel in shown.panels for each in panel.tiles if each.name == name)


def at(ago_ms: int, name: str = "", **more: Any) -> dict[str, Any]:
    return record(name or f"at-{ago_ms}", at=moment(NOW - ago_ms), **more)


def test_three_panels(store: Store, tmp_path: Path) -> None:
    many = [{"label": f"c{n}", "confidence": 0.85} for n in range(16)]
    lines = [
        at(10_000, latencyMs=4000),  # in the minute that is not over: a figure, not yet in a chart
        at(45_000, latencyMs=1000),
        at(50_000, latencyMs=2000),
        at(100_000, latencyMs=5000, error="time-out", concepts=[], relationships=[]),
        at(3 * HOUR_MS, latencyMs=9000, concepts=many, costUsd=0.21),
        at(3 * DAY_MS),
        at(40 * DAY_MS),
        {"id": "at-10000", "at": moment(NOW), "score": 3},
    ]
    take(store, jsonl(*lines), tmp_path)
    seen = shown(store)

    assert [panel.title for panel in seen.panels] == ["Real-time", "Hourly", "Daily"] and seen.notice == ""
    assert seen.newest == f"{moment(NOW - 10_000)[:19].replace('T', ' ')} UTC"

    requests = chart(seen, "requests")
    assert (len(requests.x), requests.x[-1]) == (60, (NOW - 90_000) / 1000)
    assert requests.series == {"Requests": [0.0] * 58 + [1, 2]} and requests.title == "Requests: 0.80 per minute"
    latency = chart(seen, "latency")
    assert latency.series["p50"][-3:] == [None, 5000, 1500] and latency.series["p95"][-1] == pytest.approx(1950)
    assert latency.title == "Average latency: 3,000 ms, target missed" and latency.high == 3000  # (4+1+2+5)/4
    assert tile(seen, "Error rate").value == "25.0%" and chart(seen, "errors").band == "no alert up to 1%"

    concepts = chart(seen, "concepts")
    assert [value for value in concepts.series["Concepts per topic"] if value is not None] == [16, 2]
    assert concepts.title == "Concepts per topic: 5.50, target missed"  # (16 + 2 + 2 + 2) / 4
    sure = chart(seen, "confidence")
    [shares] = sure.series.values()
    assert shares == [0, 0, 0, 0, 0, 3 / 22, 0, 0, 16 / 22, 3 / 22] and sure.low == 0.75

    done = chart(seen, "processed")
    assert done.series == {"Decompositions": [0.0] * 26 + [1, 0, 0, 5]}
    assert tile(seen, "Decompositions") == Tile("Decompositions", "6", "", None, 6)
    assert chart(seen, "spent").title == "Cost: $0.2600" and tile(seen, "Average cost").met is True
    assert tile(seen, "User feedback") == Tile("User feedback", "3.00 of 5", "> 4", False, 1)
    assert tile(seen, "Canaries of the domain").value == "16.7%"  # wolves, 4 of 16 + 4 · 2


def test_the_band_of_errors_follows_the_settings(store: Store, tmp_path: Path) -> None:
    take(store, jsonl(at(10_000)), tmp_path)
    with store.open() as connection:
        errors = chart(page(read_recent(connection, NOW), 0.05), "errors")
    assert (errors.high, errors.band) == (0.05, "no alert up to 5%")


def test_an_empty_store_says_what_to_do(store: Store) -> None:
    assert shown(store) == Page(None, "No records yet: row3 monitor ingest FILE", [])


def test_old_records_end_the_panels(store: Store, tmp_path: Path) -> None:
    take(store, jsonl(at(5 * DAY_MS)), tmp_path)
    seen = shown(store)
    assert seen.notice.startswith("No records in the last hour. The panels end at the newest record, 20")
    assert chart(seen, "requests").series["Requests"][-1] == 1 and tile(seen, "Requests").n == 1


def test_records_of_the_future_do_not_move_the_panels(store: Store, tmp_path: Path) -> None:
    take(store, jsonl(at(-9 * DAY_MS), at(10 * MINUTE_MS)), tmp_path)
    seen = shown(store)
    assert seen.notice == "" and tile(seen, "Decompositions").value == "1"
    assert sum(value or 0 for value in chart(seen, "requests").series["Requests"]) == 1


def test_only_records_of_the_future(store: Store, tmp_path: Path) -> None:
    take(store, jsonl(at(-9 * DAY_MS)), tmp_path)
    seen = shown(store)
    assert seen.newest is None and len(seen.panels) == 3 and tile(seen, "Average latency").value == "–"
