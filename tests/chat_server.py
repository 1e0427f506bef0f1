"""OpenAI-compatible servers on loopback that answer as a test says."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.local_server import Handler, LocalServer
from tests.projects import CASES, CONFIG, Box


@dataclass
class FakeReply:
    """What the fake model sends back."""

    text: str = ""
    status: int = 200
    finish: str = "stop"
    body: bytes | None = None
    """Sent as it is, instead of a completion with the text."""
    wait_s: float = 0.0


def completion(reply: FakeReply) -> bytes:
    """The body of a chat completion."""
    choice = {"index": 0, "finish_reason": reply.finish, "message": {"role": "assistant", "content": reply.text}}
    usage = {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
    value = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(value).encode()


class ChatServer(LocalServer, ABC):
    """Speaks chat completions; `reply_to` says what is answered."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.keys: list[str] = []
        """What each request was sent with."""
        self.lock = threading.Lock()
        """For what `reply_to` notes: requests come at once."""
        own = self

        class Chat(Handler):
            def do_POST(self) -> None:
                own.keys.append(self.headers.get("Authorization", ""))
                reply = own.reply_to(json.loads(self.sent()))
                own.over.wait(reply.wait_s)
                try:
                    self.reply(reply.status, completion(reply) if reply.body is None else reply.body)
                except OSError:
                    self.close_connection = True

        super().__init__(Chat)
        self.url = f"{self.address}/v1"

    @abstractmethod
    def reply_to(self, body: Any) -> FakeReply:
        """The answer to a request."""

    def stop(self) -> None:
        """Shut the server down, and let nobody wait for it."""
        self.over.set()
        super().stop()


class FakeModel(ChatServer):
    """Knows the small cases; `choose` answers a case's id and how often it was asked before."""

    def __init__(self, choose: Callable[[str, int], FakeReply]) -> None:
        self.asked: list[str] = []
        self.models: list[str] = []
        """Which model each of these asked for."""
        self.of_model: dict[str, Callable[[str, int], FakeReply]] = {}
        """Models that answer otherwise than `choose`."""
        self._choose = choose
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        """As the model is to answer the case whose text is asked about."""
        said = body["messages"][-1]["content"]
        case_id = next(name for name, case in CASES.items() if case["sourceText"] in said)
        with self.lock:
            times = Counter(self.asked)[case_id]
            self.asked.append(case_id)
            self.models.append(body["model"])
        return self.of_model.get(body["model"], self._choose)(case_id, times)

    def serve(self, box: Box, **settings: object) -> None:
        """Make the project ask this server."""
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        box.write("row3.toml", f'{CONFIG}preset = "vllm"\nbase_url = "{self.url}"\n{lines}')
