"""A server with OpenAI's files and batches, as its reference publishes them, in front of a model of the tests."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from typing import Any

from tests.chat_server import ChatServer, completion
from tests.local_server import Handler, LocalServer
from tests.projects import Box

STATUSES = ("validating", "in_progress", "finalizing", "completed")
OPEN = ("validating", "in_progress", "finalizing", "cancelling")
Line = dict[str, Any]


def response(reply_body: dict[str, Any]) -> dict[str, Any]:
    """A chat completion in the form of `/v1/responses`."""
    text = reply_body["choices"][0]["message"]["content"]
    content = [{"type": "output_text", "text": text, "annotations": []}]
    usage = {"input_tokens": 100, "output_tokens": 50, "total_tokens": 150}
    message = {"type": "message", "role": "assistant", "content": content}
    return {
        "id": "r",
        "object": "response",
        "status": "completed",
        "model": "served",
        "output": [message],
        "usage": usage,
    }


class BatchServer(LocalServer):
    """Each look at a batch takes it one status further; its requests are answered as it is completed."""

    def __init__(self, model: ChatServer) -> None:
        self.model = model
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.bodies: list[Line] = []
        """Bodies of all requests that were answered in batches, each of which is paid for."""
        self.live = 0
        """Requests that were asked outside of batches."""
        self.looks = 0
        self.statuses: Callable[[dict[str, Any]], tuple[str, ...]] = lambda batch: STATUSES
        """The statuses of a batch, one a look; the last stays."""
        self.unanswered: Callable[[Line], bool] = lambda line: False
        """Which requests are not answered when a batch is `expired` or `cancelled`."""
        self.spoil: Callable[[list[Line], list[Line]], None] = lambda output, errors: None
        """Changes the lines of both files."""
        self.on_create: Callable[[], None] = lambda: None
        """Called once a batch is created, before that is answered."""
        self.errors: list[dict[str, Any]] = []
        """Why a batch `failed`."""
        self.refuse: Callable[[Handler, str, bytes], bool] = lambda handler, path, sent: False
        """Answers a request itself."""
        self._lock = threading.Lock()
        own = self

        class Batches(Handler):
            def do_GET(self) -> None:
                own.answer(self, "GET", b"")

            def do_POST(self) -> None:
                own.answer(self, "POST", self.sent())

        super().__init__(Batches)
        self.url = f"{self.address}/v1"

    def serve(self, box: Box, more: str = "", name: str = "row3.toml") -> None:
        """Make the project ask this server in batches."""
        config = re.sub(r'\[provider\]\n(preset = "vllm"\nbase_url = ".*"\n)?', "[provider]\n", box.read(name))
        at = f'[provider]\npreset = "vllm"\nbase_url = "{self.url}"\nmax_retries = 1\n'
        box.write(name, config.replace("[provider]\n", at, 1) + more)

    def answer(self, handler: Handler, method: str, sent: bytes) -> None:
        """Answer one HTTP request."""
        path = handler.path.partition("?")[0].removeprefix("/v1")
        if self.refuse(handler, f"{method} {path}", sent):
            return
        try:
            with self._lock:
                status, payload = self.routed(method, path, sent)
        except KeyError:
            status, payload = 404, b'{"error": {"message": "not found", "type": "invalid_request_error"}}'
        try:
            handler.reply(status, payload)
        except OSError:
            handler.close_connection = True

    def routed(self, method: str, path: str, sent: bytes) -> tuple[int, bytes]:
        match method, path.strip("/").split("/"):
            case "POST", ["files"]:
                assert b'name="purpose"\r\n\r\nbatch\r\n' in sent
                content = re.search(rb'filename="[^"]+\.jsonl"\r\n(?:[^\r]+\r\n)*\r\n(.*?)\r\n--', sent, re.DOTALL)
                assert content is not None
                file_id = self._keep(content[1])
                size = len(content[1])
                value = {"id": file_id, "object": "file", "bytes": size, "created_at": 1, "purpose": "batch"}
                return 200, json.dumps(value | {"filename": "row3.jsonl", "status": "processed"}).encode()
            case "GET", ["files", file_id, "content"]:
                return 200, self.files[file_id]
            case "POST", ["batches"]:
                return 200, json.dumps(self._create(json.loads(sent))).encode()
            case "GET", ["batches"]:
                newest = list(reversed(self.batches.values()))
                return 200, json.dumps({"object": "list", "data": newest, "has_more": False}).encode()
            case "GET", ["batches", batch_id]:
                self.looks += 1
                return 200, json.dumps(self._look(self.batches[batch_id])).encode()
            case "POST", ["chat", "completions"]:
                self.live += 1
                reply = self.model.reply_to(json.loads(sent))
                return reply.status, completion(reply) if reply.body is None else reply.body
        raise KeyError(path)

    def _keep(self, content: bytes) -> str:
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = content
        return file_id

    def _create(self, given: dict[str, Any]) -> dict[str, Any]:
        assert given.keys() == {"input_file_id", "endpoint", "completion_window"}
        assert given["completion_window"] == "24h"
        assert given["input_file_id"] in self.files
        batch = {"id": f"batch_{len(self.batches) + 1}", "object": "batch", "status": "validating"}
        batch |= given | {"created_at": 4_000_000_000, "errors": None, "output_file_id": None, "error_file_id": None}
        lines = self.lines(given["input_file_id"])
        keys = [line["custom_id"] for line in lines]
        # What the service refuses: names twice, several models, another endpoint.
        assert len(set(keys)) == len(keys) <= 50_000
        assert len({line["body"]["model"] for line in lines}) == 1
        assert {(line["method"], line["url"]) for line in lines} == {("POST", given["endpoint"])}
        self.batches[str(batch["id"])] = batch
        self.on_create()
        return batch

    def lines(self, file_id: str) -> list[Line]:
        """The lines of a file."""
        return [json.loads(line) for line in self.files[file_id].splitlines()]

    def _look(self, batch: dict[str, Any]) -> dict[str, Any]:
        shown = dict(batch)
        statuses = self.statuses(batch)
        if batch["status"] in OPEN:
            place = statuses.index(batch["status"]) if batch["status"] in statuses else -1
            batch["status"] = statuses[min(place + 1, len(statuses) - 1)]
            if batch["status"] == "failed":
                batch["errors"] = {"object": "list", "data": self.errors}
            elif batch["status"] not in OPEN:
                self._complete(batch)
        return shown if shown["status"] not in OPEN else dict(batch)

    def _complete(self, batch: dict[str, Any]) -> None:
        output: list[Line] = []
        errors: list[Line] = []
        for number, line in enumerate(self.lines(batch["input_file_id"])):
            answered = {"id": f"batch_req_{number}", "custom_id": line["custom_id"], "response": None, "error": None}
            if batch["status"] in ("expired", "cancelled") and self.unanswered(line):
                said = {
                    "code": f"batch_{batch['status']}",
                    "message": f"This request was not executed: {batch['status']}.",
                }
                errors.append(answered | {"error": said})
                continue
            body = line["body"]
            self.bodies.append(body)
            if "input" in body:
                asked = [{"role": "system", "content": body.get("instructions", "")}, *body["input"]]
                body = body | {"messages": asked}
            reply = self.model.reply_to(body)
            value = json.loads(completion(reply) if reply.body is None else reply.body)
            value = response(value) if "input" in body and reply.status == 200 else value
            answered["response"] = {"status_code": reply.status, "request_id": f"req_{number}", "body": value}
            (output if reply.status == 200 else errors).append(answered)
        self.spoil(output, errors)
        for lines, name in ((output, "output_file_id"), (errors, "error_file_id")):
            random.Random(len(lines)).shuffle(lines)
            if lines:
                raw = (line if isinstance(line, str) else json.dumps(line) for line in lines)
                batch[name] = self._keep("".join(f"{line}\n" for line in raw).encode())
