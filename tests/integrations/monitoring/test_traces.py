"""Traces of OTLP and LangFuse as records; what they do not say stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.integrations.monitoring.ingest import Ingested
from row3.integrations.monitoring.records import Record
from row3.integrations.monitoring.rows import StoredRecord, stored_records
from row3.integrations.monitoring.storage import DuckDb
from tests.monitored import EVER, TEXT, jsonl, take
from tests.rows import every_row

ANSWER = {
    "concepts": [{"label": "fungi", "confidence": 0.9, "sourceQuote": "Tall trees feed fungi."}],
    "relationships": [{"source": "trees", "predicate": "SUPPORTS", "target": "fungi"}],
}
BEGUN = 1_793_527_200_250_000_000


def taken(raw: bytes, folder: Path) -> tuple[Ingested, list[StoredRecord]]:
    store = DuckDb(folder / "m.duckdb")
    done = take(store, raw, folder)
    with store.open() as connection:
        return done, stored_records(connection, *EVER)


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {str: "stringValue", int: "intValue", float: "doubleValue"}
    return [{"key": key, "value": {kinds[type(value)]: value}} for key, value in values.items()]


def span(name: str, parent: str = "", *, trace: str = "t1", lasts_ms: int = 1200, **more: Any) -> dict[str, Any]:
    return {
        "traceId": trace,
        "spanId": name,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(BEGUN),
        "endTimeUnixNano": str(BEGUN + lasts_ms * 1_000_000),
        "attributes": attributes(more.pop("told", {})),
        **more,
    }


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    service = {"attributes": attributes({"service.version": "2.1"})}
    return {"resourceSpans": [{"resource": service, "scopeSpans": [{"spans": list(spans)}]}]}


def message(answer: dict[str, Any]) -> str:
    text = f"```json\n{json.dumps(answer)}\n```"
    return json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": "stop"}])


ROOT = span("forests", told={"row3.domain": "ecological", "row3.sourceText": TEXT})
CONCEPTS = span(
    "chat a",
    "forests",
    told={
        "gen_ai.response.model": "m-1",
        "gen_ai.output.messages": message({"concepts": ANSWER["concepts"]}),
        "llm.cost.total": 0.01,
    },
)
LINKS = span(
    "chat b",
    "forests",
    told={"gen_ai.output.messages": message({"relationships": ANSWER["relationships"]}), "llm.cost.total": 0.02},
)


@every_row("how", ["one document", "indented", "a line an export"])
def test_spans_of_a_trace_are_one_record(how: str, tmp_path: Path) -> None:
    whole = export(ROOT, CONCEPTS, LINKS)
    forms = {
        "one document": json.dumps(whole).encode(),
        "indented": json.dumps(whole, indent=2).encode(),
        "a line an export": jsonl(export(LINKS), export(CONCEPTS), export(ROOT)),
    }
    done, [found] = taken(forms[how], tmp_path)

    assert (done.new, done.bad) == (1, 0)
    assert (found.id, found.at_ms, found.topic, found.domain) == ("t1", BEGUN // 1_000_000, "forests", "ecological")
    assert (found.version, found.model, found.latency_ms, found.cost_usd) == ("2.1", "m-1", 1200, pytest.approx(0.03))
    assert (found.concepts, found.relationships, found.confidences, found.verified) == (1, 1, 1, 1)


def test_failed_and_empty_traces(tmp_path: Path) -> None:
    failed = span("x", trace="failed", status={"code": 2, "message": "429"})
    empty, broken = span("x", trace="empty"), {"traceId": "broken", "spanId": "s"}
    done, [found] = taken(json.dumps(export(failed, empty, broken)).encode(), tmp_path)

    assert (done.new, done.bad, found.id, found.error, found.cost_usd) == (1, 2, "failed", "429", None)
    assert "trace empty: the trace has neither an output with concepts nor an error" in done.named[0]
    assert "trace broken: a field is missing" in done.named[1]
    assert json.loads(json.loads((tmp_path / "aside.jsonl").read_text().splitlines()[0])["raw"])["traceId"] == "empty"


TRACE = {
    "id": "lf-1",
    "timestamp": "2026-11-01T10:00:00.250Z",
    "name": "decompose",
    "version": "v1.2",
    "input": {"topic": "forests", "source_text": TEXT},
    "metadata": {"domain": "ecological"},
    "output": ANSWER,
    "latency": 1.5,
    "totalCost": 0.02,
    "observations": [{"type": "GENERATION", "model": "m-1", "output": None, "level": "DEFAULT"}],
}


@every_row("how", ["one", "list", "page", "lines", "answer as text"])
def test_a_trace_of_langfuse_is_a_record(how: str, tmp_path: Path) -> None:
    raw = {
        "one": json.dumps(TRACE, indent=1).encode(),
        "list": json.dumps([TRACE]).encode(),
        "page": json.dumps({"data": [TRACE], "meta": {"page": 1}}).encode(),
        "lines": jsonl(TRACE),
        "answer as text": jsonl(TRACE | {"output": {"role": "assistant", "content": json.dumps(ANSWER)}}),
    }[how]
    done, [found] = taken(raw, tmp_path)

    assert (done.new, done.bad) == (1, 0)
    assert (found.id, found.topic, found.domain, found.version) == ("lf-1", "forests", "ecological", "v1.2")
    assert (found.model, found.latency_ms, found.cost_usd, found.error) == ("m-1", 1500, 0.02, None)
    assert (found.concepts, found.relationships, found.verified) == (1, 1, 1)
    whole = found.record()
    assert isinstance(whole, Record) and whole.concepts[0].confidence == 0.9


def test_traces_without_output_and_with_wrong_values(tmp_path: Path) -> None:
    fault = {"level": "ERROR", "statusMessage": "time-out"}
    mad = {"concepts": [{"label": "x", "confidence": 7}]}
    traces = [
        TRACE | {"id": "none", "output": None},
        TRACE | {"id": "failed", "output": None, "observations": [fault]},
        TRACE | {"id": "mad", "output": mad},
        TRACE | {"id": "retried", "observations": [fault]},
        {"id": "bare", "timestamp": "2026-11-01T10:00:00Z", "name": "n", "output": ANSWER},
    ]
    done, found = taken(json.dumps(traces).encode(), tmp_path)

    assert {each.id: each.error for each in found} == {"failed": "time-out", "retried": None, "bare": None}
    assert done.named[0] == "file.jsonl:1: the trace has neither an output with concepts nor an error"
    assert "file.jsonl:3: field `concepts.0.confidence`" in done.named[1]
    bare = next(each for each in found if each.id == "bare")
    assert (bare.latency_ms, bare.cost_usd, bare.model, bare.version, bare.domain) == (None,) * 5
    assert bare.verified is None


@every_row(
    "broken",
    [
        {"resourceSpans": 3},
        {"resourceSpans": [None]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [None]}]}]},
        export(span("s", attributes=3)),
        export(span("s", attributes=[None])),
        export(span("s", trace="t9", startTimeUnixNano="9" * 40)),
        export(span("s", trace="t9", startTimeUnixNano="soon")),
        export(span("s", trace="t9", told={"output.value": "[" * 5000})),
    ],
)
def test_a_broken_export_is_kept_aside_and_the_rest_is_taken_in(broken: dict[str, Any], tmp_path: Path) -> None:
    good = export(span("root", told={"output.value": json.dumps(ANSWER), "row3.topic": "forests"}))
    done, found = taken(jsonl(good, broken), tmp_path)

    assert (done.new, done.bad) == (1, 1)
    assert [each.topic for each in found] == ["forests"]
    assert (tmp_path / "aside.jsonl").stat().st_size > 0


@every_row("changed", [{"observations": 3}, {"latency": 10**400}, {"output": "[" * 5000}, {"id": {}}])
def test_a_broken_trace_of_langfuse_is_a_bad_line(changed: dict[str, Any], tmp_path: Path) -> None:
    done, found = taken(jsonl(TRACE, TRACE | {"id": "lf-2"} | changed), tmp_path)
    assert (done.new, done.bad) == (1, 1)
    assert [each.id for each in found] == ["lf-1"]
