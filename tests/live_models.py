"""A server that speaks chat completions and knows which version of the small prompt asks, when, and how often."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.bakery import IDS, answer, case_of
from tests.projects import CONFIG, Box, FakeReply, completion

PRICES = '[prices."baker-1"]\ninput = 1.0\noutput = 4.0\n'
"""Of the answers below: $0.0003 each."""
COST = (100 * 1.0 + 50 * 4.0) / 1e6


class Asked(NamedTuple):
    """One request as it came in."""

    version: str
    """Of the prompt, `1.1`."""
    case_id: str
    at: int
    """How many requests came before it, of whatever kind."""
    times: int
    """How many of the same version and case did."""


def concepts(asked: Asked, count: int) -> FakeReply:
    """An answer with the first so many of a case's four concepts."""
    return FakeReply(json.dumps(answer(asked.case_id, count)))


class Provider:
    """Answers as `choose` says; what was asked is in `asked`, in the order in which it came."""

    def __init__(self, choose: Callable[[Asked], FakeReply]) -> None:
        self.asked: list[Asked] = []
        self.over = threading.Event()
        self.choose = choose
        lock = threading.Lock()
        own = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                version, _, text = body["messages"][-1]["content"].partition(": ")
                case_id = next(each for each in IDS if case_of(each)["sourceText"] in text)
                with lock:
                    times = Counter((each.version, each.case_id) for each in own.asked)[version, case_id]
                    own.asked.append(Asked(version, case_id, len(own.asked), times))
                    asked = own.asked[-1]
                reply = own.choose(asked)
                until = time.monotonic() + reply.wait_s
                while time.monotonic() < until and not own.over.is_set():
                    time.sleep(0.01)
                payload = completion(reply) if reply.body is None else reply.body
                try:
                    self.send_response(reply.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(payload)))
                    self.end_headers()
                    self.wfile.write(payload)
                except OSError:
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Shut the server down."""
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, box: Box, *, priced: bool = True, **settings: object) -> None:
        """Make the project ask this server."""
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        text = f'{CONFIG}preset = "vllm"\nbase_url = "{self.url}"\n{lines}{PRICES if priced else ""}'
        box.write("row3.toml", text)

    def versions(self) -> Counter[str]:
        """How often each version was asked."""
        return Counter(each.version for each in self.asked)
