"""The body of a chat request, and what an answer with status 200 holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.requests import Answer
from row3.domain.secrets import NO_SECRETS
from row3.providers.base import endpoint_for
from row3.providers.faults import Exchange, Fault, VendorError, refused_fields
from row3.providers.openai_api import chat_body, read_reply
from tests.rows import every_row


def test_the_limit_has_the_name_that_the_preset_uses(make_request: Any) -> None:
    assert chat_body(make_request(), endpoint_for("openai"))["max_completion_tokens"] == 50
    assert chat_body(make_request(), endpoint_for("ollama"))["max_tokens"] == 50


def test_presets_omit_unsupported_fields(make_request: Any) -> None:
    assert "response_format" not in chat_body(make_request(), endpoint_for("anthropic"))
    assert "seed" not in chat_body(make_request(), endpoint_for("gemini"))


def test_the_schema_name_fits_the_rules(make_request: Any) -> None:
    def name(typed: str) -> str:
        body = chat_body(make_request(schema_name=typed), endpoint_for("openai"))
        return str(body["response_format"]["json_schema"]["name"])

    assert name("städte & more") == "st_dte___more"
    assert name("") == "answer"
    assert len(name("x" * 100)) == 64


SENT = ["model", "messages", "temperature", "seed", "max_tokens", "max_completion_tokens", "response_format"]
SENT += ["stop", "top_k", "verbosity"]


@every_row(
    ("message", "param", "fields"),
    [
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported", "", "response_format"),
        ("Invalid schema for response_format 'x': additionalProperties is required", "", "response_format"),
        ("Unable to generate parser: JSON schema error", "", "response_format"),
        ("This model does not support structured outputs", "", "response_format"),
        ('Unknown name "seed": Cannot find field.', "", "seed"),
        ("Unsupported parameter", "seed", "seed"),
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens", "max_tokens"),
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "", "max_tokens"),
        ("max_completion_tokens: Extra inputs are not permitted", "", "max_completion_tokens"),
        ('Unknown name "seed". Unknown name "max_completion_tokens".', "", "seed"),
        ("max_tokens is too large: 9. Maximum is 8", "max_tokens", ""),
        ("seed must be an integer", "", ""),
        ("maximum context length is 8192 tokens", "messages", ""),
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature", "temperature"),
        ("Unsupported parameter: 'temperature' is not supported with this model.", "", "temperature"),
        ("`temperature` is deprecated for this model.", "", "temperature"),
        ("`temperature` may only be set to 1 when thinking is enabled.", "", "temperature"),
        ("invalid temperature: only 1 is allowed for this model", "", "temperature"),
        ("'temperature' is not supported with structured outputs", "temperature", "temperature"),
        ("Invalid 'temperature': Expected a value <= 2, but got 3 instead.", "temperature", ""),
        ("Unsupported parameter: 'stop' is not supported with this model.", "stop", "stop"),
        (
            "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            "reasoning.effort",
            "reasoning_effort",
        ),
        ("Unsupported value: 'low' is not supported. Supported values are: 'medium'.", "text.verbosity", "verbosity"),
        (
            "Unsupported value: 'xhigh' is not supported. Supported values are: 'low' and 'high', and so on.",
            "reasoning_effort",
            "",
        ),
        ("top_k: Extra inputs are not permitted", "", "top_k"),
        ("model is not supported, nor are messages", "model", ""),
        ("Unsupported parameter: 'top_p'", "", ""),
        ("", "", ""),
    ],
)
def test_complaints(message: str, param: str, fields: str) -> None:
    assert next(iter(refused_fields(VendorError(message, param=param), SENT)), "") == fields


ENDPOINT = endpoint_for("openrouter")


def read(body: Any) -> Any:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_reply(raw, Exchange(ENDPOINT, {}, NO_SECRETS), 1.5)


def test_the_text_is_unedited(make_completion: Any) -> None:
    text = '```json\n{"a": 1,}\n``` \u2028 é \U0001f600 \ud83d \x00 '
    answer = read(make_completion(text))
    assert isinstance(answer, Answer)
    assert answer.text == text
    assert answer.latency_s == 1.5


@pytest.mark.parametrize(
    ("message", "text", "instead", "fault"),
    [
        ({"content": None, "refusal": "I will\nnot."}, "I will\nnot.", "refusal", "refused: I will not."),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "No.", "refusal", "refused: No."),
        ({"content": "", "tool_calls": [{"id": "1"}]}, "", "tool_calls", "empty: the reply has only `tool_calls`"),
        (
            {"content": None, "reasoning_content": "Rome?"},
            "",
            "reasoning_content",
            "empty: the reply has only `reasoning_content`",
        ),
        ({"content": "", "reasoning": "Rome?"}, "", "reasoning", "empty: the reply has only `reasoning`"),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Rome?"}]}]},
            "",
            "reasoning_content",
            "empty: the reply has only `reasoning_content`",
        ),
        ({"content": "", "tool_calls": [], "reasoning_content": ""}, "", "", "empty: the reply has no text"),
        ({"content": "Rome", "reasoning_content": "Paris?", "refusal": None}, "Rome", "", ""),
        ({"content": [{"type": "reasoning", "text": "Paris?"}, {"type": "text", "text": "Rome"}]}, "Rome", "", ""),
    ],
)
def test_what_stands_in_the_place_of_an_answer(
    make_completion: Any, message: dict[str, Any], text: str, instead: str, fault: str
) -> None:
    body = make_completion()
    body["choices"][0]["message"] = {"role": "assistant", **message}
    answer = read(body)
    assert (answer.text, answer.instead, answer.fault) == (text, instead, fault)


def test_content_in_parts(make_completion: Any) -> None:
    body = make_completion()
    body["choices"][0]["message"]["content"] = [{"type": "text", "text": "a"}, {"type": "x"}, {"text": "b"}]
    assert read(body).text == "ab"


def test_odd_counts_and_reasons_are_unknown(make_completion: Any) -> None:
    body = make_completion(finish="MAX_TOKENS")
    body["usage"] = {"prompt_tokens": -1, "completion_tokens": True}
    body["model"] = 5
    answer = read(body)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.served_model) == (None, None, None)
    assert answer.finish_reason == "length"
    del body["usage"], body["choices"][0]["finish_reason"]
    assert read(body).finish_reason == "unknown"


def test_an_error_beside_or_inside_a_choice(make_completion: Any) -> None:
    beside = read({"error": {"message": "upstream broke"}})
    assert beside.kind == "retry"
    assert "answered 200" in beside.message
    assert "upstream broke" in beside.message
    body = make_completion("half an ans")
    body["choices"][0]["error"] = {"code": 502, "message": "cut"}
    inside = read(body)
    assert inside.kind == "retry"
    assert "answered 502 (Bad Gateway): cut" in inside.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "refusal", "error", "code", "usage", "model", "text"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_json_is_parsed_without_an_exception(body: Any) -> None:
    assert isinstance(read(body), Answer | Fault)


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed_without_an_exception(raw: bytes) -> None:
    assert isinstance(read(raw), Fault)
