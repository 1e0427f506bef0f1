"""Requests that another process sends end as if this one had sent them."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest

from row3.domain.endpoints import Endpoint, Header
from row3.domain.requests import messages_of
from row3.errors import Row3Error, UsageError
from row3.providers.openai_api import OpenAIChat
from row3.providers.openai_client import Reply
from row3.providers.relay import Attempt, RelayedChat, Sender
from tests.rows import every_row

KEY = "correct-horse-battery"


class Pickling:
    """A relay whose other process is this one; all that is sent and answered is pickled."""

    def __init__(self) -> None:
        self._sender, self.attempts = Sender(), list[Attempt]()

    async def send(self, attempt: Attempt) -> Reply[Any]:
        self.attempts.append(pickle.loads(pickle.dumps(attempt)))
        reply: Reply[Any] = pickle.loads(pickle.dumps(await self._sender.send(self.attempts[-1])))
        return reply

    async def close(self) -> None:
        """Close the other process's connections."""
        await self._sender.close()


def outcome(relay: Pickling, chat: OpenAIChat, delays: list[float], request: Any) -> Any:
    """What comes of two requests, without latencies: answers or an error, delays, and the pace afterwards."""

    async def go() -> list[Any]:
        try:
            return [await chat.ask(request), await chat.ask(request)]
        finally:
            await chat.close()
            await relay.close()

    def told(answer: Any) -> Any:
        return answer._replace(latency_s=None) if hasattr(answer, "latency_s") else answer

    try:
        said: Any = [told(each) for each in asyncio.run(go())]
    except Row3Error as error:
        said = type(error), str(error)
    return said, delays, chat.pace.at_once, chat.refused


def both(fake: Any, script: list[Any], request: Any, environ: dict[str, str], **settings: Any) -> tuple[Any, Any]:
    """The outcome here and through a relay, each with what the server saw."""
    found, relay = [], Pickling()
    for kind in (OpenAIChat, RelayedChat):
        fake.script = [*script]
        fake.seen.clear()
        fake.headers.clear()
        delays: list[float] = []

        async def sleep(seconds: float, kept: list[float] = delays) -> None:
            kept.append(seconds)

        fields = {"preset": "openrouter", "base_url": fake.url, "key_variable": "ROW3_TEST_KEY", "timeout_s": 10.0}
        endpoint = Endpoint(**(fields | settings))
        options: dict[str, Any] = {"environ": environ, "sleep": sleep, "chance": lambda: 0.5}
        chat = kind(*([relay] if kind is RelayedChat else []), endpoint, **options)
        found.append((outcome(relay, chat, delays, request), [*fake.seen], [*fake.headers]))
    assert relay.attempts
    return found[0], found[1]


ERROR = {"error": {"message": "Unsupported parameter: 'seed' is not supported with this model."}}


@every_row(
    "replies",
    [
        [{}],
        [{"status": 429, "body": {}, "headers": {"Retry-After": "2"}}, {}],
        [{"status": 503, "body": b"busy"}, {"status": 500, "body": b""}, {}],
        [{"status": 500, "body": {"error": {"message": f"no key {KEY}"}}}],
        [{"status": 401, "body": {"error": {"message": f"bad key {KEY}"}}}],
        [{"status": 404, "body": {"error": "no such model"}}],
        [{"status": 400, "body": ERROR}, {}],
        [{"status": 400, "body": {"error": {"message": "blocked", "code": "content_filter"}}}],
        [{"status": 302, "headers": {"Location": "http://127.0.0.1:9/v1"}}],
        [{"headers": {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms"}}],
        [{"body": b"not JSON"}],
        [{"fault": "cut"}, {}],
    ],
)
def test_it_ends_as_without(fake: Any, make_request: Any, make_reply: Any, replies: list[dict[str, Any]]) -> None:
    script = [make_reply(**each) for each in replies]
    here, there = both(fake, script, make_request(), {"ROW3_TEST_KEY": KEY})
    assert there == here
    assert here[1]


def test_headers_and_account_go_along(fake: Any, make_request: Any, make_reply: Any) -> None:
    environ = {"ROW3_TEST_KEY": KEY, "TEAM": "crust", "OPENAI_ORG_ID": "org-1", "OTHER": "secret"}
    headers = (Header("X-Team", variable="TEAM"), Header("X-Plain", "1"))
    here, there = both(fake, [make_reply()], make_request(), environ, preset="openai", headers=headers)
    assert there == here
    sent = there[2][0]
    assert (sent["x-team"], sent["x-plain"], sent["openai-organization"]) == ("crust", "1", "org-1")


def test_of_the_environment_only_what_the_endpoint_needs_goes_along(fake: Any, make_request: Any) -> None:
    relay = Pickling()
    environ = {"ROW3_TEST_KEY": KEY, "OTHER_KEY": "secret"}
    chat = RelayedChat(relay, Endpoint("vllm", fake.url, "ROW3_TEST_KEY"), environ=environ)
    outcome(relay, chat, [], make_request())
    assert [each.environ for each in relay.attempts] == 2 * [{"ROW3_TEST_KEY": KEY}]


@every_row(("environ", "told"), [({}, "needs a key"), ({"ROW3_TEST_KEY": "a b"}, "characters that a key cannot have")])
def test_without_a_key_nothing_is_sent(fake: Any, make_request: Any, environ: dict[str, str], told: str) -> None:
    relay = Pickling()
    chat = RelayedChat(relay, Endpoint("openai", fake.url, "ROW3_TEST_KEY"), environ=environ)
    with pytest.raises(UsageError, match=told):
        asyncio.run(chat.ask(make_request()))
    assert relay.attempts == []


def test_text_that_utf_8_cannot_hold(fake: Any, make_request: Any, make_reply: Any) -> None:
    request = make_request(messages=messages_of("", "half a pair: \ud800"))
    here, there = both(fake, [make_reply()], request, {"ROW3_TEST_KEY": KEY})
    assert there == here
