"""Over real HTTP, against a server on loopback."""

from __future__ import annotations

import asyncio
import base64
import struct
from typing import Any

import pytest

from row3.domain.requests import NoAnswer
from row3.errors import ProviderStopped, UsageError
from row3.providers.base import Endpoint
from row3.providers.openai_embeddings import AT_ONCE, OpenAIEmbedder

KEY = "correct-horse-battery"


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


def test_base64_is_read_though_it_was_not_asked_for(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(body=rows(base64.b64encode(struct.pack("<3f", 1.0, -2.0, 0.5)).decode()))]
    assert embed(fake, "yeast") == [[1.0, -2.0, 0.5]]


def test_many_texts_go_in_several_requests(fake: Any, make_reply: Any) -> None:
    fake.chooser = lambda body: make_reply(body=rows(*([float(text)] for text in body["input"])))
    texts = [str(number) for number in range(1, 2 * AT_ONCE + 2)]
    assert embed(fake, *texts) == [[float(text)] for text in texts]
    assert [len(body["input"]) for body in fake.seen] == [AT_ONCE, AT_ONCE, 1]
    assert embed(fake) == []


def test_faults_that_pass_are_tried_again(fake: Any, make_reply: Any) -> None:
    delays: list[float] = []
    busy = make_reply(429, {"error": {"message": "slow down"}}, {"Retry-After": "3"})
    fake.script = [busy, make_reply(503, b"<html>"), make_reply(fault="cut"), make_reply(body=rows([1.0]))]
    assert embed(fake, "yeast", delays=delays) == [[1.0]]
    assert delays == [3.0, 1.5, 3.0]


def test_what_fails_for_good_is_no_answer(fake: Any, make_reply: Any) -> None:
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


def test_a_missing_key_is_said_before_anything_is_sent(fake: Any) -> None:
    with pytest.raises(UsageError, match="Set NO_SUCH_KEY"):
        embed(fake, "yeast", key_variable="NO_SUCH_KEY")
    assert fake.seen == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "an empty body in place of embeddings"),
        (b"<html>hello</html>", "a web page"),
        (b"hello", "something that is not JSON"),
        ({"data": 4}, "without embeddings"),
        ([], "JSON that is no object"),
        ({"choices": []}, "without embeddings"),
        (rows([1.0]), "answered 2 texts with 1 embeddings"),
        (rows([1.0], [1.0], [1.0]), "answered 2 texts with 3 embeddings"),
        (rows([1.0], [1.0, 2.0]), "no row of numbers"),
        (rows([1.0], ["a"]), "no row of numbers"),
        (rows([1.0], [0.0]), "no row of numbers"),
        (rows([1.0], []), "no row of numbers"),
        (rows([1.0], None), "no row of numbers"),
        (rows([1.0], "%%%"), "no row of numbers"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [NaN]}]}', "no row of numbers"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "2 embeddings"),
        ({"error": {"message": "no model", "code": 404}}, "answered 404"),
    ],
)
def test_an_answer_that_is_none_is_named(fake: Any, make_reply: Any, body: Any, message: str) -> None:
    fake.script = [make_reply(body=body)]
    answer = embed(fake, "yeast", "rye", max_retries=0)
    assert isinstance(answer, NoAnswer)
    assert message in answer.error


def test_a_flood_is_cut_off(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(fault="flood")]
    answer = embed(fake, "yeast", limit=100_000)
    assert isinstance(answer, NoAnswer)
    assert "sent more than 0.1 MB" in answer.error


def test_a_server_that_says_nothing_is_given_up(fake: Any, make_reply: Any) -> None:
    fake.script = [make_reply(fault="silent")]
    answer = embed(fake, "yeast", timeout_s=0.2, max_retries=0)
    assert isinstance(answer, NoAnswer)
    assert "no full answer within 0.2 s" in answer.error
