"""`row3 export` to a real MLflow server and a real Arize Phoenix, each in an environment of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.projects import CASES, Box
from tests.systems.http_servers import free_port
from tests.systems.wanted import python_environment

MLFLOW, PHOENIX = "mlflow==3.17.2", "arize-phoenix==20.26.1"
START_S = 300
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("real servers")]


@contextmanager
def serving(command: list[str], env: dict[str, str], ready: str, log: Path) -> Iterator[None]:
    """Run a server and all that it starts until the end of the block."""
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, env=os.environ | env, stdout=out, stderr=out, cwd=log.parent, start_new_session=True
        )
    try:
        until = time.monotonic() + START_S
        while True:
            try:
                if httpx2.get(ready, timeout=5).is_success:
                    break
            except httpx2.HTTPError:
                pass
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.2)
        yield
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an MLflow server."""
    folder, port = tmp_path_factory.mktemp("mlflow"), free_port()
    store = ["--backend-store-uri", f"sqlite:///{folder}/runs.db", "--artifacts-destination", str(folder / "files")]
    command = [str(python_environment(MLFLOW) / "mlflow"), "server", "--port", str(port), "--workers", "1", *store]
    env = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    address = f"http://127.0.0.1:{port}"
    with serving(command, env, f"{address}/health", folder / "log"):
        yield address


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an Arize Phoenix."""
    folder, port = tmp_path_factory.mktemp("phoenix"), free_port()
    env = {"PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(free_port())}
    env |= {"PHOENIX_WORKING_DIR": str(folder), "PHOENIX_TELEMETRY_ENABLED": "false"}
    address = f"http://127.0.0.1:{port}"
    with serving([str(python_environment(PHOENIX) / "phoenix"), "serve"], env, f"{address}/healthz", folder / "log"):
        yield address


def test_mlflow_holds_a_run_once_with_parameters_metrics_zones_and_table(live: Box, mlflow: str) -> None:
    def call(path: str, body: Any) -> Any:
        answer = httpx2.post(f"{mlflow}/api/2.0/mlflow/{path}", json=body, timeout=60)
        assert answer.is_success, answer.text
        return answer.json()

    for _ in range(2):
        live.row3("export", "--to", "mlflow", code=0, MLFLOW_TRACKING_URI=mlflow)
    (experiment,) = call("experiments/search", {"filter": "name = 'bread'", "max_results": 5})["experiments"]
    (run,) = call("runs/search", {"experiment_ids": [experiment["experiment_id"]]})["runs"]
    assert run["info"]["status"] == "FINISHED"
    params, metrics, tags = (
        {each["key"]: each["value"] for each in run["data"][kind]} for kind in ("params", "metrics", "tags")
    )
    assert params | {"model": "baker-1", "prompt.extract": "v1.1", "extract.temperature": "0.0"} == params
    assert metrics["overall"] == pytest.approx(0.85)
    assert metrics["usage.promptTokens"] == 300
    assert tags | {"row3.runId": run["info"]["run_name"], "row3.zone.overall": "excellent"} == tags
    kept = {"run_id": run["info"]["run_id"], "metric_key": "overall"}
    history = httpx2.get(f"{mlflow}/api/2.0/mlflow/metrics/get-history", params=kept, timeout=60).json()
    assert len(history["metrics"]) == 1
    path = run["info"]["artifact_uri"].removeprefix("mlflow-artifacts:/")
    table = httpx2.get(f"{mlflow}/api/2.0/mlflow-artifacts/artifacts/{path}/cases.json", timeout=60).json()
    assert {row[0] for row in table["data"]} == set(CASES)
    # MLflow's own client reads it as a table.
    script = (
        "import json, sys, mlflow\n"
        "mlflow.set_tracking_uri(sys.argv[1])\n"
        "mlflow.set_experiment('bread')\n"
        "table = mlflow.load_table('cases.json', run_ids=[sys.argv[2]])\n"
        "print(json.dumps(sorted(table['case'])))\n"
    )
    read = [str(python_environment(MLFLOW) / "python"), "-c", script, mlflow, run["info"]["run_id"]]
    done = subprocess.run(read, capture_output=True, text=True, timeout=START_S, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == sorted(CASES)


def wait_for(get: Callable[[], list[Any]], count: int) -> list[Any]:
    until = time.monotonic() + 60
    while len(found := get()) < count and time.monotonic() < until:
        time.sleep(0.2)
    return found


def test_phoenix_holds_a_run_once_as_a_trace_of_model_calls(live: Box, phoenix: str) -> None:
    live.write("row3.toml", live.read("row3.toml") + "[export]\ncontent = true\n")
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": phoenix, "OTEL_RESOURCE_ATTRIBUTES": "openinference.project.name=bread"}

    def spans() -> list[Any]:
        answer = httpx2.get(f"{phoenix}/v1/projects/bread/spans", params={"limit": 100}, timeout=60)
        return list(answer.json()["data"]) if answer.is_success else []

    live.row3("export", "--to", "otel", code=0, **env)
    assert len(wait_for(spans, 7)) == 7
    live.row3("export", "--to", "otel", code=0, **env)
    time.sleep(2)  # what Phoenix takes in, it writes a little later
    found = spans()
    assert len(found) == 7
    assert len({span["context"]["trace_id"] for span in found}) == 1
    by_id = {span["context"]["span_id"]: span for span in found}
    calls = [span for span in found if span["span_kind"] == "LLM"]
    assert len(calls) == 3
    for span in calls:
        told = span["attributes"]
        assert told | {"llm.model_name": "baker-1", "llm.token_count.total": 150, "llm.finish_reason": "stop"} == told
        case = by_id[span["parent_id"]]
        source = CASES[case["attributes"]["row3.case.id"]]["sourceText"]
        assert source in json.dumps({key: value for key, value in told.items() if key.startswith("llm.input")})
        results = {event["attributes"]["gen_ai.evaluation.name"] for event in case["events"]}
        assert "overall" in results
        assert by_id[case["parent_id"]]["name"] == "row3 run bread"
