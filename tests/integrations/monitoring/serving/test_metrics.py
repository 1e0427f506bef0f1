"""`/metrics`, and the Grafana dashboard over it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from row3.integrations.monitoring.serving.app import STATIC
from row3.integrations.monitoring.serving.panels import exposition, read_recent
from row3.integrations.monitoring.storage import DuckDb, Store
from tests.monitored import jsonl, record, take
from tests.systems.wanted import missing

AT_MS = 1_793_527_200_000 + 60_000  # a minute after the records


def expressions() -> list[str]:
    dashboard = json.loads((STATIC / "grafana.json").read_text("utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]


def metrics(store: Store) -> str:
    with store.open() as connection:
        return exposition(read_recent(connection, AT_MS))


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
