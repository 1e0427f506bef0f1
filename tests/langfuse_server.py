"""A LangFuse on loopback: it validates every request with the SDK's own models, keeps state, and fails as told."""

from __future__ import annotations

import gzip
import json
import re
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pydantic
from langfuse.api import (
    CreateChatPromptRequest,
    CreateDatasetItemRequest,
    CreateDatasetRequest,
    CreateScoreRequest,
    CreateTextPromptRequest,
)
from langfuse.api.core.pydantic_utilities import parse_obj_as
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from tests.local_server import Handler, LocalServer

PUBLIC, SECRET = "pk-lf-1111-2222-3333", "sk-lf-4444-5555-6666"
PROJECT = "project-of-the-tests"
BEGIN = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
TRACE_ID = re.compile(r"[0-9a-f]{32}\Z")


class RefusedError(Exception):
    """A request that the real server would refuse."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Fault:
    """What happens to the next requests whose method and path fit."""

    kind: str
    """`down` (closes the connection), `half` (half of the body), `slow`, or a status."""
    fits: str = ""
    times: int = 10**9
    headers: Mapping[str, str] = field(default_factory=dict)
    after: int = 0
    """Fitting requests that are let through first."""
    applied: bool = False
    """The request is carried out, and only its answer lost."""


def strict(model: Any, value: Any) -> Any:
    """The value as the SDK's model; an unknown key anywhere is refused."""
    try:
        made = parse_obj_as(model, value)
    except pydantic.ValidationError as error:
        raise RefusedError(400, f"Invalid request data: {error}") from None
    for each in made if isinstance(made, list) else [made]:
        if extra := each.model_extra:
            raise RefusedError(400, f"Unrecognized keys: {sorted(extra)}")
    return made


@dataclass
class Span:
    """A span of OTLP, decoded."""

    trace_id: str
    id: str
    parent: str
    name: str
    start_ns: int
    end_ns: int
    attributes: dict[str, Any]
    resource: dict[str, Any]
    status: int

    def json(self, name: str) -> Any:
        """An attribute that holds JSON; None for none."""
        return json.loads(self.attributes[name]) if name in self.attributes else None


def _plain(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(each) for each in value.array_value.values]
    return None if kind is None else getattr(value, kind)


def decoded(raw: bytes) -> Iterator[Span]:
    """The spans of an export request."""
    request = ExportTraceServiceRequest()
    request.ParseFromString(raw)
    for of_resource in request.resource_spans:
        resource = {each.key: _plain(each.value) for each in of_resource.resource.attributes}
        for scope in of_resource.scope_spans:
            for span in scope.spans:
                attributes = {each.key: _plain(each.value) for each in span.attributes}
                ids = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
                times = span.start_time_unix_nano, span.end_time_unix_nano
                yield Span(*ids, span.name, *times, attributes, resource, span.status.code)


