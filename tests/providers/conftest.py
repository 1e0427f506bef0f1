"""A real HTTP server on loopback that answers by a script, with the faults of real endpoints."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from row3.domain.requests import Request, messages_of
from tests.local_server import Handler, LocalServer

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def completion(text: str | None = "hello", finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "served-1",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


@dataclass
class Reply:
    status: int = 200
    body: Any = field(default_factory=completion)
    headers: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    """`cut`: closed in mid-body; `hang`: headers, then nothing; `silent`: not even headers; `drip`: bytes for ever;
    `flood`: megabytes for ever."""


@dataclass
class FakeEndpoint:
    url: str = ""
    script: list[Reply] = field(default_factory=lambda: [Reply()])
    """Answered in this order; the last one again and again."""
    chooser: Callable[[dict[str, Any]], Reply] | None = None
    seen: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    bytes_sent: int = 0
    hang_ups: int = 0
    """Connections that the client closed before the answer was out."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_reply(self, body: dict[str, Any]) -> Reply:
        with self.lock:
            self.seen.append(body)
            if self.chooser is not None:
                return self.chooser(body)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def _handler(fake: FakeEndpoint) -> type[Handler]:
    class Endpoint(Handler):
        def do_POST(self) -> None:
            raw = self.sent()
            fake.paths.append(self.path)
            fake.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = fake.next_reply(json.loads(raw))
            try:
                self._answer(reply)
            except OSError:
                fake.hang_ups += 1
                self.close_connection = True

        def _answer(self, reply: Reply) -> None:
            if reply.fault == "silent":
                fake.over.wait(30)
                self.close_connection = True
                return
            payload = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            if reply.fault in ("drip", "flood"):
                self.close_connection = True
                self.end_headers()
                piece = b" " if reply.fault == "drip" else b" " * 65536
                while not fake.over.wait(0.02 if reply.fault == "drip" else 0):
                    self.wfile.write(piece)
                    fake.bytes_sent += len(piece)
                return
            self.send_header("Content-Length", str(len(payload) + (100 if reply.fault else 0)))
            self.end_headers()
            if reply.fault == "hang":
                fake.over.wait(30)
            elif reply.fault == "cut":
                self.wfile.write(payload[:20])
            else:
                self.wfile.write(payload)
            self.close_connection = self.close_connection or bool(reply.fault)

    return Endpoint


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    endpoint = FakeEndpoint()
    server = LocalServer(_handler(endpoint))
    endpoint.url = f"{server.address}/v1"
    yield endpoint
    endpoint.over.set()
    server.stop()


@pytest.fixture
def make_reply() -> type[Reply]:
    return Reply


@pytest.fixture
def make_completion() -> Callable[..., dict[str, Any]]:
    return completion


@pytest.fixture
def make_request() -> Callable[..., Request]:
    def make(
        *, system: str = "Answer in JSON.", user: str = "What is the capital of France?", **changed: Any
    ) -> Request:
        fields: dict[str, Any] = {
            "case_id": "geo-01",
            "prompt": "decompose-concepts-v1.0",
            "repeat": 0,
            "model": "model-1",
            "temperature": 0.0,
            "seed": 7,
            "max_tokens": 50,
            "messages": messages_of(system, user),
            "schema_name": "city answer",
            "schema": SCHEMA,
            "schema_digest": "s",
            "prompt_digest": "p",
            "variables": {},
            "digest": "d",
        }
        return Request(**(fields | changed))

    return make


@pytest.fixture
def unclosed(recwarn: pytest.WarningsRecorder) -> Callable[[], list[str]]:
    """`unclosed()`: what was left open since the test began, as the collector tells; nothing that others left."""
    gc.collect()
    recwarn.clear()

    def told() -> list[str]:
        gc.collect()
        return [str(each.message) for each in recwarn if "unclosed" in str(each.message)]

    return told
