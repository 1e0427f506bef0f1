"""Services on loopback that take what `row3 export` sends, or fail as a test says."""

from __future__ import annotations

import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.local_server import Handler, LocalServer


@dataclass
class Fault:
    """What a service does in the place of its work."""

    status: int = 503
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    cut: bool = False
    """The work is done, and half of the answer is sent."""


class Receiver(LocalServer, ABC):
    """Keeps its requests; `faults` are used up one by one, `always` stays."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.faults: list[Fault | None] = []
        self.always: Fault | None = None
        self.over = threading.Event()
        own = self

        class Taking(Handler):
            def do_POST(self) -> None:
                body = self.sent()
                own.paths.append(self.path)
                own.headers.append(dict(self.headers))
                fault = own.faults.pop(0) if own.faults else own.always
                if fault is None:
                    return self.reply(*own.take(self.path, body))
                own.over.wait(fault.wait_s)
                if not fault.cut:
                    return self.reply(fault.status, fault.body, fault.headers)
                own.take(self.path, body)
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"{")
                self.close_connection = True
                return None

            do_PUT = do_POST

        super().__init__(Taking)

    def after(self, requests: int, fault: Fault) -> None:
        """Answer so many requests well, then one with the fault."""
        self.faults = [*[None] * requests, fault]

    @abstractmethod
    def take(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Return status and body of the answer."""

    def stop(self) -> None:
        """Shut the server down, and let nobody wait for it."""
        self.over.set()
        super().stop()


class Collector(Receiver):
    """An OTLP endpoint that keeps each span once, by its id."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.spans: dict[bytes, Span] = {}
        self.rejects = ExportTraceServiceResponse()
        super().__init__()

    def take(self, path: str, body: bytes) -> tuple[int, bytes]:
        request = ExportTraceServiceRequest.FromString(body)
        self.requests.append(request)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.spans |= {span.span_id: span for span in scope.spans}
        return 200, self.rejects.SerializeToString()

    def named(self, name: str) -> list[Span]:
        """The spans whose names begin so."""
        return [span for span in self.spans.values() if span.name.startswith(name)]


def attributes(held: Any) -> dict[str, Any]:
    """The attributes of a span, an event or a resource."""
    found: dict[str, Any] = {}
    for each in held.attributes:
        kind = each.value.WhichOneof("value")
        value = getattr(each.value, kind)
        found[each.key] = [one.string_value for one in value.values] if kind == "array_value" else value
    return found


class Tracking(Receiver):
    """As much of an MLflow server as a run needs; strict about names and doubled parameters, as MLflow is."""

    def __init__(self, artifacts: str = "mlflow-artifacts:/") -> None:
        self.artifacts = artifacts
        self.experiments: list[str] = []
        self.runs: list[dict[str, Any]] = []
        self.tables: dict[str, Any] = {}
        super().__init__()

    def take(self, path: str, body: bytes) -> tuple[int, bytes]:
        value = json.loads(body)
        if path.startswith("/api/2.0/mlflow-artifacts/artifacts/"):
            self.tables[path.removeprefix("/api/2.0/mlflow-artifacts/artifacts/")] = value
            return 200, b"{}"
        answer = getattr(self, path.removeprefix("/api/2.0/mlflow/").replace("/", "_").replace("-", "_"))(value)
        return 200, json.dumps(answer).encode()

    def experiments_search(self, value: Any) -> Any:
        name = re.fullmatch(r"name = '(.*)'", value["filter"])
        assert name is not None
        there = [{"experiment_id": str(self.experiments.index(name[1]))}] if name[1] in self.experiments else []
        return {"experiments": there} if there else {}

    def experiments_create(self, value: Any) -> Any:
        assert value["name"] not in self.experiments
        self.experiments.append(value["name"])
        return {"experiment_id": str(len(self.experiments) - 1)}

    def runs_search(self, value: Any) -> Any:
        wanted = re.fullmatch(r"tags\.`(.*)` = '(.*)'", value["filter"])
        assert wanted is not None
        found = [{"info": run["info"]} for run in self.runs if run["tags"].get(wanted[1]) == wanted[2]]
        return {"runs": found} if found else {}

    def runs_create(self, value: Any) -> Any:
        run_id = f"run{len(self.runs)}"
        info = {"run_id": run_id, "artifact_uri": f"{self.artifacts}0/{run_id}/artifacts", "name": value["run_name"]}
        tags = {each["key"]: each["value"] for each in value["tags"]}
        self.runs.append({"info": info, "tags": tags, "metrics": {}, "params": {}, "times": set()})
        return {"run": {"info": info}}

    def runs_log_batch(self, value: Any) -> Any:
        run = next(run for run in self.runs if run["info"]["run_id"] == value["run_id"])
        for kind in ("metrics", "params", "tags"):
            for each in value[kind]:
                assert re.fullmatch(r"[\w\-. /]+", each["key"]), each
                assert kind == "metrics" or isinstance(each["value"], str)
                assert kind != "params" or run[kind].get(each["key"], each["value"]) == each["value"]
                run[kind][each["key"]] = each["value"]
        run["times"] |= {(each["timestamp"], each["step"]) for each in value["metrics"]}
        return {}

    def runs_update(self, value: Any) -> Any:
        run = next(run for run in self.runs if run["info"]["run_id"] == value["run_id"])
        run["info"]["status"] = value["status"]
        return {}
