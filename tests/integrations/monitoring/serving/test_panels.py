"""What the dashboard says, worked out by hand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, MINUTE_MS, moment
from row3.integrations.monitoring.serving.app import STATIC
from row3.integrations.monitoring.serving.panels import Chart, Page, Tile, exposition, page, read_recent
from row3.integrations.monitoring.storage import DuckDb, Store
from row3.project.integration_config import AlertsConfig, ShareAlertConfig
from tests.monitored import NOW_MS, jsonl, record, take
from tests.systems.wanted import missing

NOW = NOW_MS // MINUTE_MS * MINUTE_MS + 30_000  # half a minute past a minute


def shown(store: Store, now_ms: int = NOW) -> Page:
    with store.open() as connection:
        return page(read_recent(connection, now_ms, AlertsConfig()))


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

    assert [panel.title for panel in seen.panels] == ["Real-time", "Hourly", "Daily"]
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
        settings = AlertsConfig(errors=ShareAlertConfig(threshold=0.05))
        errors = chart(page(read_recent(connection, NOW, settings)), "errors")
    assert (errors.high, errors.band) == (0.05, "no alert up to 5%")


def test_the_page_names_alerts_with_too_few_records(store: Store, tmp_path: Path) -> None:
    many = [at(n * MINUTE_MS, latencyMs=1 if n < 12 else None, concepts=[{"label": "fungi"}]) for n in range(30)]
    take(store, jsonl(*many), tmp_path)
    assert shown(store).notice == (
        "Alert on Average confidence: not evaluated: 0 of 20 records. "
        "Alert on Average latency: not evaluated: 12 of 20 records."
    )


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
    assert not seen.notice.startswith("No records") and tile(seen, "Decompositions").value == "1"
    assert sum(value or 0 for value in chart(seen, "requests").series["Requests"]) == 1


def test_only_records_of_the_future(store: Store, tmp_path: Path) -> None:
    take(store, jsonl(at(-9 * DAY_MS)), tmp_path)
    seen = shown(store)
    assert seen.newest is None and len(seen.panels) == 3 and tile(seen, "Average latency").value == "–"


AT_MS = 1_793_527_200_000 + 60_000  # a minute after the records


def expressions() -> list[str]:
    dashboard = json.loads((STATIC / "grafana.json").read_text("utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]


def metrics(store: Store) -> str:
    with store.open() as connection:
        return exposition(read_recent(connection, AT_MS, AlertsConfig()))


@pytest.fixture
def told(store: Store, tmp_path: Path) -> str:
    late = record("late", latencyMs=3000, error="time-out", concepts=[], relationships=[])
    rating = {"id": "a", "at": "2026-11-02T00:00:00Z", "acceptable": True}
    take(store, jsonl(record("a"), late, record("old", at="2026-09-01T00:00:00Z"), rating), tmp_path)
    return metrics(store)


def values(told: str) -> dict[str, float]:
    return {name: float(value) for name, value in re.findall(r"^(row3\S+) (\S+)$", told, re.MULTILINE)}


def test_metrics_are_in_base_units_over_all_records(told: str) -> None:
    found = {name.removeprefix("row3_monitor_"): value for name, value in values(told).items()}
    assert found["decompositions_total"] == 3 and found["errors_total"] == 1 and found["concepts_total"] == 4
    assert found["cost_dollars_total"] == pytest.approx(0.03) and found["acceptable_ratings_total"] == 1
    assert found["latency_seconds_sum"] == 5 and found["latency_seconds_count"] == 3
    assert found['latency_seconds{quantile="0.5"}'] == 2  # of the two in the last minutes
    assert found['confidence_bucket{le="0.5"}'] == 0 and found['confidence_bucket{le="0.6"}'] == 2
    assert found['confidence_bucket{le="+Inf"}'] == found["confidence_count"] == 4
    assert found["confidence_sum"] == pytest.approx(2.8)
    assert found["newest_record_timestamp_seconds"] == AT_MS / 1000 - 60


def test_every_expression_asks_for_metrics_that_there_are(told: str) -> None:
    known = {re.sub(r"\{.*", "", name) for name in values(told)}
    asked = {name for each in expressions() for name in re.findall(r"row3_\w+", each)}
    assert len(expressions()) > 15 and asked <= known
    assert known - asked == {
        f"row3_monitor_{name}" for name in ("sampled_total", "newest_record_timestamp_seconds", "ratings_total", "x")
    } & (known - asked)


def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        missing("promtool (Debian: apt-get install prometheus)")
    return found


@pytest.mark.slow
def test_promtool_finds_nothing_to_complain_of(tmp_path: Path) -> None:
    store = DuckDb(tmp_path / "m.duckdb")
    empty = metrics(store)
    take(store, jsonl(record("a")), tmp_path)
    for told in (empty, metrics(store)):
        done = subprocess.run([promtool(), "check", "metrics"], input=told, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_promtool_reads_every_expression(tmp_path: Path) -> None:
    rules = [
        {"record": f"row3:checked:{place}", "expr": each.replace("$__rate_interval", "5m")}
        for place, each in enumerate(expressions())
    ]
    file = tmp_path / "rules.json"  # JSON is YAML
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run([promtool(), "check", "rules", str(file)], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and f"{len(rules)} rules found" in done.stdout, done.stdout + done.stderr
