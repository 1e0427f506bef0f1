"""Runs as OpenTelemetry traces over OTLP/HTTP: a span for the run, each case and each request.

Names are those of the GenAI semantic conventions in release 1.41.0, the last before they moved to a repository of
their own. Trace and span ids derive from run, case and request, so a run that is sent twice is there once.
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
from row3.errors import MissingExtra, Undelivered
from row3.integrations.http import Service, address
from row3.integrations.seams import FinishedCase, FinishedRequest, FinishedRun
from row3.store.project import Project

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
ENDPOINT, TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
HEADERS, TRACES_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
BATCH_BYTES = 1_000_000
"""Of the spans in one request: collectors take a few megabytes."""
PROVIDERS = {"gemini": "gcp.gemini", "local": "llama.cpp"}
"""How the convention spells a preset, where not alike."""
CALLED = ("mcp", "command", "python")
"""Types of systems, which requests name in the place of a model."""
NS = 1_000_000_000


def open_sink(project: Project) -> OpenTelemetry:
    """Return the sink for the endpoint in the environment. Raises `MissingExtra`, `UsageError`."""
    try:
        import_module("opentelemetry.proto.trace.v1.trace_pb2")
    except ImportError:
        fix = "pip install 'row3[otel]'"
        raise MissingExtra("OTLP needs OpenTelemetry's messages, which are not installed", fix=fix) from None
    allow_http = project.config.export.allow_http
    if os.environ.get(TRACES_ENDPOINT):
        url = address(TRACES_ENDPOINT, allow_http=allow_http)
    else:
        url = address(ENDPOINT, allow_http=allow_http) + "/v1/traces"
    headers = _pairs(HEADERS) | _pairs(TRACES_HEADERS)
    return OpenTelemetry(Service(url, headers, key_variable=HEADERS))


class OpenTelemetry:
    """Sends each run as one trace."""

    name = "otel"

    def __init__(self, service: Service) -> None:
        """Take the service whose address is that of the traces."""
        self._service = service

    def write(self, run: FinishedRun) -> None:
        """Send the run's spans in some requests. Raises `Undelivered`, also for spans that were rejected."""
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

        for body in requests_of(spans_of(run)):
            answer = self._service.send("POST", "", body, kind="application/x-protobuf")
            try:
                partial = ExportTraceServiceResponse.FromString(answer or b"").partial_success
            except DecodeError:  # some services answer JSON, or nothing that means anything
                continue
            if partial.rejected_spans:
                what = f"{self._service.host} rejected {partial.rejected_spans} spans: {partial.error_message}"
                raise Undelivered(what, all_of_them=False)


def requests_of(spans: Iterable[Span]) -> Iterator[bytes]:
    """Yield the bodies of `ExportTraceServiceRequest`s that together hold the spans."""
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
    """Yield the spans of each case, and that of the run last."""
    from opentelemetry.proto.trace.v1.trace_pb2 import Status

    header = run.header
    first = last = _ns(header.at)
    for case in run.cases:
        for span in case_spans(run, case):
            first, last = min(first, span.start_time_unix_nano), max(last, span.end_time_unix_nano)
            yield span
    whole = _span(run, f"row3 run {header.suite}")
    whole.start_time_unix_nano, whole.end_time_unix_nano = first, last
    if not header.complete:
        whole.status.code = Status.STATUS_CODE_ERROR
    about = {"id": run.id, "action": header.action, "mode": header.mode, "commit": header.commit, "model": header.model}
    put(whole.attributes, {"row3.suite": header.suite, "row3.kind": header.kind, "row3.cases": len(run.cases)})
    for name, values in (
        ("run", about),
        ("prompt", header.prompts),
        ("metric", header.metrics),
        ("zone", header.zones),
    ):
        put(whole.attributes, {f"row3.{name}.{key}": value for key, value in values.items()})
    yield whole


def case_spans(run: FinishedRun, case: FinishedCase) -> Iterator[Span]:
    """Yield the spans of a case's requests, then its own.

    An answer of this run is where it came, to the second; a replayed one lies at the run's time with the latency of
    its recording.
    """
    from opentelemetry.proto.trace.v1.trace_pb2 import Status

    own, began = _span(run, f"row3 case {case.id}", case.id), _ns(run.header.at)
    at, start, end = began, None, None
    for place, request in enumerate(case.requests):
        span = _request_span(run, case, request, place, at)
        at = max(at, span.end_time_unix_nano)
        start, end = min(start or at, span.start_time_unix_nano), max(end or 0, span.end_time_unix_nano)
        yield span
    own.start_time_unix_nano, own.end_time_unix_nano = start or began, end or began
    put(own.attributes, {"row3.case.id": case.id, "row3.case.status": case.status})
    if case.status != "scored":
        own.status.code, own.status.message = Status.STATUS_CODE_ERROR, case.problem
        put(own.attributes, {"error.type": "no_answer" if case.status == "failed" else case.status})
    for key, value in case.metrics.items():
        event = own.events.add(name="gen_ai.evaluation.result", time_unix_nano=own.end_time_unix_nano)
        label = {"gen_ai.evaluation.score.label": case.zones.get(key)}
        put(event.attributes, {"gen_ai.evaluation.name": key, "gen_ai.evaluation.score.value": value, **label})
    yield own


