"""An OpenAI-compatible server on loopback that embeds by a table: texts of one line mean much the same."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from typing import Any

from tests.local_server import Handler, LocalServer
from tests.projects import CONFIG, Box

NUMBERS = 64
MODEL = "toy-embed"


class EmbeddingServer(LocalServer):
    """Texts of one group have a cosine of about 0.9, all others of about 0."""

    def __init__(self, *groups: Sequence[str]) -> None:
        self.asked: list[list[str]] = []
        self.keys: list[str] = []
        self.status = 200
        places = {text: number for number, group in enumerate(groups) for text in group}
        lock = threading.Lock()
        fake = self

        def vector(text: str) -> list[float]:
            own = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % (NUMBERS - 20) + 20
            numbers = [0.0] * NUMBERS
            numbers[own] = 0.3
            numbers[places.get(text, own)] += 1.0
            return numbers

        class Embeddings(Handler):
            def do_POST(self) -> None:
                body = json.loads(self.sent())
                assert self.path == "/v1/embeddings", self.path
                with lock:
                    fake.asked.append(body["input"])
                    fake.keys.append(self.headers.get("Authorization", ""))
                rows = [{"index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
                value: dict[str, Any] = {"data": rows}
                if fake.status != 200:
                    value = {"error": {"message": "no such model"}}
                self.reply(fake.status, json.dumps(value).encode())

        super().__init__(Embeddings)
        self.url = f"{self.address}/v1"

    @property
    def texts(self) -> list[str]:
        """All texts that were asked for, one at a time."""
        return [text for part in self.asked for text in part]

    def serve(self, box: Box, *, mode: str = "replay", **settings: object) -> None:
        """Make the project match by meaning with this server."""
        given = {"model": MODEL, "base_url": self.url} | settings
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in given.items() if value is not None)
        config = CONFIG.replace('mode = "replay"', f'mode = "{mode}"')
        box.write("row3.toml", f"{config}\n[suites.bread.matching.semantic]\n{lines}")