class LangFuse(LocalServer):
    """Datasets, their items, prompts, scores and traces, by id."""

    def __init__(self) -> None:
        self.datasets: dict[str, dict[str, Any]] = {}
        self.items: dict[str, dict[str, Any]] = {}
        self.prompts: dict[str, list[dict[str, Any]]] = {}
        self.scores: dict[str, dict[str, Any]] = {}
        self.spans: dict[tuple[str, str], Span] = {}
        self.requests: list[tuple[str, str]] = []
        """Method and path of everything that was asked."""
        self.faults: list[Fault] = []
        self.page = 50
        """Most entries of a page."""
        self.over = threading.Event()
        self.ticks = 0
        self.lock = threading.RLock()
        own = self

        class Api(Handler):
            def answer(self) -> None:
                body, path = self.sent(), urlsplit(self.path)
                with own.lock:
                    own.requests.append((self.command, path.path))
                    fault = own.fault(f"{self.command} {path.path}")
                if fault is not None and not fault.applied and own.fail(self, fault):
                    return
                try:
                    with own.lock:
                        own.check_key(self.headers.get("Authorization", ""))
                        if self.headers.get("Content-Encoding") == "gzip":
                            body = gzip.decompress(body)
                        query = {key: values[0] for key, values in parse_qs(path.query).items()}
                        given = self.headers.get("x-langfuse-ingestion-version", "")
                        status, value = own.handle(self.command, path.path, query, body, given)
                except RefusedError as error:
                    status, value = error.status, {"error": "InvalidRequestError", "message": str(error)}
                if fault is not None and fault.applied and own.fail(self, fault):
                    return
                self.reply(status, json.dumps(value).encode())

            do_GET = do_POST = do_PATCH = do_DELETE = answer

        super().__init__(Api)

    def stop(self) -> None:
        """Shut the server down."""
        self.over.set()
        super().stop()

    @property
    def env(self) -> dict[str, str]:
        """What a client needs."""
        return {"LANGFUSE_HOST": self.address, "LANGFUSE_PUBLIC_KEY": PUBLIC, "LANGFUSE_SECRET_KEY": SECRET}

    def fault(self, what: str) -> Fault | None:
        """The fault that this request meets."""
        for fault in self.faults:
            if fault.times > 0 and re.search(fault.fits, what):
                if fault.after > 0:
                    fault.after -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    def fail(self, handler: Handler, fault: Fault) -> bool:
        """Do what the fault says; False where the request is answered all the same."""
        if fault.kind == "slow":
            return not self.over.wait(30.0) or True
        if fault.kind in ("down", "half"):
            if fault.kind == "half":
                handler.send_response(200)
                handler.send_header("Content-Length", "1000")
                handler.end_headers()
                handler.wfile.write(b'{"data": [')
            handler.close_connection = True
            return True
        handler.reply(
            int(fault.kind), b'{"message": "told to fail"}', {"Content-Type": "application/json", **fault.headers}
        )
        return True

    def check_key(self, header: str) -> None:
        """Raise `RefusedError` unless these are the keys."""
        if header != "Basic " + b64encode(f"{PUBLIC}:{SECRET}".encode()).decode():
            raise RefusedError(401, "Invalid credentials. Confirm that you've configured the correct host.")

    def now(self) -> str:
        """A time that goes on with every call."""
        self.ticks += 1
        return (BEGIN + timedelta(seconds=self.ticks)).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def handle(self, method: str, path: str, query: dict[str, str], body: bytes, ingestion: str) -> tuple[int, Any]:
        """Answer one request."""
        routes: list[tuple[str, str, Callable[..., Any]]] = [
            ("POST", "/api/public/v2/datasets", self.create_dataset),
            ("GET", "/api/public/v2/datasets/([^/]+)", self.get_dataset),
            ("POST", "/api/public/dataset-items", self.create_item),
            ("GET", "/api/public/dataset-items", self.list_items),
            ("GET", "/api/public/dataset-items/([^/]+)", self.get_item),
            ("POST", "/api/public/v2/prompts", self.create_prompt),
            ("GET", "/api/public/v2/prompts/([^/]+)", self.get_prompt),
            ("GET", "/api/public/v2/prompts", self.list_prompts),
            ("PATCH", "/api/public/v2/prompts/([^/]+)/versions/([0-9]+)", self.label_prompt),
            ("POST", "/api/public/scores", self.create_scores),
            ("GET", "/api/public/v3/scores", self.list_scores),
            ("GET", "/api/public/v2/observations", self.list_observations),
            ("GET", "/api/public/projects", self.list_projects),
        ]
        if (method, path) == ("POST", "/api/public/otel/v1/traces"):
            if ingestion != "4":
                raise RefusedError(400, "x-langfuse-ingestion-version: 4 is missing")
            for span in decoded(body):
                assert TRACE_ID.match(span.trace_id)
                assert len(span.id) == 16
                self.spans[span.trace_id, span.id] = span
            return 200, {}
        for verb, pattern, answer in routes:
            found = re.fullmatch(pattern, path)
            if verb == method and found is not None:
                given = [unquote(each) for each in found.groups()]
                value = answer(*given, query if method == "GET" else json.loads(body))
                return value if isinstance(value, tuple) else (200, value)
        raise RefusedError(404, f"no such route: {method} {path}")

    # Datasets

    def create_dataset(self, body: Any) -> Any:
        made = strict(CreateDatasetRequest, body)
        old = self.datasets.get(made.name, {"id": f"dataset-{len(self.datasets) + 1}", "createdAt": self.now()})
        self.datasets[made.name] = {
            **old,
            "name": made.name,
            "description": made.description,
            "metadata": made.metadata,
            "projectId": PROJECT,
            "updatedAt": self.now(),
        }
        return self.datasets[made.name]

    def get_dataset(self, name: str, query: dict[str, str]) -> Any:
        if name not in self.datasets:
            raise RefusedError(404, "Dataset not found")
        return self.datasets[name]

    def create_item(self, body: Any) -> Any:
        made = strict(CreateDatasetItemRequest, body)
        dataset = self.get_dataset(made.dataset_name, {})
        item_id = made.id or f"item-{len(self.items) + 1}"
        if len(item_id) > 255:
            raise RefusedError(400, "id is longer than 255 characters")
        old = self.items.get(item_id, {"createdAt": self.now(), "status": "ACTIVE"})
        if old.get("datasetId", dataset["id"]) != dataset["id"]:
            raise RefusedError(404, f"Dataset item with id {item_id} not found for project")
        # What a request leaves out stays as it is, as an upsert does.
        given = {
            key: body[key] for key in ("input", "expectedOutput", "metadata", "sourceTraceId", "status") if key in body
        }
        self.items[item_id] = {
            "input": None,
            "expectedOutput": None,
            "metadata": None,
            "sourceTraceId": None,
            **old,
            **{key: value for key, value in given.items() if value is not None},
            "id": item_id,
            "datasetId": dataset["id"],
            "datasetName": dataset["name"],
            "mediaReferences": [],
            "updatedAt": self.now(),
        }
        return self.items[item_id]

    def get_item(self, item_id: str, query: dict[str, str]) -> Any:
        if item_id not in self.items:
            raise RefusedError(404, "Dataset item not found")
        return self.items[item_id]

    def list_items(self, query: dict[str, str]) -> Any:
        self.get_dataset(query["datasetName"], {})
        found = [each for each in self.items.values() if each["datasetName"] == query["datasetName"]]
        return self._paged(list(reversed(found)), query)

    def _paged(self, found: list[Any], query: dict[str, str]) -> Any:
        page, limit = int(query.get("page", 1)), min(int(query.get("limit", 50)), self.page)
        meta = {"page": page, "limit": limit, "totalItems": len(found), "totalPages": -(-len(found) // limit)}
        return {"data": found[(page - 1) * limit : page * limit], "meta": meta}

    # Prompts

    def create_prompt(self, body: Any) -> Any:
        made = strict(CreateChatPromptRequest if body.get("type") == "chat" else CreateTextPromptRequest, body)
        versions = self.prompts.setdefault(made.name, [])
        value = {
            "name": made.name,
            "version": len(versions) + 1,
            "type": body.get("type", "text"),
            "prompt": body["prompt"],
            "config": made.config or {},
            "labels": [],
            "tags": made.tags or [],
            "commitMessage": made.commit_message,
        }
        versions.append(value)
        self._label(made.name, value["version"], made.labels or [])
        return value

    def _label(self, name: str, version: int, labels: list[str]) -> None:
        for each in self.prompts[name]:
            kept = [label for label in each["labels"] if label not in (*labels, "latest")]
            new = kept + labels if each["version"] == version else kept
            each["labels"] = new + (["latest"] if each["version"] == len(self.prompts[name]) else [])

    def get_prompt(self, name: str, query: dict[str, str]) -> Any:
        label = query.get("label", "production")
        for each in self.prompts.get(name, []):
            if str(each["version"]) == query.get("version") or ("version" not in query and label in each["labels"]):
                return each
        raise RefusedError(404, f"Prompt not found: '{name}' with label '{label}'")

    def list_prompts(self, query: dict[str, str]) -> Any:
        found = [
            {
                "name": name,
                "type": versions[-1]["type"],
                "versions": [each["version"] for each in versions],
                "labels": sorted({label for each in versions for label in each["labels"]}),
                "tags": [],
                "lastUpdatedAt": self.now(),
                "lastConfig": versions[-1]["config"],
            }
            for name, versions in self.prompts.items()
            if query.get("label") is None or any(query["label"] in each["labels"] for each in versions)
        ]
        return self._paged(found, query)

    def label_prompt(self, name: str, version: str, body: Any) -> Any:
        if set(body) != {"newLabels"}:
            raise RefusedError(400, "Unrecognized keys")
        self._label(name, int(version), body["newLabels"])
        return self.prompts[name][int(version) - 1]

    # Scores and traces

    def create_scores(self, body: Any) -> Any:
        if len(json.dumps(body)) > 1_000_000:
            raise RefusedError(413, "Request entity too large")
        for given, made in zip(body, strict(list[CreateScoreRequest], body), strict=True):
            if made.data_type == "NUMERIC" and not isinstance(given["value"], int | float):
                raise RefusedError(400, "a numeric score needs a number")
            if made.data_type == "TEXT" and not 1 <= len(given["value"]) <= 500:
                raise RefusedError(400, "a text score has 1 to 500 characters")
            assert made.id is not None
            assert made.timestamp is not None
            assert made.timestamp.tzinfo is not None
            # The same id at another time is another row there.
            self.scores[f"{made.id}@{made.timestamp.isoformat()}"] = given
        return 202, {"message": "Accepted"}

    def list_scores(self, query: dict[str, str]) -> Any:
        found = [
            {
                "id": each["id"],
                "projectId": PROJECT,
                "name": each["name"],
                "value": each["value"],
                "dataType": each.get("dataType", "NUMERIC"),
                "source": each.get("source", "API"),
                "timestamp": each["timestamp"],
                "environment": "default",
                "createdAt": each["timestamp"],
                "updatedAt": each["timestamp"],
            }
            for each in self.scores.values()
            if each.get("traceId") == query.get("traceId") and each.get("dataType") == query.get("dataType")
        ]
        return {"data": found, "meta": {"limit": 50}}

    def list_observations(self, query: dict[str, str]) -> Any:
        kinds = query.get("fields", "core,basic").split(",")
        found = []
        for span in self.spans.values():
            if span.trace_id != query["traceId"]:
                continue
            root = not span.parent
            if query.get("isRootObservation", "").lower() == "true" and not root:
                continue
            at = [datetime.fromtimestamp(ns / 1e9, UTC).isoformat() for ns in (span.start_ns, span.end_ns)]
            value: dict[str, Any] = {
                "id": span.id,
                "traceId": span.trace_id,
                "startTime": at[0],
                "endTime": at[1],
                "projectId": PROJECT,
                "parentObservationId": span.parent or None,
                "type": span.attributes.get("langfuse.observation.type", "span").upper(),
                "isRootObservation": root,
                "name": span.name,
            }
            if "io" in kinds:
                value["input"] = span.attributes.get("langfuse.observation.input")
                value["output"] = span.attributes.get("langfuse.observation.output")
            found.append(value)
        return {"data": found, "meta": {}}

    def list_projects(self, query: dict[str, str]) -> Any:
        organization = {"id": "organization", "name": "Bakers"}
        return {"data": [{"id": PROJECT, "name": "bread", "organization": organization, "metadata": {}}]}

    # What tests ask

    def scores_of(self, trace_id: str) -> dict[str, Any]:
        """Value by name of a trace's scores."""
        found = [each for each in self.scores.values() if each.get("traceId") == trace_id]
        assert len({each["name"] for each in found}) == len(found)
        return {each["name"]: each["value"] for each in found}
