"""HTTP servers on loopback, each in a thread of its own: what all fakes of the tests have in common."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON: Mapping[str, str] = {"Content-Type": "application/json"}


class Handler(BaseHTTPRequestHandler):
    """Keeps its connections, and says nothing on stderr."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def sent(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def reply(self, status: int, payload: bytes, headers: Mapping[str, str] = JSON) -> None:
        """Answer the request."""
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(payload))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # with 5, many that connect at once are turned away

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is gone is nothing to report."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class LocalServer:
    """Serves from the moment it is made until it is stopped."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False  # a connection that is kept is nothing to wait for
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        # To shut it down waits for the next look at whether it shall.
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Shut the server down."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
