"""A run as an MLflow run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from row3.errors import Undelivered
from row3.integrations.finished import FinishedRun, find_run, read_finished
from row3.integrations.mlflow import open_sink
from row3.project.project import open_project
from tests.integrations.receivers import Fault, Tracking
from tests.projects import Box


@pytest.fixture
def tracking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracking]:
    one = Tracking()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"{one.address}/")
    yield one
    one.stop()


def send(box: Box) -> FinishedRun:
    project = open_project(box.root)
    run = read_finished(project, find_run(project))
    open_sink(project).write(run)
    return run


def test_a_run_has_parameters_metrics_zones_and_a_table(live: Box, tracking: Tracking) -> None:
    run = send(live)
    (held,) = tracking.runs
    assert tracking.experiments == ["bread"]
    assert held["info"] | {"name": run.id, "status": "FINISHED"} == held["info"]
    assert held["params"] == {
        "model": "baker-1", "mode": "live", "repeats": "1", "prompt.extract": "v1.1", "extract.model": "baker-1",
        "extract.temperature": "0.0",
    }  # fmt: skip
    assert held["metrics"] | run.header.metrics == held["metrics"]
    assert held["metrics"]["usage.costUsd"] == pytest.approx(0.0009)
    assert held["tags"] | {"row3.runId": run.id, "row3.zone.overall": "excellent"} == held["tags"]
    assert len(held["times"]) == 1  # the same each time, or MLflow keeps every metric twice
    table = tracking.tables["0/run0/artifacts/cases.json"]
    rows = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["data"]}
    assert set(rows) == {case.id for case in run.cases}
    for case in run.cases:
        assert rows[case.id] | dict(case.metrics) == rows[case.id]
        took = case.requests[0].latency_s
        assert rows[case.id] | {"promptTokens": 100, "completionTokens": 50, "latencyS": took} == rows[case.id]
        assert rows[case.id]["costUsd"] == pytest.approx(0.0003)


def test_a_run_is_there_once_whichever_answer_was_lost(live: Box, tracking: Tracking) -> None:
    send(live)
    (held,) = tracking.runs
    asked = len(tracking.paths)
    for place in range(asked):
        tracking.experiments.clear()
        tracking.runs.clear()
        tracking.after(place, Fault(cut=True))
        with pytest.raises(Undelivered):
            send(live)
        send(live)
        assert tracking.experiments == ["bread"]
        assert tracking.runs == [held]


def test_a_server_that_takes_no_files_gets_all_but_the_table(live: Box, tracking: Tracking) -> None:
    tracking.artifacts = "s3://bucket/"
    send(live)
    assert tracking.tables == {}
    assert "no table" in tracking.runs[0]["tags"]["row3.cases"]


def test_keys_go_into_the_header_as_mlflow_reads_them(
    live: Box, tracking: Tracking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "zoe")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "abc")
    send(live)
    assert tracking.headers[-1]["Authorization"] == "Basic em9lOmFiYw=="
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "t0ken")
    send(live)
    assert tracking.headers[-1]["Authorization"] == "Bearer t0ken"


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"experiments": [{}]}', b'{"experiments": 3}', b"[]"])
def test_another_server_is_recognised(live: Box, tracking: Tracking, body: bytes) -> None:
    tracking.always = Fault(200, body)
    with pytest.raises(Undelivered, match="did not answer like an MLflow server"):
        send(live)
