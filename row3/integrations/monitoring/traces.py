"""Records from traces: OTLP JSON and LangFuse exports. What a trace lacks stays unknown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from row3.domain.models import as_json
from row3.integrations.monitoring.records import BadLineError, moment
from row3.kinds import monitored_kind
from row3.kinds.answers import Parsed

Value = Mapping[str, Any]
SOURCE_TEXT = ("sourceText", "source_text", "text")
OUTPUTS = ("gen_ai.output.messages", "output.value")
"""Attributes for an answer: of OpenTelemetry's GenAI conventions 1.41 and of OpenInference."""
MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
COSTS = ("row3.costUsd", "llm.cost.total")
BROKEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Raised by reading if a field has the wrong type or a number is too large."""
FAILED = (2, "STATUS_CODE_ERROR")


def from_langfuse(trace: Value) -> dict[str, Any]:
    """Return a LangFuse trace in the form of a record; raises one of `BROKEN` if it cannot be one.

    Topic, domain and source text come from its metadata or its input; the default topic is its name.
    """
    places = [part for part in (trace.get("metadata"), trace.get("input")) if isinstance(part, dict)]
    steps = [step for step in trace.get("observations") or () if isinstance(step, dict)]
    faults = [str(step.get("statusMessage") or "error") for step in steps if step.get("level") == "ERROR"]
    latency = trace.get("latency")
    return {
        "id": trace.get("id"),
        "at": trace["timestamp"],
        "topic": _first(places, ("topic",)) or trace.get("name"),
        "domain": _first(places, ("domain",)),
        "version": trace.get("version"),
        "model": next((step["model"] for step in reversed(steps) if step.get("model")), None),
        "latencyMs": latency * 1000 if isinstance(latency, int | float) else latency,
        "costUsd": trace.get("totalCost"),
        "sourceText": _first(places, SOURCE_TEXT),
        **_answer([step.get("output") for step in steps] + [trace.get("output")], faults),
    }


def from_otlp(exports: Iterable[Value]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a record for each trace in OTLP exports, or the trace and why it cannot be one.

    `row3.topic`, `row3.domain`, `row3.version` and `row3.sourceText` may be attributes of any span. The default topic
    is the name of the first span, the default version the service's.
    """
    traces: dict[str, list[tuple[Value, dict[str, Any]]]] = {}
    for export in exports:
        try:
            spans_of = list(_spans(export))
        except BROKEN as error:
            yield dict(export), why(error)
            continue
        for span, found in spans_of:
            traces.setdefault(str(span.get("traceId")), []).append((span, found))
    for trace_id, spans in traces.items():
        try:
            yield _from_spans(trace_id, spans), ""
        except BROKEN as error:
            yield {"traceId": trace_id, "spans": [span for span, _ in spans]}, f"trace {trace_id}: {why(error)}"


def why(error: Exception) -> str:
    """Return what is wrong with a line."""
    return str(error) if isinstance(error, BadLineError) else f"a field is missing or has the wrong type ({error!r})"


def _spans(export: Value) -> Iterator[tuple[Value, dict[str, Any]]]:
    """Yield the spans of an export with their attributes, the service's version included."""
    for resource in export.get("resourceSpans") or ():
        service = _attributes(resource.get("resource") or {}).get("service.version")
        for scope in resource.get("scopeSpans") or ():
            for span in scope.get("spans") or ():
                yield span, {"row3.version": service, **_attributes(span)}


def _from_spans(trace_id: str, spans: list[tuple[Value, dict[str, Any]]]) -> dict[str, Any]:
    spans = sorted(spans, key=lambda each: int(each[0]["startTimeUnixNano"]))
    root = next((span for span, _ in spans if not span.get("parentSpanId")), spans[0][0])
    attributes = [found for _, found in spans]
    begun, ended = int(root["startTimeUnixNano"]), int(root["endTimeUnixNano"])
    status = root.get("status") or {}
    faults = [status.get("message") or "error"] if status.get("code") in FAILED else []
    costs = [cost for each in attributes if (cost := _first([each], COSTS)) is not None]
    return {
        "id": trace_id,
        "at": moment(begun // 1_000_000),
        "topic": _first(attributes, ("row3.topic",)) or root["name"],
        "domain": _first(attributes, ("row3.domain",)),
        "version": _first(attributes, ("row3.version",)),
        "model": _first(reversed(attributes), MODELS),
        "latencyMs": (ended - begun) / 1e6,
        "costUsd": sum(costs) if costs else None,
        "sourceText": _first(attributes, ("row3.sourceText",)),
        **_answer([_first([each], OUTPUTS) for each in attributes], faults),
    }


def _answer(outputs: Iterable[Any], faults: list[str]) -> dict[str, Any]:
    """Return concepts and relationships of the last outputs that have some; the error if none has."""
    kind, found = monitored_kind(), dict[str, Any]()
    for output in outputs:
        for text in _texts(output):
            for name in (kind.whole, "relationships"):
                if isinstance(read := kind.outputs[name].read(text), Parsed):
                    lists = as_json(read.value)
                    found |= {key: items for key, items in lists.items() if items or key not in found}
                    break
    if not found and not faults:
        raise BadLineError("the trace has neither an output with concepts nor an error")
    for concept in found.get("concepts", ()):
        quote = concept.pop("sourceQuote", None)
        concept["sourceQuote"] = quote if isinstance(quote, str) else None
    return {"error": None if found else faults[0], "concepts": [], "relationships": [], **found}


def _texts(output: Any) -> Iterator[str]:
    """Yield the texts of an output, which is a text, an object, or messages with parts, possibly as JSON."""
    if isinstance(output, str) and output.lstrip()[:1] == "[":
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            yield output
            return
    messages = output if isinstance(output, list) else [output]
    for message in messages:
        if isinstance(message, str):
            yield message
        elif isinstance(message, dict) and isinstance(message.get("parts"), list):
            yield from (part["content"] for part in message["parts"] if isinstance(part.get("content"), str))
        elif isinstance(message, dict):
            content = message.get("content")
            yield content if isinstance(content, str) else json.dumps(message)


def _first(places: Iterable[Value], keys: tuple[str, ...]) -> Any:
    return next((found for place in places for key in keys if (found := place.get(key)) is not None), None)


def _attributes(holder: Value) -> dict[str, Any]:
    """Return OTLP attributes as plain values."""
    return {each["key"]: _plain(each.get("value") or {}) for each in holder.get("attributes") or ()}


def _plain(value: Value) -> Any:
    for kind, held in value.items():
        match kind:
            case "intValue":
                return int(held)
            case "arrayValue":
                return [_plain(each) for each in held.get("values") or ()]
            case "kvlistValue":
                return {each["key"]: _plain(each.get("value") or {}) for each in held.get("values") or ()}
            case _:
                return held
    return None
