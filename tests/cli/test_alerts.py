"""`row3 monitor alerts`: a table, JSON, the body of an issue, and a webhook that hears of each alert once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integrations.receivers import Fault, Receiver
from tests.monitored import jsonl, record
from tests.projects import Box

HOOK = "\n[monitor.alerts]\nwebhook_variable = 'PAGER'\n"


class Pager(Receiver):
    """Keeps the bodies of what is posted."""

    def take(self, path: str, body: bytes) -> tuple[int, bytes]:
        self.bodies = [*getattr(self, "bodies", []), json.loads(body)]
        return 200, b""


@pytest.fixture
def pager() -> Iterator[Pager]:
    server = Pager()
    yield server
    server.stop()


def ingest(box: Box, hour: int, *, hours: int = 1, **changed: Any) -> None:
    times = [datetime(2026, 11, 1, hour, n, tzinfo=UTC) + timedelta(hours=h) for h in range(hours) for n in range(30)]
    records = [record(f"r{at:%d-%H-%M}", at=at.isoformat(), **changed) for at in times]
    box.write("production.jsonl", jsonl(*records))
    box.row3("monitor", "ingest", "production.jsonl", code=0)


def few(number: int = 0, *, figure: str = "Canaries of the domain") -> str:
    """What is said of an alert with too few records."""
    return f"{figure}: not evaluated: {number} of 20 records"


def test_too_few_records_are_said(box: Box) -> None:
    box.case("rye", domain="ecological", forbiddenConcepts=["acid rain"])
    records = [record(f"r{n}", at=f"2026-11-01T10:{n:02}:00Z", latencyMs=None) for n in range(30)]
    for each in records[12:]:
        each["domain"] = "economic"
    box.write("production.jsonl", jsonl(*records))
    box.row3("monitor", "ingest", "production.jsonl", code=0)
    for command in (("alerts",), ("alerts", "--open"), ("figures",)):
        shown = box.row3("monitor", *command, code=0).out
        assert few(12) in shown and few(0, figure="Average latency") in shown
        assert shown.count("not evaluated") == 2
    figures = box.row3("monitor", "figures", "--format", "json", code=0).json
    few_ones = [("hallucination", "critical", "12 of 20 records"), ("latency", "warning", "0 of 20 records")]
    names = ("condition", "severity", "notEvaluated")
    assert figures["alerts"] == [dict(zip(names, each, strict=True)) for each in few_ones]


def test_a_warning_and_a_critical_alert(box: Box) -> None:
    fine = {"concepts": [{"label": "fungi", "confidence": 0.9, "sourceQuote": "Tall trees feed fungi."}] * 12}
    ingest(box, 9, **fine)
    none = f"Production · no alerts\n\n{few()}\n"
    assert box.row3("monitor", "alerts", code=0).out == none
    ingest(box, 10, **fine, latencyMs=9000)
    shown = box.row3("monitor", "alerts", "--format", "json", code=0).out
    assert shown.endswith("]\n")
    assert json.loads(shown) == [
        {
            "condition": "latency", "severity": "warning", "action": "Check API performance",
            "from": "2026-11-01T10:00:00Z", "to": None, "value": 9000, "threshold": 5000,
        },
        {"condition": "hallucination", "severity": "critical", "notEvaluated": "0 of 20 records"},
    ]  # fmt: skip
    ingest(box, 11, **fine, error="time-out")
    table = box.row3("monitor", "alerts", code=1).out
    assert table.startswith("Production · 2 alerts, 1 critical\n")
    assert "Error rate" in table and "100.0%, above 1.0%" in table
    issue = box.row3("monitor", "alerts", "--open", code=1).out
    assert "## Alerts in production" in issue and "- [ ] Error rate: Check API availability" in issue
    assert box.row3("monitor", "alerts", "--until", "2026-11-01T10:00:00Z", code=0).out == none
    since = box.row3("monitor", "alerts", "--since", "1h", code=1).out
    assert since.startswith("Production · 2 alerts, 1 critical\n"), "both are open"
    assert since.count("not evaluated: 0 of 20 records") == 6


def test_a_webhook_hears_of_each_alert_once_and_of_its_end(box: Box, pager: Pager) -> None:
    box.write("row3.toml", box.read("row3.toml") + HOOK)
    box.env["PAGER"] = f"{pager.address}/hook?key=t0ken"
    ten = {"concepts": [{"label": "fungi", "confidence": 0.9}] * 12}
    ingest(box, 9, **ten, latencyMs=9000)
    pager.faults.append(Fault(500))
    failed = box.row3("monitor", "alerts", "--notify", code=3)
    assert "answered 500 to POST." in failed.err
    assert "hook" not in failed.err and "t0ken" not in failed.err, "whoever knows a webhook's address can post"

    assert "posted 1 change to the webhook" in box.row3("monitor", "alerts", "--notify", code=0).err
    assert "null" not in box.read(".row3/monitor/told.json")
    ingest(box, 10, **ten, latencyMs=9000)
    box.row3("monitor", "alerts", "--notify", code=0)
    ingest(box, 11, **ten, hours=23)
    box.row3("monitor", "alerts", "--notify", "--since", "2026-11-02T00:00:00Z", code=0)
    assert len(pager.bodies) == 1
    ingest(box, 11, **ten, hours=25)
    box.row3("monitor", "alerts", "--notify", "--since", "2026-11-02T00:00:00Z", code=0)
    box.row3("monitor", "alerts", "--notify", code=0)

    assert [[len(body["began"]), len(body["over"])] for body in pager.bodies] == [[1, 0], [0, 1]]
    assert pager.bodies[1]["over"][0]["to"] == "2026-11-02T11:00:00Z"
    box.write(".row3/monitor/told.json", "{")
    assert ".row3/monitor/told.json" in box.row3("monitor", "alerts", "--notify", code=2).err


def test_no_webhook_and_no_address(box: Box) -> None:
    ingest(box, 9)
    assert "monitor.alerts.webhook_variable" in box.row3("monitor", "alerts", "--notify", code=2).err
    box.write("row3.toml", box.read("row3.toml") + HOOK)
    assert "PAGER" in box.row3("monitor", "alerts", "--notify", code=2).err
    plain = box.row3("monitor", "alerts", "--notify", PAGER="http://10.0.0.1/hook", code=2).err
    assert "`allow_http = true` under [monitor.alerts]" in plain and "hook" not in plain
    assert "`soon` is not a time" in box.row3("monitor", "alerts", "--since", "soon", code=2).err


@pytest.mark.parametrize("command", [("monitor", "alerts"), ("trend",)], ids=" ".join)
@pytest.mark.parametrize("figure", ["errors", "hallucination", "confidence", "latency", "cost", "concepts"])
def test_the_threshold_of_a_share_is_no_percentage(box: Box, figure: str, command: tuple[str, ...]) -> None:
    settings = box.read("row3.toml")
    box.write("row3.toml", f"{settings}\n[monitor.alerts.{figure}]\nthreshold = 2\n")
    share = figure in ("errors", "hallucination", "confidence")
    done = box.row3(*command, code=2 if share else None)
    field = f"row3.toml: field `monitor.alerts.{figure}.threshold`: should be a number <= 1.0, not `2`."
    assert (field in done.err) == share
    box.write("row3.toml", f"{settings}\n[monitor.alerts.{figure}]\nthreshold = 0.02\n")
    assert box.row3(*command).code < 2
