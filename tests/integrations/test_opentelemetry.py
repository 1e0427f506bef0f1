"""A run as spans, by OpenTelemetry's own messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from row3.errors import Undelivered
from row3.integrations import opentelemetry as otel
from row3.integrations.finished import FinishedRun, find_run, read_finished
from row3.integrations.opentelemetry import open_sink
from row3.project.project import open_project
from tests.chat_server import FakeModel, FakeReply
from tests.integrations.receivers import Collector, Fault, attributes
from tests.projects import CASES, Box, flawless, next_second


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    one = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", one.address)
    yield one
    one.stop()


def send(box: Box, *, content: bool = False) -> FinishedRun:
    project = open_project(box.root)
    run = read_finished(project, find_run(project), content=content)
    open_sink(project).write(run)
    return run


def by_case(collector: Collector, name: str) -> dict[bytes, Any]:
    return {span.span_id: span for span in collector.named(name)}


def test_a_run_is_one_trace_of_run_cases_and_requests(live: Box, collector: Collector) -> None:
    run = send(live)
    (whole,) = collector.named("row3 run bread")
    cases, requests = by_case(collector, "row3 case"), by_case(collector, "chat baker-1")
    assert (len(cases), len(requests), len(collector.spans)) == (3, 3, 7)
    assert {span.trace_id for span in collector.spans.values()} == {whole.trace_id}
    assert {len(span.trace_id) for span in collector.spans.values()} == {16}
    assert {len(span.span_id) for span in collector.spans.values()} == {8}
    assert {span.parent_span_id for span in cases.values()} == {whole.span_id}
    assert {span.parent_span_id for span in requests.values()} == set(cases)
    assert not whole.parent_span_id
    assert attributes(whole)["row3.run.id"] == run.id
    assert attributes(whole)["row3.metric.overall"] == pytest.approx(0.85)
    assert attributes(whole)["row3.prompt.extract"] == "v1.1"
    (resource,) = collector.requests[0].resource_spans
    assert attributes(resource.resource)["service.name"] == "row3"
    assert resource.scope_spans[0].schema_url == "https://opentelemetry.io/schemas/1.41.0"


def test_a_request_has_the_names_of_the_convention_and_its_real_latency(live: Box, collector: Collector) -> None:
    run = send(live)
    requests = {request.digest: request for case in run.cases for request in case.requests}
    for span in collector.named("chat"):
        found = attributes(span)
        request = requests[found["row3.request.digest"]]
        assert span.kind == span.SPAN_KIND_CLIENT
        assert request.latency_s is not None
        assert (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9 == pytest.approx(request.latency_s, abs=1e-6)
        assert (
            found
            | {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "vllm",
                "gen_ai.request.model": "baker-1",
                "gen_ai.request.temperature": 0.0,
                "gen_ai.response.model": "served",
                "gen_ai.response.finish_reasons": ["stop"],
                "gen_ai.usage.input_tokens": 100,
                "gen_ai.usage.output_tokens": 50,
                "row3.request.cost_usd": pytest.approx(0.0003),
            }
            == found
        )
        assert "row3.request.recorded_at" not in found
    (whole,) = collector.named("row3 run")
    for span in collector.spans.values():
        assert whole.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
        assert span.end_time_unix_nano <= whole.end_time_unix_nano


def test_each_metric_of_a_case_is_an_evaluation_result(live: Box, collector: Collector) -> None:
    run = send(live)
    metrics = {case.id: case for case in run.cases}
    for span in collector.named("row3 case"):
        case = metrics[attributes(span)["row3.case.id"]]
        assert {event.name for event in span.events} == {"gen_ai.evaluation.result"}
        events = [attributes(event) for event in span.events]
        assert {
            each["gen_ai.evaluation.name"]: each["gen_ai.evaluation.score.value"] for each in events
        } == case.metrics
        labels = {each["gen_ai.evaluation.name"]: each.get("gen_ai.evaluation.score.label") for each in events}
        assert (labels["overall"], labels["ungroundedRate"]) == ("excellent", None)


def test_texts_are_sent_only_with_content(live: Box, collector: Collector) -> None:
    send(live)
    sent = b"".join(request.SerializeToString() for request in collector.requests)
    assert not any(text.encode() in sent for case in CASES.values() for text in (case["sourceText"], "sourceQuote"))
    send(live, content=True)
    said = {attributes(span)["gen_ai.input.messages"]: attributes(span) for span in collector.named("chat")}
    assert len(said) == 3
    for case in CASES.values():
        message = json.dumps([{"role": "user", "parts": [{"type": "text", "content": f"1.1: {case['sourceText']}"}]}])
        found = said[message]
        (system,) = json.loads(found["gen_ai.system_instructions"])
        (answer,) = json.loads(found["gen_ai.output.messages"])
        assert system == {"type": "text", "content": "You read texts about bread."}
        assert (answer["role"], answer["finish_reason"]) == ("assistant", "stop")
        assert json.loads(answer["parts"][0]["content"]) == flawless(case)


def test_a_replayed_answer_lies_at_the_time_of_the_run_and_says_when_it_was_recorded(
    live: Box, collector: Collector
) -> None:
    for file in live.path("recordings").rglob("*.jsonl"):
        text = file.read_text(encoding="utf-8").replace('"latencyS": null', '"latencyS": 1.5')
        file.write_text(text.replace('"recordedAt": "20', '"recordedAt": "19'), encoding="utf-8")
    live.row3("--mode", "replay", code=0)
    run = send(live)
    (whole,) = collector.named("row3 run")
    assert (whole.end_time_unix_nano - whole.start_time_unix_nano) / 1e9 == 1.5
    for span in collector.named("chat"):
        assert span.start_time_unix_nano == whole.start_time_unix_nano
        assert attributes(span)["row3.request.recorded_at"].startswith("19")
    assert run.header.mode == "replay"


def test_a_run_sent_twice_is_there_once(live: Box, collector: Collector) -> None:
    send(live)
    first = {key: span.SerializeToString() for key, span in collector.spans.items()}
    send(live)
    assert {key: span.SerializeToString() for key, span in collector.spans.items()} == first
    assert len(collector.requests) == 2


def test_a_large_run_goes_in_several_requests(live: Box, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otel, "BATCH_BYTES", 500)
    send(live)
    assert len(collector.requests) > 2
    assert len(collector.spans) == 7


def test_a_failed_case_is_an_error_and_has_no_results(live: Box, collector: Collector) -> None:
    project = open_project(live.root)
    run = read_finished(project, find_run(project))
    lost = run.cases[0].requests[0].replace(finish_reason="")
    failed = run.cases[0].replace(status="failed", metrics={}, problem="no answer (500)", requests=(lost,))
    bad = run.cases[1].replace(status="bad_answer")
    open_sink(project).write(run.replace(cases=(failed, bad)))
    cases = {attributes(span)["row3.case.id"]: span for span in collector.named("row3 case")}
    one, other = cases[failed.id], cases[bad.id]
    assert (one.status.code, one.status.message) == (one.status.STATUS_CODE_ERROR, "no answer (500)")
    assert (len(one.events), attributes(one)["error.type"]) == (0, "no_answer")
    assert (len(other.events) > 5, attributes(other)["error.type"]) == (True, "bad_answer")
    errors = [attributes(span).get("error.type") for span in collector.named("chat")]
    assert sorted(errors, key=str) == [None, "no_answer"]


def test_spans_that_are_rejected_are_told_of(live: Box, collector: Collector) -> None:
    collector.rejects.partial_success.rejected_spans = 2
    collector.rejects.partial_success.error_message = "too old"
    with pytest.raises(Undelivered, match="rejected 2 spans: too old") as caught:
        send(live)
    assert not caught.value.service_wide
    collector.rejects.Clear()
    collector.faults = [Fault(200, b"no protobuf")]
    send(live)


def test_headers_and_attributes_come_from_the_usual_variables(
    live: Box, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20YWJj, x-tenant=bread")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=ci,odd")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "bakery")
    send(live)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{collector.address}/here/")
    send(live)
    assert collector.paths == ["/v1/traces", "/here"]
    assert (collector.headers[0]["Authorization"], collector.headers[0]["x-tenant"]) == ("Basic YWJj", "bread")
    found = attributes(collector.requests[0].resource_spans[0].resource)
    assert (found["service.name"], found["deployment.environment.name"]) == ("bakery", "ci")


@pytest.mark.usefixtures("collector")
def test_a_header_that_is_not_ascii_is_undelivered_and_not_shown(live: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20s\u00e9cret")
    with pytest.raises(Undelivered, match="is not ASCII") as refused:
        send(live)
    assert "cret" not in str(refused.value)


def test_every_message_of_a_few_shot_prompt_is_sent(live: Box, collector: Collector) -> None:
    shots = '{% message "user" %}Yeast?{% endmessage %}{% message "assistant" %}[]{% endmessage %}'
    live.replace("prompts/extract-v1.1.md", "{% block user %}", shots + '{% message "user" %}')
    live.replace("prompts/extract-v1.1.md", "{% block system %}", '{% message "system" %}')
    live.path("prompts/extract-v1.1.md").write_text(
        live.read("prompts/extract-v1.1.md").replace("endblock", "endmessage"), encoding="utf-8"
    )
    fake = FakeModel(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(live)
    next_second()
    live.row3("--mode", "live", code=0)
    fake.stop()
    send(live, content=True)
    said = [json.loads(attributes(span)["gen_ai.input.messages"]) for span in collector.named("chat")]
    assert len(said) == len(CASES)
    for messages in said:
        texts = [(each["role"], each["parts"][0]["content"]) for each in messages]
        assert texts[:2] == [("user", "Yeast?"), ("assistant", "[]")]
        assert texts[2][0] == "user" and texts[2][1].startswith("1.1: ")
