"""Export runs to MLflow over its REST API: a suite is an experiment, and a tag finds a run that was sent before."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_json

from row3.domain.models import Reply
from row3.errors import Undelivered
from row3.integrations.finished import FinishedCase, FinishedRun
from row3.integrations.http import Service, address
from row3.project.project import Project

URI = "MLFLOW_TRACKING_URI"
TOKEN, USER, PASSWORD = "MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"
SERVED = "mlflow-artifacts:/"
"""Prefix of a run's artifact address if the server itself stores the files."""
TABLE = "cases.json"
RUN_ID = "row3.runId"
USAGE = {"promptTokens": "prompt_tokens", "completionTokens": "completion_tokens"}
USAGE |= {"latencyS": "latency_s", "costUsd": "cost_usd"}


class _Info(Reply):
    run_id: str
    artifact_uri: str


class _Run(Reply):
    info: _Info


class _Made(Reply):
    run: _Run


class _Runs(Reply):
    runs: list[_Run] = []


class _Experiment(Reply):
    experiment_id: str


class _Experiments(Reply):
    experiments: list[_Experiment] = []


Answer = TypeVar("Answer")


def open_sink(project: Project) -> MLflow:
    """Return the sink for the server in the environment. Raises `UsageError`."""
    url, headers = address(URI, allow_http=project.config.export.allow_http), {}
    if token := os.environ.get(TOKEN):
        headers["Authorization"] = f"Bearer {token}"
    elif user := os.environ.get(USER):
        pair = f"{user}:{os.environ.get(PASSWORD, '')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    return MLflow(Service(url, headers, key_variable=f"{TOKEN}, or {USER} and {PASSWORD}"))


class MLflow:
    """Writes each run as one MLflow run, and updates it if the run is sent again."""

    name = "mlflow"

    def __init__(self, service: Service) -> None:
        """Take the tracking server."""
        self._service = service

    def write(self, run: FinishedRun) -> None:
        """Send parameters, metrics, tags and the table of cases; then mark the run as over."""
        header, at = run.header, round(datetime.fromisoformat(run.header.at).timestamp() * 1000)
        info = self._run(self._experiment(header.suite), run.id, at)
        params = {"model": header.model, "mode": header.mode, "repeats": header.repeats}
        params |= {f"prompt.{name}": version for name, version in header.prompts.items()}
        for name, given in header.parameters.items():
            params |= {f"{name}.{key}": value for key, value in given.items() if value is not None}
        usage = {f"usage.{key}": value for key, value in header.usage.items() if value is not None}
        metrics = _pairs({**header.metrics, **usage}, timestamp=at, step=0)
        tags = {"mlflow.source.name": "row3", "row3.kind": header.kind, "row3.action": header.action}
        tags |= {f"row3.zone.{key}": zone for key, zone in header.zones.items()}
        if header.commit is not None:
            tags["mlflow.source.git.commit"] = header.commit
        if info.artifact_uri.startswith(SERVED):
            path = info.artifact_uri.removeprefix(SERVED).strip("/")
            self._service.send("PUT", f"/api/2.0/mlflow-artifacts/artifacts/{path}/{TABLE}", _table(run))
            tags["mlflow.loggedArtifacts"] = to_json([{"path": TABLE, "type": "table"}]).decode()
        else:
            tags["row3.cases"] = "no table: this server does not store files itself"
        texts = {key: str(value) for key, value in params.items()}
        logged = {"metrics": metrics, "params": _pairs(texts), "tags": _pairs(tags)}
        self._call("/runs/log-batch", dict, run_id=info.run_id, **logged)
        status = "FINISHED" if header.complete else "FAILED"
        self._call("/runs/update", dict, run_id=info.run_id, status=status, end_time=at)

    def _experiment(self, name: str) -> str:
        """Return the id of the experiment of that name, creating it if needed."""
        found = self._call("/experiments/search", _Experiments, filter=f"name = '{name}'", max_results=1).experiments
        return (found[0] if found else self._call("/experiments/create", _Experiment, name=name)).experiment_id

    def _run(self, experiment: str, run_id: str, at: int) -> _Info:
        """Return MLflow's info on the run tagged with this id, creating it if needed."""
        wanted = {"experiment_ids": [experiment], "filter": f"tags.`{RUN_ID}` = '{run_id}'", "max_results": 1}
        found = self._call("/runs/search", _Runs, **wanted).runs
        new = {"experiment_id": experiment, "run_name": run_id, "start_time": at, "tags": _pairs({RUN_ID: run_id})}
        return found[0].info if found else self._call("/runs/create", _Made, **new).run.info

    def _call(self, path: str, type_: type[Answer], **body: Any) -> Answer:
        try:
            return TypeAdapter(type_).validate_json(self._service.send("POST", f"/api/2.0/mlflow{path}", body))
        except ValueError:
            raise Undelivered(
                f"{self._service.host} did not answer like an MLflow server", fix=f"Check {URI}"
            ) from None


def _pairs(values: Mapping[str, Any], **more: Any) -> list[dict[str, Any]]:
    """Return entries in MLflow's form; characters that it refuses in names become `_`."""
    return [{"key": re.sub(r"[^\w\-. /]", "_", key), "value": value, **more} for key, value in values.items()]


def _table(run: FinishedRun) -> dict[str, Any]:
    """Return a row for each case, as an MLflow table."""
    keys = list(dict.fromkeys(key for case in run.cases for key in case.metrics))
    columns = ["case", "status", "problem", *keys, *USAGE]
    rows = ([case.id, case.status, case.problem, *map(case.metrics.get, keys), *_usage(case)] for case in run.cases)
    return {"columns": columns, "data": list(rows)}


def _usage(case: FinishedCase) -> list[float | None]:
    """Return the sums over a case's requests; None if unknown."""
    known = ([value for each in case.requests if (value := getattr(each, name)) is not None] for name in USAGE.values())
    return [sum(values) if values else None for values in known]
