"""Runs as OpenTelemetry traces over OTLP/HTTP: a span for the run, each case and each request.

Names follow the GenAI semantic conventions 1.41.0, the last release before they moved to their own repository. Trace
and span ids derive from run, case and request, so a run sent twice appears once.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from row3 import __version__
from row3.domain.calls import CALLED
from row3.errors import MissingExtra, Undelivered
from row3.integrations.finished import FinishedCase, FinishedRequest, FinishedRun
from row3.integrations.http import Service, address
from row3.project.project import Project

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
ENDPOINT, TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
HEADERS, TRACES_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
BATCH_BYTES = 1_000_000
"""Of the spans in one request: collectors accept a few megabytes."""
PROVIDERS = {"azure": "azure.ai.openai", "gemini": "gcp.gemini", "local": "llama.cpp"}
"""The convention's names for presets, if different."""
NO_ANSWER = "no_answer"
NS = 1_000_000_000


def open_sink(project: Project) -> OpenTelemetry:
    """Return the sink for the endpoint in the environment. Raises `MissingExtra`, `UsageError`."""
    try:
        import_module("opentelemetry.proto.trace.v1.trace_pb2")
    except ImportError:
        fix = "pip install 'row3[otel]'"
        raise MissingExtra("OTLP export needs opentelemetry-proto, which is not installed", fix=fix) from None
    allow_http = project.config.export.allow_http
    if os.environ.get(TRACES_ENDPOINT):
        url, path = address(TRACES_ENDPOINT, allow_http=allow_http), ""
    else:
        url, path = address(ENDPOINT, allow_http=allow_http), "/v1/traces"
    headers = _pairs(HEADERS) | _pairs(TRACES_HEADERS)
    return OpenTelemetry(Service(url, headers, key_variable=HEADERS), path)


class OpenTelemetry:
    """Sends each run as one trace."""

    name = "otel"

    def __init__(self, service: Service, path: str) -> None:
        """Take the service and the path of the traces."""
        self._service, self._path = service, path

    def write(self, run: FinishedRun) -> None:
        """Send the run's spans. Raises `Undelivered`, also if spans were rejected."""
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

        for body in requests_of(spans_of(run)):
            answer = self._service.send("POST", self._path, body, kind="application/x-protobuf")
            try:
                partial = ExportTraceServiceResponse.FromString(answer or b"").partial_success
            except DecodeError:  # some services answer with JSON or text
                continue
            if partial.rejected_spans:
                what = f"{self._service.host} rejected {partial.rejected_spans} spans: {partial.error_message}"
                raise Undelivered(what, service_wide=False)


def requests_of(spans: Iterable[Span]) -> Iterator[bytes]:
    """Yield the spans in bodies of `ExportTraceServiceRequest`."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request, size = ExportTraceServiceRequest(), 0
    for span in spans:
        if not request.resource_spans:
            resource = request.resource_spans.add()
            service = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or "row3", "service.version": __version__}
            put(resource.resource.attributes, service | _pairs("OTEL_RESOURCE_ATTRIBUTES"))
            scope = resource.scope_spans.add(schema_url=SCHEMA_URL)
            scope.scope.name, scope.scope.version = "row3", __version__
        scope.spans.append(span)
        size += span.ByteSize()
        if size > BATCH_BYTES:
            yield request.SerializeToString()
            request, size = ExportTraceServiceRequest(), 0
    if request.resource_spans:
        yield request.SerializeToString()


def spans_of(run: FinishedRun) -> Iterator[Span]:
    """Yield the spans of each case, then the run's."""
    header = run.header
    first = last = _ns(header.at)
    for case in run.cases:
        for span in case_spans(run, case):
            first, last = min(first, span.start_time_unix_nano), max(last, span.end_time_unix_nano)
            yield span
    whole = _span(run, f"row3 run {header.suite}", first, last, error="" if header.complete else NO_ANSWER)
    about = {"id": run.id, "action": header.action, "mode": header.mode, "commit": header.commit, "model": header.model}
    put(whole.attributes, {"row3.suite": header.suite, "row3.kind": header.kind, "row3.cases": len(run.cases)})
    groups: dict[str, Mapping[str, Any]] = {"run": about, "prompt": header.prompts}
    groups |= {"metric": header.metrics, "zone": header.zones}
    for group, values in groups.items():
        put(whole.attributes, {f"row3.{group}.{key}": value for key, value in values.items()})
    yield whole


