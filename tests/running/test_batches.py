"""Which requests go in one batch, and what is waited for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from row3.domain.requests import Answer, NoAnswer, Request, messages_of
from row3.providers.base import endpoint_for
from row3.providers.openai_batches import OpenAIBatches
from row3.running.batch_state import KEPT_S, BatchState
from row3.running.batches import BatchQueue
from tests.batch_server import BatchServer
from tests.chat_server import ChatServer, FakeReply


class Echo(ChatServer):
    """Says what was asked."""

    def reply_to(self, body: Any) -> FakeReply:
        return FakeReply(body["messages"][-1]["content"])


def request(text: str, model: str = "m") -> Request:
    return Request(text, "p-v1.0", 0, model, None, None, None, messages_of("", text), "", {}, "", "", {}, f"d-{text}")


def ask(
    server: BatchServer, state: Path, requests: list[Request], *, now: float = 1e9, **limits: int
) -> list[Answer | NoAnswer]:
    async def go() -> list[Answer | NoAnswer]:
        chat = OpenAIBatches(endpoint_for("vllm", base_url=server.url), environ={})
        queue = BatchQueue({"": chat}, chat, BatchState(state, clock=lambda: now), lambda _: None, **limits)
        try:
            return await asyncio.gather(*(queue.ask(each, "live") for each in requests))
        finally:
            await queue.close()

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("limits", "models", "sizes"),
    [
        ({}, "mmmmm", [5]),
        ({"most_requests": 2}, "mmmmm", [2, 2, 1]),
        ({"most_requests": 5}, "mmmmm", [5]),
        ({"most_bytes": 400}, "mmmmm", [2, 2, 1]),
        ({"most_bytes": 1}, "mmm", [1, 1, 1]),
        ({}, "mnmnn", [2, 3]),
        ({"most_requests": 2}, "mnmnn", [2, 2, 1]),
    ],
)
def test_a_batch_has_one_model_and_keeps_to_the_limits(
    tmp_path: Path, limits: dict[str, int], models: str, sizes: list[int]
) -> None:
    model = Echo()
    server = BatchServer(model)
    try:
        requests = [request(f"question {number}", name) for number, name in enumerate(models)]
        answers = ask(server, tmp_path / "b.json", requests, **limits)
    finally:
        server.stop()
        model.stop()
    assert [each.text for each in answers if isinstance(each, Answer)] == [each.texts[0] for each in requests]
    files = [server.files[batch["input_file_id"]] for batch in server.batches.values()]
    assert [len(file.splitlines()) for file in files] == sizes
    assert all(len(file) <= limits.get("most_bytes", 10**9) or len(file.splitlines()) == 1 for file in files)


@pytest.mark.parametrize("text", ["line\nbreak", "ünï ✓", "lone \ud800", 'quote " and \\', "x" * 100_000])
def test_any_text_is_one_line(tmp_path: Path, text: str) -> None:
    model = Echo()
    server = BatchServer(model)
    try:
        (answer,) = ask(server, tmp_path / "b.json", [request(text)])
    finally:
        server.stop()
        model.stop()
    assert isinstance(answer, Answer)
    assert answer.text == text
    assert json.loads(server.files["file-1"])["body"]["messages"][-1]["content"] == text


@pytest.mark.parametrize(("later_s", "batches"), [(60.0, 1), (KEPT_S - 60.0, 1), (KEPT_S + 60.0, 2)])
def test_what_is_pending_is_waited_for_a_week(tmp_path: Path, later_s: float, batches: int) -> None:
    model = Echo()
    server = BatchServer(model)
    try:
        ask(server, tmp_path / "b.json", [request("first"), request("second")], now=1e9)
        again = ask(server, tmp_path / "b.json", [request("second")], now=1e9 + later_s)
    finally:
        server.stop()
        model.stop()
    assert [each.text for each in again if isinstance(each, Answer)] == ["second"]
    assert len(server.batches) == batches
