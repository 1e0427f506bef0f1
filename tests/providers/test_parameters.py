"""What parameters and headers become of a request, over real HTTP; and the Responses API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from row3.domain.endpoints import Header
from row3.domain.requests import EXTRA, Answer, NoAnswer
from row3.domain.secrets import NO_SECRETS
from row3.errors import UsageError
from row3.project.model_parameters import ModelParameters
from row3.providers.base import endpoint_for
from row3.providers.faults import Exchange, Fault
from row3.providers.responses_api import read_response, responses_body
from tests.providers.test_openai_api import Asker, error
from tests.strategies import json_values

ALL: dict[str, Any] = {
    "reasoning_effort": "low",
    "verbosity": "high",
    "top_p": 0.5,
    "stop": ["END"],
    "presence_penalty": -1.0,
    "frequency_penalty": 1.0,
    "service_tier": "flex",
    "extra_body": {"top_k": 5, "provider": {"order": ["a"]}},
}


@pytest.fixture
def asker(fake: Any) -> Asker:
    return Asker(fake.url)


def response(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    value = {"id": "r", "object": "response", "status": "completed", "error": None, "model": "served-1"}
    return value | {"incomplete_details": None, "output": list(output), "usage": usage} | more


def message(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "status": "completed", "content": list(parts)}


def text(said: str) -> dict[str, Any]:
    return {"type": "output_text", "text": said, "annotations": []}


THOUGHTS = {"type": "reasoning", "summary": []}
REFUSAL = {"type": "refusal", "refusal": "I cannot help."}


def test_every_parameter_is_here() -> None:
    assert {*ALL, "api"} == {*EXTRA} == ModelParameters.model_fields.keys() - {"temperature", "seed", "max_tokens"}
    assert all(key == to_camel(name) for name, key in EXTRA.items())


def test_parameters_are_sent_as_the_api_names_them(fake: Any, asker: Asker, make_request: Any) -> None:
    answer = asker.ask(make_request(extra=ALL))
    sent = {key: value for key, value in ALL.items() if key != "extra_body"} | ALL["extra_body"]
    assert {key: fake.seen[0].get(key) for key in sent} == sent
    assert "api" not in fake.seen[0]
    assert answer.omitted == ()


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("name", ["reasoning_effort", "verbosity", "stop", "service_tier", "top_k", "temperature"])
def test_whatever_the_endpoint_refuses_is_left_out(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, name: str, api: str
) -> None:
    spelled = {"reasoning_effort": "reasoning.effort", "verbosity": "text.verbosity"}.get(name, name)
    spelled = spelled if api == "responses" else name
    good = make_reply(body=response(message(text("hello")))) if api == "responses" else make_reply()

    def choose(body: dict[str, Any]) -> Any:
        if spelled in body or spelled.partition(".")[2] in body.get(spelled.partition(".")[0], {}):
            said = f"Unsupported parameter: '{spelled}' is not supported with this model."
            return make_reply(400, error(said, param=spelled, code="unsupported_parameter"))
        return good

    fake.chooser = choose
    extra = ALL if api == "chat" else ALL | {"api": api}
    first, second = asker.ask(make_request(extra=extra), make_request(extra=extra))
    assert (first.text, first.omitted, second.omitted) == ("hello", (name,), (name,))
    assert len(fake.seen) == 3


def test_a_refused_value_is_the_users_to_correct(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    said = "Unsupported value: 'minimal' is not supported. Supported values are: 'low', 'medium', and 'high'."
    fake.script = [make_reply(400, error(said, param="reasoning_effort", code="unsupported_value"))]
    answer = asker.ask(make_request(extra={"reasoning_effort": "minimal"}))
    assert isinstance(answer, NoAnswer)
    assert "Supported values are" in answer.error
    assert len(fake.seen) == 1


def test_what_a_service_ignores_is_not_sent(fake: Any, make_request: Any) -> None:
    ignored = endpoint_for("anthropic").omits
    answer = Asker(fake.url, omits=ignored).ask(make_request(extra=ALL))
    assert {*answer.omitted} == ignored
    assert not ignored & fake.seen[0].keys()


@pytest.mark.parametrize("name", ["Authorization", "authorization"])
@pytest.mark.parametrize("key", ["", "sk-our-own-key"])
def test_a_given_authorization_is_sent_in_the_place_of_the_key(
    fake: Any, make_request: Any, name: str, key: str
) -> None:
    environ = {"GATE": "Bearer open-sesame-123", "ROW3_TEST_KEY": key}
    given = (Header(name, variable="GATE"),)
    for preset, variable in (("openai", "ROW3_TEST_KEY"), ("vllm", None), ("azure", "ROW3_TEST_KEY")):
        asker = Asker(fake.url, environ=environ, preset=preset, key_variable=variable, headers=given)
        assert isinstance(asker.ask(make_request()), Answer)
    assert [headers["authorization"] for headers in fake.headers] == ["Bearer open-sesame-123"] * 3
    assert not any("api-key" in headers for headers in fake.headers)


def test_headers_are_sent_and_the_secret_ones_come_from_the_environment(fake: Any, make_request: Any) -> None:
    headers = (Header("X-Title", "row3"), Header("X-Gateway-Key", variable="GATE"))
    environ = {"ROW3_TEST_KEY": "correct-horse-battery", "GATE": "open-sesame-123"}
    asker = Asker(fake.url, headers=headers, environ=environ)
    assert isinstance(asker.ask(make_request()), Answer)
    assert (fake.headers[0]["x-title"], fake.headers[0]["x-gateway-key"]) == ("row3", "open-sesame-123")
    assert "open-sesame" not in json.dumps(fake.seen)


@pytest.mark.parametrize(("value", "what"), [("", "needs a value"), ("a\nb: c", "cannot have"), ("ö", "cannot have")])
def test_a_secret_header_without_a_usable_value_stops_the_run(
    fake: Any, make_request: Any, value: str, what: str
) -> None:
    environ = {"ROW3_TEST_KEY": "correct-horse-battery", "GATE": value}
    with pytest.raises(UsageError, match=what):
        Asker(fake.url, headers=(Header("X-Key", variable="GATE"),), environ=environ).ask(make_request())
    assert fake.seen == []


def test_a_secret_header_is_hidden_in_errors(fake: Any, make_request: Any, make_reply: Any) -> None:
    environ = {"ROW3_TEST_KEY": "correct-horse-battery", "GATE": "open-sesame-123"}
    fake.script = [make_reply(400, error("bad header open-sesame-123"))]
    answer = Asker(fake.url, headers=(Header("X-Key", variable="GATE"),), environ=environ).ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert "bad header" in answer.error
    assert "open-sesame-123" not in answer.error


def test_a_response(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    fake.script = [make_reply(body=response(THOUGHTS, message(text('{"city": '), text('"Paris"}'))))]
    answer = asker.ask(make_request(extra={"api": "responses", "reasoning_effort": "low", "verbosity": "low"}))
    assert (answer.text, answer.finish_reason, answer.served_model) == ('{"city": "Paris"}', "stop", "served-1")
    assert (answer.prompt_tokens, answer.completion_tokens, answer.omitted) == (11, 7, ())
    assert fake.paths == ["/v1/responses"]
    assert fake.seen == [
        {
            "model": "model-1",
            "store": False,
            "instructions": "Answer in JSON.",
            "input": [{"role": "user", "content": "What is the capital of France?"}],
            "temperature": 0.0,
            "seed": 7,
            "max_output_tokens": 50,
            "reasoning": {"effort": "low"},
            "text": {
                "verbosity": "low",
                "format": {
                    "type": "json_schema",
                    "name": "city_answer",
                    "strict": True,
                    "schema": make_request().schema,
                },
            },
        }
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (response(message(REFUSAL)), ("I cannot help.", "stop", "refusal")),
        (response(THOUGHTS), ("", "stop", "reasoning")),
        (response({"type": "function_call", "name": "f", "arguments": "{}"}), ("", "stop", "function_call")),
        (response(), ("", "stop", "")),
        (
            response(message(text('{"ci')), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            ('{"ci', "length", ""),
        ),
        (
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            ("", "content_filter", ""),
        ),
        (response(message(text("hi")), usage=None, model="", status="odd"), ("hi", "odd", "")),
    ],
)
def test_what_a_response_says(body: dict[str, Any], said: tuple[str, ...]) -> None:
    answer = read(body)
    assert isinstance(answer, Answer)
    assert (answer.text, answer.finish_reason, answer.instead) == said


def test_a_count_that_is_none_is_unknown() -> None:
    answer = read(response(message(text("x")), usage={"input_tokens": -1, "output_tokens": True}))
    assert (answer.prompt_tokens, answer.completion_tokens) == (None, None)
    assert (answer.cached_tokens, answer.reasoning_tokens) == (None, None)


def test_cached_and_reasoning_tokens_are_part_of_the_counts() -> None:
    answer = read(response(message(text("x"))))
    assert (answer.prompt_tokens, answer.cached_tokens) == (11, 3)
    assert (answer.completion_tokens, answer.reasoning_tokens) == (7, 5)
    more = {"input_tokens_details": None, "output_tokens_details": {"reasoning_tokens": "many"}}
    odd = read(response(message(text("x")), usage={"input_tokens": 11, "output_tokens": 7} | more))
    assert (odd.cached_tokens, odd.reasoning_tokens) == (None, None)


def test_a_filtered_response_and_a_refusal_are_bad_answers() -> None:
    filtered = read(response(status="incomplete", incomplete_details={"reason": "content_filter"}))
    assert filtered.fault.startswith("filtered")
    assert read(response(message(REFUSAL))).fault == "refused: I cannot help."
    assert read(response(THOUGHTS)).fault == "empty: the reply has only `reasoning`"


@pytest.mark.parametrize(
    "body",
    [
        response(status="failed", error={"code": "server_error", "message": "The model failed."}),
        {"id": "r"},
        response("text"),  # type: ignore[arg-type]
        response(message({"type": "output_text", "text": 5})),
        response(message(text("x")), usage=[1]),
    ],
)
def test_a_broken_response_is_retried(body: Any) -> None:
    fault = read(body)
    assert isinstance(fault, Fault)
    assert fault.kind == "retry"


@given(json_values())
def test_no_response_is_a_crash(value: Any) -> None:
    assert isinstance(read(value), Answer | Fault)
    assert isinstance(read({"output": [value], "status": value}), Answer | Fault)


@given(st.dictionaries(st.sampled_from(["reasoning", "text"]), st.just({"summary": "auto"})))
def test_fields_of_ones_own_are_kept_beside_the_parameters(own: dict[str, Any]) -> None:
    body = responses_body({"messages": [{"role": "user", "content": "x"}], "reasoning_effort": "low", **own})
    assert body["reasoning"] == {**own.get("reasoning", {}), "effort": "low"}
    assert body.get("text") == own.get("text")
    assert "instructions" not in body


def read(body: Any) -> Any:
    return read_response(json.dumps(body).encode(), Exchange(endpoint_for("openai"), {}, NO_SECRETS), 1.5)


def test_a_system_message_with_a_picture_is_an_input_as_instructions_are_a_text() -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,eA=="}}
    messages = [{"role": "system", "content": [part]}, {"role": "user", "content": "x"}]
    body = responses_body({"messages": messages})
    assert "instructions" not in body
    assert [each["role"] for each in body["input"]] == ["system", "user"]
    assert body["input"][0]["content"][0]["type"] == "input_image"


def test_parts_have_the_names_of_responses() -> None:
    parts = [
        {"type": "text", "text": "Read:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,eA=="}},
        {"type": "file", "file": {"filename": "document.pdf", "file_data": "data:application/pdf;base64,eA=="}},
    ]
    (asked,) = responses_body({"messages": [{"role": "user", "content": parts}]})["input"]
    assert asked["content"] == [
        {"type": "input_text", "text": "Read:"},
        {"type": "input_image", "image_url": "data:image/png;base64,eA=="},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,eA=="},
    ]