def case_spans(run: FinishedRun, case: FinishedCase) -> Iterator[Span]:
    """Yield the spans of a case's requests, then its own.

    A new answer has the time when it came, to the second; a replayed one the run's time and its recorded latency.
    """
    began = _ns(run.header.at)
    start, end, at = 0, 0, began
    for place, request in enumerate(case.requests):
        span = _request_span(run, case, request, place, at)
        at = max(at, span.end_time_unix_nano)
        start, end = min(start or at, span.start_time_unix_nano), max(end, span.end_time_unix_nano)
        yield span
    error = {"scored": "", "failed": NO_ANSWER}.get(case.status, case.status)
    own = _span(run, f"row3 case {case.id}", start or began, end or began, case.id, error=error)
    own.status.message = case.problem
    put(own.attributes, {"row3.case.id": case.id, "row3.case.status": case.status})
    for key, value in case.metrics.items():
        result = {"name": key, "score.value": value, "score.label": case.zones.get(key)}
        event = own.events.add(name="gen_ai.evaluation.result", time_unix_nano=own.end_time_unix_nano)
        put(event.attributes, {f"gen_ai.evaluation.{part}": found for part, found in result.items()})
    yield own


def _request_span(run: FinishedRun, case: FinishedCase, request: FinishedRequest, place: int, at: int) -> Span:
    """Return the span of one request; `at` is the start of a replayed answer."""
    took, answered = round((request.latency_s or 0.0) * NS), _ns(request.answered_at)
    replayed = answered < _ns(run.header.at)
    start = at if replayed else answered - took
    called = request.model in CALLED
    operation, subject = ("execute_tool", request.prompt) if called else ("chat", request.model)
    error = NO_ANSWER if case.status == "failed" and not request.finish_reason else ""
    span = _span(run, f"{operation} {subject}".strip(), start, start + took, case.id, str(place), error=error)
    convention: dict[str, Any] = {
        "operation.name": operation,
        "response.model": request.served_model,
        "response.finish_reasons": [request.finish_reason] if request.finish_reason else None,
        "usage.input_tokens": request.prompt_tokens,
        "usage.output_tokens": request.completion_tokens,
    }
    if called:
        convention |= {"tool.name": subject, "tool.call.result": request.answer}
        convention |= {"tool.call.arguments": request.messages[-1][1]} if request.messages else {}
    else:
        sent = {"model": request.model, "temperature": request.temperature, "seed": request.seed}
        sent["max_tokens"] = request.max_tokens
        convention["provider.name"] = PROVIDERS.get(run.provider, run.provider)
        convention |= {f"request.{key}": value for key, value in sent.items()} | _messages(request)
    put(span.attributes, {f"gen_ai.{key}": value for key, value in convention.items()})
    own = {"prompt": request.prompt, "digest": request.digest, "repeat": request.repeat, "cost_usd": request.cost_usd}
    own |= {"judge": request.by_judge or None, "recorded_at": request.answered_at if replayed else None}
    put(span.attributes, {f"row3.request.{key}": value for key, value in own.items()})
    return span


def _messages(request: FinishedRequest) -> dict[str, str]:
    """Return prompt and answer in the convention's JSON, if the run was read with content."""
    each = [(role, {"type": "text", "content": text}) for role, text in request.messages if text]
    answer = [{"type": "text", "content": request.answer}] if request.answer else []
    found: dict[str, list[Any]] = {
        "system_instructions": [part for role, part in each if role == "system"],
        "input.messages": [{"role": role, "parts": [part]} for role, part in each if role != "system"],
        "output.messages": answer and [{"role": "assistant", "parts": answer, "finish_reason": request.finish_reason}],
    }
    return {key: json.dumps(value, ensure_ascii=False) for key, value in found.items() if value}


def _span(run: FinishedRun, name: str, start: int, end: int, *path: str, error: str = "") -> Span:
    """Return a span; `path` is empty for the run, else case id and place of the request. Times in nanoseconds."""
    from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

    span = Span(name=name, start_time_unix_nano=start, end_time_unix_nano=end)
    span.kind = Span.SPAN_KIND_CLIENT if len(path) > 1 else Span.SPAN_KIND_INTERNAL
    span.trace_id, span.span_id = _id(16, "trace", run.id), _id(8, run.id, *path)
    if path:
        span.parent_span_id = _id(8, run.id, *path[:-1])
    if error:
        span.status.code = Status.STATUS_CODE_ERROR
        put(span.attributes, {"error.type": error})
    return span


def _id(size: int, *parts: str) -> bytes:
    return hashlib.sha256("\n".join(parts).encode()).digest()[:size]


def put(attributes: Any, values: Mapping[str, Any]) -> None:
    """Add attributes to a message, except None and empty texts."""
    for key, value in values.items():
        if value is not None and value != "":
            held = attributes.add(key=key).value
            if isinstance(value, list):
                for each in value:
                    held.array_value.values.add().string_value = each
            else:
                kinds = {bool: "bool_value", int: "int_value", float: "double_value"}
                setattr(held, kinds.get(type(value), "string_value"), value)


def _ns(at: str) -> int:
    """Return a time in nanoseconds since 1970; 0 for an empty text."""
    return round(datetime.fromisoformat(at).timestamp()) * NS if at else 0


def _pairs(variable: str) -> dict[str, str]:
    """Return the comma-separated `name=value` pairs of a variable such as OTEL_EXPORTER_OTLP_HEADERS."""
    pairs = (each.partition("=") for each in os.environ.get(variable, "").split(",") if "=" in each)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
