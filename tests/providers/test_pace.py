"""How fast requests go out, over real HTTP against a server that counts them."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from row3.domain.requests import Answer
from row3.providers.base import endpoint_for
from row3.providers.openai_api import OpenAIChat
from row3.providers.pace import Bucket, Pace, span_s
from tests.local_server import JSON, Handler, LocalServer
from tests.rows import every_row

DELAY_S = 0.05


class Counting:
    """Answers after a while; refuses what is more than `most` at once."""

    def __init__(self) -> None:
        self.most = 1_000_000
        self.headers: dict[str, str] = {}
        self.refusal: dict[str, str] = {}
        self.now = self.highest = self.refused = 0
        self.came: list[float] = []
        self.lock = threading.Lock()
        own = self

        class Answering(Handler):
            def do_POST(self) -> None:
                self.sent()
                with own.lock:
                    own.came.append(time.monotonic())
                    own.now += 1
                    own.highest = max(own.highest, own.now)
                    full = own.now > own.most
                    own.refused += full
                time.sleep(0 if full else DELAY_S)
                with own.lock:
                    own.now -= 1
                reply = {
                    "choices": [{"message": {"content": "x"}}],
                    "usage": {"prompt_tokens": 5, "completion_tokens": 95},
                }
                if full:
                    self.reply(429, json.dumps({"error": {"message": "slow down"}}).encode(), {**JSON, **own.refusal})
                else:
                    self.reply(200, json.dumps(reply).encode(), {**JSON, **own.headers})

        self.server = LocalServer(Answering)
        self.url = f"{self.server.address}/v1"


@pytest.fixture
def counting() -> Iterator[Counting]:
    server = Counting()
    yield server
    server.server.stop()


def ask(server: Counting, make_request: Any, count: int, **settings: Any) -> tuple[list[Any], OpenAIChat, float]:
    """The answers to so many requests at once, who asked, and how many seconds it took."""
    # A failed request waits hundredths of a second, not seconds.
    quick = {"sleep": lambda seconds: asyncio.sleep(seconds / 50), "environ": {}}
    provider = OpenAIChat(endpoint_for("vllm", base_url=server.url, **settings), **quick)

    async def go() -> list[Any]:
        answers = await asyncio.gather(*(provider.ask(make_request(user=str(number))) for number in range(count)))
        await provider.close()
        return answers

    began = time.monotonic()
    return asyncio.run(go()), provider, time.monotonic() - began


def test_a_bucket_holds_a_second_and_is_filled_evenly() -> None:
    now = [0.0]
    bucket = Bucket(120, clock=lambda: now[0])
    assert bucket.wait_s(1) == 0
    bucket.take(2)
    assert bucket.wait_s(1) == pytest.approx(0.5)
    now[0] = 0.25
    assert bucket.wait_s(1) == pytest.approx(0.25)
    bucket.take(60)  # a long answer: nothing goes out until it is made up for
    assert bucket.wait_s(1) == pytest.approx(30.25)
    bucket.take(-60)
    now[0] = 1000.0
    assert bucket.wait_s(50) == 0, "more than it can ever hold may be taken when it is full"
    sent = 0
    for tenth in range(600):
        now[0] = 2000 + tenth / 10
        while bucket.wait_s(1) <= 1e-9:
            bucket.take(1)
            sent += 1
    assert sent == 121, "a minute's and the second's that was in it"


def test_a_bucket_without_a_limit_can_be_closed() -> None:
    now = [0.0]
    bucket = Bucket(None, clock=lambda: now[0])
    bucket.take(1e9)
    assert bucket.wait_s(1e9) == 0
    bucket.close(3)
    bucket.close(1)
    now[0] = 1.0
    assert bucket.wait_s(1) == pytest.approx(2)


@every_row(
    ("text", "seconds"),
    [("1s", 1.0), ("20ms", 0.02), ("6m0s", 360.0), ("1m26.4s", 86.4), ("1h2m", 3720.0), ("7.5", 7.5), (" 2S ", 2.0),
     ("", 0.0), ("soon", 0.0), ("2026-01-01T00:00:00Z", 0.0), ("-3s", 0.0), ("3 s", 0.0)],
)  # fmt: skip
def test_spans_are_read(text: str, seconds: float) -> None:
    assert span_s(text) == pytest.approx(seconds)


def test_without_limits_all_go_out_at_once(counting: Counting, make_request: Any) -> None:
    answers, _, _ = ask(counting, make_request, 24)
    assert all(isinstance(answer, Answer) for answer in answers)
    assert counting.highest > 12


def test_requests_a_minute(counting: Counting, make_request: Any) -> None:
    _, _, took_s = ask(counting, make_request, 30, requests_per_minute=1200)
    assert took_s >= (30 - 20) / 20
    assert len(counting.came) == 30


def test_tokens_a_minute_are_those_that_the_endpoint_counts(counting: Counting, make_request: Any) -> None:
    provider = OpenAIChat(endpoint_for("vllm", base_url=counting.url, tokens_per_minute=60_000), environ={})

    async def go() -> None:
        for _ in range(6):
            await asyncio.gather(*(provider.ask(make_request()) for _ in range(5)))
        await provider.close()

    asyncio.run(go())
    # Of 100 tokens each, 1,000 are there at first and 1,000 a second come in. The first five are guessed at too few.
    assert counting.came[-1] - counting.came[0] >= (3000 - 1000 - 5 * 100) / 1000


def test_429_halves_the_requests_at_once_and_they_grow_again(counting: Counting, make_request: Any) -> None:
    counting.most = 4
    answers, provider, _ = ask(counting, make_request, 40, max_retries=20)
    assert all(isinstance(answer, Answer) for answer in answers)
    assert provider.pace.at_once < 12
    counting.refused, counting.most = 0, 1_000_000
    before = provider.pace.at_once
    for _ in range(20):
        provider.pace.answered()
    assert before < provider.pace.at_once < before + 20


def test_of_concurrent_requests_one_429_counts() -> None:
    async def go() -> float:
        pace = Pace(None, None)
        async with pace.turn(0), pace.turn(0), pace.turn(0), pace.turn(0):
            began = time.monotonic()
            for _ in range(4):
                pace.rate_limited(began)
            return pace.at_once

    assert asyncio.run(go()) == 2


def test_retry_after_holds_for_all_requests(counting: Counting, make_request: Any) -> None:
    counting.most, counting.refusal = 2, {"Retry-After": "20"}  # 0.4 s here
    provider = OpenAIChat(
        endpoint_for("vllm", base_url=counting.url), environ={}, sleep=lambda seconds: asyncio.sleep(seconds / 50)
    )

    async def go() -> None:
        first = [asyncio.create_task(provider.ask(make_request())) for _ in range(3)]  # one of them is refused
        while not counting.refused:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.02)
        await asyncio.gather(provider.ask(make_request()), *first)
        await provider.close()

    asyncio.run(go())
    assert counting.refused == 1
    assert counting.came[3] - counting.came[2] >= 0.35


@pytest.mark.parametrize("what", ["requests", "tokens"])
def test_an_exhausted_quota_in_the_headers_is_waited_for(counting: Counting, make_request: Any, what: str) -> None:
    counting.headers = {f"X-RateLimit-Remaining-{what}": "0", f"X-RateLimit-Reset-{what}": "300ms"}
    provider = OpenAIChat(endpoint_for("vllm", base_url=counting.url), environ={})

    async def go() -> None:
        for _ in range(2):
            await provider.ask(make_request())
        counting.headers = {f"x-ratelimit-remaining-{what}": "0", f"x-ratelimit-reset-{what}": "8h"}
        began = time.monotonic()
        await provider.ask(make_request())
        await provider.ask(make_request())
        assert time.monotonic() - began < 20, "hours are not waited for"
        await provider.close()

    asyncio.run(go())
    assert counting.came[1] - counting.came[0] >= 0.3


def test_a_cancelled_request_frees_its_place() -> None:
    async def go() -> None:
        pace = Pace(None, None)
        pace.at_once = 1.0

        async def hold(event: asyncio.Event) -> None:
            async with pace.turn(0):
                await event.wait()

        tasks = [asyncio.create_task(hold(asyncio.Event())) for _ in range(3)]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(5), pace.turn(0):
            pass

    asyncio.run(go())


def test_latency_is_the_time_of_the_last_try_from_send_to_last_byte(counting: Counting, make_request: Any) -> None:
    counting.most, counting.refusal = 0, {"Retry-After": "1"}
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        counting.most = 1
        await asyncio.sleep(1)

    endpoint = endpoint_for("vllm", base_url=counting.url, requests_per_minute=60)
    provider = OpenAIChat(endpoint, environ={}, sleep=wait)

    async def go() -> Answer:
        answer = await provider.ask(make_request())
        await provider.close()
        assert isinstance(answer, Answer)
        return answer

    answer = asyncio.run(go())
    assert waits == [1.0]
    assert answer.latency_s is not None
    assert DELAY_S <= answer.latency_s < 1, "it contains neither the wait for a turn nor the try before"