def _request_span(run: FinishedRun, case: FinishedCase, request: FinishedRequest, place: int, at: int) -> Span:
    """Return the span of one request; `at` is where a replayed answer begins."""
    from opentelemetry.proto.trace.v1.trace_pb2 import Status

    system = request.model in CALLED
    operation, subject = ("execute_tool", request.prompt) if system else ("chat", request.model)
    span = _span(run, f"{operation} {subject}".strip(), case.id, str(place))
    took, answered = round((request.latency_s or 0.0) * NS), _ns(request.answered_at)
    replayed = answered < _ns(run.header.at)
    span.start_time_unix_nano = at if replayed else answered - took
    span.end_time_unix_nano = span.start_time_unix_nano + took
    given: dict[str, Any] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": PROVIDERS.get(run.provider, run.provider),
        "gen_ai.response.model": request.served_model,
        "gen_ai.usage.input_tokens": request.prompt_tokens,
        "gen_ai.usage.output_tokens": request.completion_tokens,
        "row3.prompt": request.prompt or None,
        "row3.request.digest": request.digest,
        "row3.request.repeat": request.repeat,
        "row3.request.judge": request.by_judge or None,
        "row3.request.recorded_at": request.answered_at if replayed and request.answered_at else None,
        "row3.request.cost_usd": request.cost_usd,
    }
    if system:
        content = {"arguments": request.user, "result": request.answer}
        given |= {"gen_ai.tool.name": request.prompt}
        given |= {f"gen_ai.tool.call.{key}": value for key, value in content.items() if value}
    else:
        sent = {"model": request.model or None, "temperature": request.temperature, "seed": request.seed}
        given |= {f"gen_ai.request.{key}": value for key, value in sent.items()}
        given["gen_ai.request.max_tokens"] = request.max_tokens
        given |= _messages(request)
    if request.finish_reason:
        given["gen_ai.response.finish_reasons"] = [request.finish_reason]
    elif case.status == "failed":
        span.status.code, given["error.type"] = Status.STATUS_CODE_ERROR, "no_answer"
    put(span.attributes, given)
    return span


def _messages(request: FinishedRequest) -> dict[str, str]:
    """Return what was sent and said, as far as the run was read with it, in the convention's JSON."""
    user = {"role": "user", "parts": [_part(request.user)]}
    answer = {"role": "assistant", "parts": [_part(request.answer)], "finish_reason": request.finish_reason}
    found = {
        "gen_ai.system_instructions": [_part(request.system)] if request.system else None,
        "gen_ai.input.messages": [user] if request.user else None,
        "gen_ai.output.messages": [answer] if request.answer else None,
    }
    return {key: json.dumps(value, ensure_ascii=False) for key, value in found.items() if value}


def _part(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}


def _span(run: FinishedRun, name: str, *path: str) -> Span:
    """Return the span of the run, of a case or of a request, by how long the path to it is."""
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    span = Span(name=name, kind=Span.SPAN_KIND_CLIENT if len(path) > 1 else Span.SPAN_KIND_INTERNAL)
    span.trace_id = _id(16, "trace", run.id)
    span.span_id = _id(8, run.id, *path)
    if path:
        span.parent_span_id = _id(8, run.id, *path[:-1])
    return span


def _id(size: int, *parts: str) -> bytes:
    return hashlib.sha256("\n".join(parts).encode()).digest()[:size]


def put(attributes: Any, values: Mapping[str, Any]) -> None:
    """Add to a message's attributes what is not None."""
    for key, value in values.items():
        if value is None:
            continue
        held = attributes.add(key=key).value
        if isinstance(value, list):
            for each in value:
                held.array_value.values.add().string_value = each
        elif isinstance(value, bool):
            held.bool_value = value
        elif isinstance(value, int):
            held.int_value = value
        elif isinstance(value, float):
            held.double_value = value
        else:
            held.string_value = value


def _ns(at: str) -> int:
    """Return a time in nanoseconds since 1970; 0 for none."""
    return round(datetime.fromisoformat(at).timestamp()) * NS if at else 0


def _pairs(variable: str) -> dict[str, str]:
    """Return what a variable such as OTEL_EXPORTER_OTLP_HEADERS holds: `name=value`, with commas between."""
    pairs = (each.partition("=") for each in os.environ.get(variable, "").split(",") if "=" in each)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
