"""Over real HTTP, against a server on loopback."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import logging
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from row3.domain.endpoints import Endpoint
from row3.domain.requests import Answer, NoAnswer
from row3.errors import ProviderStopped, UsageError
from row3.providers.openai_api import BATCH_SIZE, OpenAIChat, OpenAIEmbedder

KEY = "correct-horse-battery"


class Asker:
    """Asks one provider, and keeps the delays it chose in place of waiting."""

    def __init__(self, url: str, *, environ: dict[str, str] | None = None, limit: int = 20_000_000, **changed: Any):
        fields: dict[str, Any] = {
            "preset": "openrouter", "base_url": url, "key_variable": "ROW3_TEST_KEY", "timeout_s": 10.0,
        }  # fmt: skip
        self.delays: list[float] = []
        self.provider = OpenAIChat(
            Endpoint(**(fields | changed)),
            environ={"ROW3_TEST_KEY": KEY} if environ is None else environ,
            sleep=self._sleep,
            chance=lambda: 0.5,
            longest_body_bytes=limit,
        )

    async def _sleep(self, seconds: float) -> None:
        self.delays.append(seconds)

    def ask(self, *requests: Any) -> Any:
        async def go() -> list[Any]:
            try:
                return [await self.provider.ask(request) for request in requests]
            finally:
                await self.provider.close()

        answers = asyncio.run(go())
        return answers[0] if len(answers) == 1 else answers


@pytest.fixture
def asker(fake: Any) -> Asker:
    return Asker(fake.url)


def error(message: str = "no", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("details", "cached", "reasoning"),
    [
        ({}, None, None),
        ({"prompt_tokens_details": {"cached_tokens": 8}}, 8, None),
        ({"completion_tokens_details": {"reasoning_tokens": 5, "audio_tokens": 0}}, None, 5),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 0}}, 0, 0),
        ({"prompt_tokens_details": None, "completion_tokens_details": [3]}, None, None),
        ({"prompt_tokens_details": {"cached_tokens": "8"}}, None, None),
    ],
)
def test_cached_and_reasoning_tokens_are_kept(
    details: dict[str, Any],
    cached: int | None,
    reasoning: int | None,
    fake: Any,
    asker: Asker,
    make_request: Any,
    make_reply: Any,
    make_completion: Any,
) -> None:
    body = make_completion()
    body["usage"] |= details
    fake.script = [make_reply(body=body)]
    answer = asker.ask(make_request())
    assert isinstance(answer, Answer)
    assert (answer.prompt_tokens, answer.completion_tokens) == (11, 7)
    assert (answer.cached_tokens, answer.reasoning_tokens) == (cached, reasoning)


def test_a_good_answer_and_what_was_sent_for_it(fake: Any, asker: Asker, make_request: Any) -> None:
    answer = asker.ask(make_request())
    assert isinstance(answer, Answer)
    assert (answer.text, answer.finish_reason, answer.served_model) == ("hello", "stop", "served-1")
    assert (answer.prompt_tokens, answer.completion_tokens, answer.replayed) == (11, 7, False)
    assert answer.latency_s is not None
    assert 0 < answer.latency_s < 60
    assert fake.paths == ["/v1/chat/completions"]
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"
    assert fake.seen == [
        {
            "model": "model-1",
            "messages": [
                {"role": "system", "content": "Answer in JSON."},
                {"role": "user", "content": "What is the capital of France?"},
            ],
            "temperature": 0.0,
            "seed": 7,
            "max_tokens": 50,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "city_answer", "strict": True, "schema": make_request().schema},
            },
        }
    ]
    assert asker.delays == []


def test_no_header_reveals_machine_or_accounts(fake: Any, make_request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: s3cret\nAuthorization: Bearer stolen")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-someone-elses-key")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert isinstance(Asker(fake.url).ask(make_request()), Answer)
    assert isinstance(Asker(fake.url, key_variable=None).ask(make_request()), Answer)
    with_key, without_key = fake.headers
    assert with_key["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in without_key
    for headers in fake.headers:
        assert "secret" not in str(headers)
        assert "sk-" not in str(headers)
        assert not [name for name in headers if name.startswith(("x-", "openai-"))]


def test_azure_is_asked_at_the_deployment_with_its_own_header(
    fake: Any, make_request: Any, make_reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: s3cret\nAuthorization: Bearer stolen")
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "stolen")
    azure = {"preset": "azure", "limit_field": "max_completion_tokens"}
    asker = Asker(fake.url.removesuffix("/v1"), **azure)
    fake.script = [make_reply(429, error("busy"), {"Retry-After": "2"}), make_reply()]
    assert asker.ask(make_request(model="gpt 4/o")).text == "hello"
    assert asker.delays == [2.0]
    environ = {"ROW3_TEST_KEY": KEY, "OPENAI_API_VERSION": "2025-01-01-preview"}
    Asker(fake.url.removesuffix("/v1"), environ=environ, **azure).ask(make_request())
    path = "/openai/deployments/{}/chat/completions?api-version={}"
    assert fake.paths[1:] == [path.format("gpt%204%2Fo", "2024-10-21"), path.format("model-1", "2025-01-01-preview")]
    assert fake.seen[2]["max_completion_tokens"] == 50
    for headers in fake.headers:
        assert headers["api-key"] == KEY
        assert not [name for name in headers if name.startswith(("x-", "openai-", "authorization"))]


def test_azure_embeds_at_the_deployment(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(body=rows([1.0]))]
    assert embed(fake, "yeast", preset="azure", base_url=fake.url.removesuffix("/v1")) == [[1.0]]
    assert fake.paths == ["/openai/deployments/embed-1/embeddings?api-version=2024-10-21"]
    assert fake.headers[0]["api-key"] == KEY


def test_openai_itself_gets_its_organisation(fake: Any, make_request: Any) -> None:
    environ = {"ROW3_TEST_KEY": KEY, "OPENAI_ORG_ID": "org-mine"}
    Asker(fake.url, preset="openai", environ=environ).ask(make_request())
    Asker(fake.url, environ=environ).ask(make_request())
    assert fake.headers[0]["openai-organization"] == "org-mine"
    assert "openai-organization" not in fake.headers[1]


def test_a_missing_key_stops_before_anything_is_sent(fake: Any, make_request: Any) -> None:
    for environ in ({}, {"ROW3_TEST_KEY": "  "}):
        with pytest.raises(UsageError, match="Set ROW3_TEST_KEY, or name a provider in row3.toml that needs none"):
            Asker(fake.url, environ=environ).ask(make_request())
    with pytest.raises(UsageError, match="characters that a key cannot have") as caught:
        Asker(fake.url, environ={"ROW3_TEST_KEY": "sk-ключ"}).ask(make_request())
    assert "ключ" not in str(caught.value)
    assert fake.seen == []


def test_a_key_with_a_line_end_is_trimmed(fake: Any, make_request: Any) -> None:
    Asker(fake.url, environ={"ROW3_TEST_KEY": f"{KEY}\n"}).ask(make_request())
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT"}, 0.75),
        ({"Retry-After": "soon"}, 0.75),
        ({"Retry-After": "nan"}, 0.75),
        ({"Retry-After": "-4"}, 0.75),
        ({}, 0.75),
    ],
)
def test_429_waits_as_long_as_the_server_asks(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, headers: dict[str, str], delay: float
) -> None:
    fake.script = [make_reply(429, error("slow down", code="rate_limit_exceeded"), headers), make_reply()]
    assert isinstance(asker.ask(make_request()), Answer)
    assert asker.delays == [pytest.approx(delay)]
    assert len(fake.seen) == 2
    assert fake.seen[0] == fake.seen[1]


def test_googles_retry_delay_is_honoured_and_its_quota_wording_does_not_stop(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any
) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "28s"}]
    body = [error("You exceeded your current quota", code=429, status="RESOURCE_EXHAUSTED", details=details)]
    fake.script = [make_reply(429, body), make_reply()]
    assert isinstance(asker.ask(make_request()), Answer)
    assert asker.delays == [28.0]


@pytest.mark.parametrize("seconds", ["121", "3600"])
def test_a_long_wait_is_not_waited(fake: Any, asker: Asker, make_request: Any, make_reply: Any, seconds: str) -> None:
    fake.script = [make_reply(429, error("slow down"), {"Retry-After": seconds})]
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert f"asks to wait {seconds} s" in answer.error
    assert asker.delays == []
    assert len(fake.seen) == 1


def test_the_total_wait_is_bounded(fake: Any, make_request: Any, make_reply: Any) -> None:
    asker = Asker(fake.url, max_retries=20)
    fake.script = [make_reply(429, error("slow down"), {"Retry-After": "110"})]
    assert isinstance(asker.ask(make_request()), NoAnswer)
    assert asker.delays == [110.0, 110.0]


@pytest.mark.parametrize(
    ("status", "body", "fix"),
    [
        (429, error("You exceeded your current quota", type="insufficient_quota", code="insufficient_quota"), "credit"),
        (402, error("Insufficient credits", code=402), "credit"),
        (400, error("Your credit balance is too low to access the Anthropic API."), "credit"),
        (401, error("Incorrect API key provided", code="invalid_api_key"), "Check the key in ROW3_TEST_KEY"),
        (400, [error("API key not valid. Please pass a valid API key.", code=400)], "Check the key in ROW3_TEST_KEY"),
        (403, error("Country not supported"), "may use this model"),
        (403, b"<html>Access denied</html>", "may use this model"),
    ],
)
def test_what_fails_every_request_stops_at_once(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, status: int, body: Any, fix: str
) -> None:
    fake.script = [make_reply(status, body)]
    with pytest.raises(ProviderStopped, match=fix) as caught:
        asker.ask(make_request())
    assert caught.value.exit_code == 3
    assert f"answered {status}" in caught.value.what
    assert "<html" not in caught.value.what
    assert asker.delays == []
    assert len(fake.seen) == 1
    with pytest.raises(ProviderStopped):
        asker.ask(make_request())
    assert len(fake.seen) == 1, "a second request was sent to a provider that refuses all"


def test_a_refused_temperature_is_left_out_for_that_model(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any
) -> None:
    said = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."

    def choose(body: dict[str, Any]) -> Any:
        if "temperature" in body and body["model"] == "o3":
            return make_reply(400, error(said, param="temperature", code="unsupported_value"))
        return make_reply()

    fake.chooser = choose
    first, second, other = asker.ask(make_request(model="o3"), make_request(model="o3"), make_request())
    assert (first.omitted, second.omitted, other.omitted) == (("temperature",), ("temperature",), ())
    assert ["temperature" in body for body in fake.seen] == [True, False, False, True]
    assert set().union(*asker.provider.refused.values()) == {"temperature"}


def test_500_twice_then_an_answer(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    fake.script = [make_reply(500, b"oops"), make_reply(503, b"<html>busy</html>"), make_reply()]
    answer = asker.ask(make_request())
    assert isinstance(answer, Answer)
    assert answer.text == "hello"
    assert asker.delays == [0.75, 1.5]


def test_500_for_ever(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    fake.script = [make_reply(500, error("The server had an error"))]
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert answer.error.endswith("answered 500 (Internal Server Error): The server had an error (5 tries)")
    assert asker.delays == [0.75, 1.5, 3.0, 6.0]
    assert len(fake.seen) == 5


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 529])
def test_retried(fake: Any, asker: Asker, make_request: Any, make_reply: Any, status: int) -> None:
    fake.script = [make_reply(status, error()), make_reply()]
    assert isinstance(asker.ask(make_request()), Answer)
    assert len(fake.seen) == 2


@pytest.mark.parametrize("status", [400, 404, 405, 413, 422])
def test_not_retried(fake: Any, asker: Asker, make_request: Any, make_reply: Any, status: int) -> None:
    fake.script = [make_reply(status, error("wrong thing"))]
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert f"answered {status} " in answer.error
    assert "wrong thing" in answer.error
    assert len(fake.seen) == 1


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ({"body": b"<!doctype html><title>Sign in</title>", "headers": {"Content-Type": "text/html"}}, "a web page"),
        ({"body": b""}, "an empty body"),
        ({"body": b'{"choices": [{"mess'}, "something that is not JSON"),
        ({"body": b"[1, 2]"}, "JSON that is not an object"),
        ({"body": b"\xff\xfe\x00{"}, "something that is not JSON"),
        ({"body": b"[" * 100_000}, "something that is not JSON"),
        ({"body": {"id": "x"}}, "sent no choices"),
        ({"body": {"choices": []}}, "sent no choices"),
        ({"body": {"choices": [{"message": None, "finish_reason": "tool_calls"}]}}, "sent no message"),
    ],
)
def test_a_broken_200_is_retried_like_a_502(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, reply: dict[str, Any], sentence: str
) -> None:
    fake.script = [make_reply(**reply)]
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert sentence in answer.error
    assert "\n" not in answer.error
    assert "<" not in answer.error
    assert len(fake.seen) == 5
    fake.script = [make_reply(**reply), make_reply()]
    assert isinstance(asker.ask(make_request()), Answer)


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("http://[x/", "an invalid address"),
        ("http://me:s3cret@evil.example/", "http://evil.example/;"),
        ("file:///etc/passwd", "file:///etc/passwd;"),
    ],
)
def test_a_redirect_to_anywhere_ends_the_run(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, location: str, told: str
) -> None:
    fake.script = [make_reply(307, b"", {"Location": location})]
    with pytest.raises(ProviderStopped) as caught:
        asker.ask(make_request())
    assert f"a redirect to {told}" in caught.value.what
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("whose", ["another", "own"])
def test_no_redirect_is_followed(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, status: int, whose: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        own = fake.url.removesuffix("/v1")
        origin = f"http://127.0.0.1:{other.getsockname()[1]}"
        target = f"{origin}/v1/x?token=abc" if whose == "another" else "/v2/x?token=abc"
        fake.script = [make_reply(status, b"", {"Location": target})]
        with pytest.raises(ProviderStopped) as caught:
            asker.ask(make_request())
        with pytest.raises(BlockingIOError):
            other.accept()
    told = f"to {origin}/v1/x;" if whose == "another" else f"to {own}/v2/x;"
    assert f"{own}/v1/chat/completions answered {status}, a redirect {told}" in caught.value.what
    assert "token" not in str(caught.value)
    assert len(fake.seen) == 1


def test_an_error_inside_a_200_is_classified_by_its_code(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any
) -> None:
    fake.script = [make_reply(200, error("upstream is down", code=502)), make_reply()]
    assert isinstance(asker.ask(make_request()), Answer)
    assert asker.delays == [0.75]
    fake.script = [make_reply(200, error("no credits", code=402))]
    with pytest.raises(ProviderStopped):
        asker.ask(make_request())


def test_cut_off_by_the_token_limit(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, make_completion: Any
) -> None:
    fake.script = [make_reply(body=make_completion('{"city": "Pa', "length"))]
    answer = asker.ask(make_request())
    assert (answer.text, answer.finish_reason) == ('{"city": "Pa', "length")
    fake.script = [make_reply(body=make_completion(None, "length"))]
    answer = asker.ask(make_request())
    assert (answer.text, answer.finish_reason) == ("", "length")


def test_a_connection_closed_mid_body_is_retried(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    fake.script = [make_reply(fault="cut"), make_reply()]
    assert isinstance(asker.ask(make_request()), Answer)
    assert asker.delays == [0.75]
    fake.script = [make_reply(fault="cut")]
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert "no answer from 127.0.0.1:" in answer.error
    assert "(5 tries)" in answer.error


def test_nobody_listens(make_request: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    asker = Asker(f"http://127.0.0.1:{port}/v1", key_variable=None, max_retries=1)
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert f"no answer from 127.0.0.1:{port}: " in answer.error
    assert answer.fix == "Is the server running?"
    assert asker.delays == [0.75]


@pytest.mark.parametrize("fault", ["silent", "hang", "drip"])
def test_the_time_out_is_for_the_whole_request(fake: Any, make_request: Any, make_reply: Any, fault: str) -> None:
    asker = Asker(fake.url, timeout_s=0.3, max_retries=1)
    fake.script = [make_reply(fault=fault)]
    started = time.perf_counter()
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert "did not finish its answer within 0.3 s (2 tries)" in answer.error
    # The first request also imports the SDK, outside the time-out.
    assert time.perf_counter() - started < 25
    assert len(fake.seen) == 2
    assert asker.delays == [0.75]


def test_an_endless_body_is_not_read_for_ever(fake: Any, make_request: Any, make_reply: Any) -> None:
    for status in (200, 400):
        fake.script = [make_reply(status, fault="flood")]
        answer = Asker(fake.url, limit=1_000_000).ask(make_request())
        assert isinstance(answer, NoAnswer)
        assert "sent more than 1 MB" in answer.error
    assert fake.bytes_sent < 30_000_000


def test_an_endless_body_is_disconnected_at_once(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    fake.script = [make_reply(fault="flood"), make_reply()]

    async def go() -> tuple[int, int]:
        assert isinstance(await asker.provider.ask(make_request()), NoAnswer)
        async with asyncio.timeout(30):
            while not fake.hang_ups:
                await asyncio.sleep(0.01)
        sent = fake.hang_ups
        await asker.provider.close()
        return sent, fake.hang_ups

    assert asyncio.run(go()) == (1, 1), "the connection was left open until the provider was closed"


def test_a_small_compressed_body_cannot_grow_past_the_limit(fake: Any, make_request: Any, make_reply: Any) -> None:
    fake.script = [make_reply(200, gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"})]
    answer = Asker(fake.url, limit=1_000_000).ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert "sent more than 1 MB" in answer.error
    assert fake.headers[0]["accept-encoding"] == "identity"


def test_an_unrequested_compressed_answer_is_read(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, make_completion: Any
) -> None:
    body = gzip.compress(json.dumps(make_completion("zipped ünï")).encode())
    fake.script = [make_reply(200, body, {"Content-Encoding": "gzip"})]
    assert asker.ask(make_request()).text == "zipped ünï"


def test_a_rejected_response_format_is_not_sent_again(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any
) -> None:
    def choose(body: dict[str, Any]) -> Any:
        if "response_format" in body:
            return make_reply(400, error("'response_format' of type 'json_schema' is not supported with this model."))
        return make_reply()

    fake.chooser = choose
    first, second = asker.ask(make_request(), make_request())
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert ["response_format" in body for body in fake.seen] == [True, False, False]
    assert set().union(*asker.provider.refused.values()) == {"response_format"}
    assert asker.delays == []


def test_the_other_name_of_the_token_limit_is_tried_then_none(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any
) -> None:
    def choose(body: dict[str, Any]) -> Any:
        if "seed" in body:
            return make_reply(422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]})
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
            return make_reply(400, error(message, param="max_tokens", code="unsupported_parameter"))
        if "max_completion_tokens" in body:
            return make_reply(400, [error('Invalid JSON payload. Unknown name "max_completion_tokens"', code=400)])
        return make_reply()

    fake.chooser = choose
    assert isinstance(asker.ask(make_request()), Answer)
    limits = [{k: v for k, v in body.items() if k.startswith("max")} for body in fake.seen]
    assert limits == [{"max_tokens": 50}, {"max_tokens": 50}, {"max_completion_tokens": 50}, {}]
    assert set().union(*asker.provider.refused.values()) == {"seed", "max_tokens", "max_completion_tokens"}


def test_refusals_in_parallel(fake: Any, asker: Asker, make_request: Any, make_reply: Any) -> None:
    fake.chooser = lambda body: (
        make_reply(400, error("response_format is not supported")) if "response_format" in body else make_reply()
    )

    async def go() -> list[Any]:
        answers = await asyncio.gather(*(asker.provider.ask(make_request()) for _ in range(12)))
        await asker.provider.close()
        return answers

    assert all(isinstance(answer, Answer) for answer in asyncio.run(go()))
    assert 13 <= len(fake.seen) <= 24


def test_keys_and_accounts_are_kept_out_of_messages(
    fake: Any, asker: Asker, make_request: Any, make_reply: Any, caplog: pytest.LogCaptureFixture
) -> None:
    said = f"Key {KEY} and sk-proj-abcdef123456 of org-Abc123Def456, Bearer abcdef.ghijkl\n" + "x" * 5000
    caplog.set_level(logging.DEBUG)
    fake.script = [make_reply(400, error(said))]
    answer = asker.ask(make_request())
    assert isinstance(answer, NoAnswer)
    assert len(answer.error) < 400
    assert "\n" not in answer.error
    fake.script = [make_reply(401, error(said))]
    with pytest.raises(ProviderStopped) as caught:
        asker.ask(make_request())
    for text in (answer.error, str(caught.value), caplog.text):
        for hidden in (KEY, "abcdef123456", "Abc123Def456", "abcdef.ghijkl"):
            assert hidden not in text


@pytest.mark.parametrize("changed", [{"user": "lone \ud800 surrogate"}, {"temperature": float("nan")}])
def test_an_unencodable_request_fails_alone(
    fake: Any, asker: Asker, make_request: Any, changed: dict[str, Any]
) -> None:
    bad, good = asker.ask(make_request(**changed), make_request())
    assert isinstance(bad, NoAnswer)
    assert "cannot send" in bad.error
    assert isinstance(good, Answer)
    assert len(fake.seen) == 1


def test_nothing_optional_is_sent_unasked(fake: Any, make_request: Any) -> None:
    request = make_request(temperature=None, seed=None, max_tokens=None, system="")
    Asker(fake.url, omits=frozenset({"response_format"})).ask(request)
    assert fake.seen == [{"model": "model-1", "messages": [{"role": "user", "content": request.texts[-1]}]}]


@pytest.mark.parametrize("fault", ["silent", "drip", ""])
def test_cancelling_passes_through_and_leaves_no_warning(
    fake: Any,
    make_request: Any,
    make_reply: Any,
    fault: str,
    caplog: pytest.LogCaptureFixture,
    unclosed: Callable[[], list[str]],
) -> None:
    # Without a fault it is cancelled while it waits to try again.
    fake.script = [make_reply(fault=fault) if fault else make_reply(500, error())]
    provider = OpenAIChat(replace(Asker(fake.url).provider.endpoint, max_retries=20), environ={"ROW3_TEST_KEY": KEY})

    async def go() -> None:
        task = asyncio.create_task(provider.ask(make_request()))
        while not fake.seen:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await provider.close()
        await provider.close()

    asyncio.run(go())
    assert not unclosed()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_importing_it_does_not_import_the_sdk() -> None:
    code = (
        "import sys, row3.providers.base, row3.providers.openai_api, row3.providers.local;"
        "print(sorted({'openai', 'httpx2', 'xllamacpp', 'pydantic', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def rows(*vectors: Any) -> dict[str, Any]:
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return {"object": "list", "data": data, "model": "served-1", "usage": {"prompt_tokens": 3, "total_tokens": 3}}


def embed(fake: Any, *texts: str, delays: list[float] | None = None, limit: int = 20_000_000, **changed: Any) -> Any:
    async def wait(seconds: float) -> None:
        if delays is not None:
            delays.append(seconds)

    async def go() -> Any:
        fields: dict[str, Any] = {"preset": "embeddings", "base_url": fake.url, "key_variable": "ROW3_TEST_KEY"}
        endpoint = Endpoint(**(fields | {"timeout_s": 5.0} | changed))
        more: dict[str, Any] = {"sleep": wait, "chance": lambda: 0.5, "longest_body_bytes": limit}
        embedder = OpenAIEmbedder(endpoint, "embed-1", environ={"ROW3_TEST_KEY": KEY}, **more)
        try:
            return await embedder.embed(texts)
        finally:
            await embedder.close()
            await embedder.close()

    return asyncio.run(go())


def test_texts_become_vectors_and_what_was_sent_for_it(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(body=rows([1, 0.5], [0.25, -1]))]
    assert embed(fake, "yeast", "rye") == [[1.0, 0.5], [0.25, -1.0]]
    assert fake.paths == ["/v1/embeddings"]
    assert fake.seen == [{"model": "embed-1", "input": ["yeast", "rye"], "encoding_format": "float"}]
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"
    assert not [name for name in fake.headers[0] if name.startswith(("x-", "openai-"))]


def test_vectors_are_put_into_the_order_of_the_texts(fake: Any, make_reply: Any) -> None:
    body = rows([1.0], [2.0])
    body["data"].reverse()
    fake.script = [make_reply(body=body)]
    assert embed(fake, "yeast", "rye") == [[1.0], [2.0]]


def test_unrequested_base64_is_read(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(body=rows(base64.b64encode(struct.pack("<3f", 1.0, -2.0, 0.5)).decode()))]
    assert embed(fake, "yeast") == [[1.0, -2.0, 0.5]]


def test_many_texts_go_in_several_requests(fake: Any, make_reply: Any) -> None:
    fake.chooser = lambda body: make_reply(body=rows(*([float(text)] for text in body["input"])))
    texts = [str(number) for number in range(1, 2 * BATCH_SIZE + 2)]
    assert embed(fake, *texts) == [[float(text)] for text in texts]
    assert [len(body["input"]) for body in fake.seen] == [BATCH_SIZE, BATCH_SIZE, 1]
    assert embed(fake) == []


def test_temporary_faults_are_retried(fake: Any, make_reply: Any) -> None:
    delays: list[float] = []
    busy = make_reply(429, {"error": {"message": "slow down"}}, {"Retry-After": "3"})
    fake.script = [busy, make_reply(503, b"<html>"), make_reply(fault="cut"), make_reply(body=rows([1.0]))]
    assert embed(fake, "yeast", delays=delays) == [[1.0]]
    assert delays == [3.0, 1.5, 3.0]


def test_a_permanent_fault_is_no_answer(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(500, {"error": {"message": "broken"}})]
    answer = embed(fake, "yeast", max_retries=1)
    assert isinstance(answer, NoAnswer)
    assert "answered 500 (Internal Server Error): broken (2 tries)" in answer.error
    fake.script = [make_reply(404, {"error": {"message": "no such model"}})]
    assert "check the model's name" in embed(fake, "yeast").fix.lower()


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_the_run(fake: Any, make_reply: Any, status: int) -> None:
    fake.script = [make_reply(status, {"error": {"message": f"bad key {KEY}"}})]
    with pytest.raises(ProviderStopped) as caught:
        embed(fake, "yeast")
    assert KEY not in str(caught.value)


def test_a_missing_key_is_reported_before_anything_is_sent(fake: Any) -> None:
    with pytest.raises(UsageError, match="Set NO_SUCH_KEY"):
        embed(fake, "yeast", key_variable="NO_SUCH_KEY")
    assert fake.seen == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "an empty body instead of embeddings"),
        (b"<html>hello</html>", "a web page"),
        (b"hello", "something that is not JSON"),
        ({"data": 4}, "sent no embeddings"),
        ([], "JSON that is not an object"),
        ({"choices": []}, "sent no embeddings"),
        (rows([1.0]), "sent 1 embedding for 2 texts"),
        (rows([1.0], [1.0], [1.0]), "sent 3 embeddings for 2 texts"),
        (rows([1.0], [1.0, 2.0]), "not a list of numbers"),
        (rows([1.0], ["a"]), "not a list of numbers"),
        (rows([1.0], [0.0]), "not a list of numbers"),
        (rows([1.0], []), "not a list of numbers"),
        (rows([1.0], None), "not a list of numbers"),
        (rows([1.0], "%%%"), "not a list of numbers"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [NaN]}]}', "not a list of numbers"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "2 embeddings"),
        ({"error": {"message": "no model", "code": 404}}, "answered 404"),
    ],
)
def test_an_invalid_answer_is_explained(fake: Any, make_reply: Any, body: Any, message: str) -> None:
    fake.script = [make_reply(body=body)]
    answer = embed(fake, "yeast", "rye", max_retries=0)
    assert isinstance(answer, NoAnswer)
    assert message in answer.error


def test_a_flood_is_cut_off(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(fault="flood")]
    answer = embed(fake, "yeast", limit=100_000)
    assert isinstance(answer, NoAnswer)
    assert "sent more than 0.1 MB" in answer.error


def test_a_silent_server_times_out(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(fault="silent")]
    answer = embed(fake, "yeast", timeout_s=0.2, max_retries=0)
    assert isinstance(answer, NoAnswer)
    assert "did not finish its answer within 0.2 s" in answer.error
