"""MCP servers over streamable HTTP: the faulty one, and one of the older protocol that forgets sessions."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.local_server import Handler, LocalServer
from tests.systems.calls import STDIO

PATIENCE_S = 60.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(
    command: Sequence[str], port: int, *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A server process that listens on the port; ended afterwards."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + PATIENCE_S
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < until, "the server does not listen"
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def faulty() -> Iterator[str]:
    """The address of the faulty server."""
    port = free_port()
    with served([*STDIO, "--http", str(port)], port):
        yield f"http://127.0.0.1:{port}/mcp"


class Forgetful:
    """An MCP server of protocol 2025-06-18 that forgets its sessions when told to, and counts what it is asked."""

    def __init__(self, *, status: int = 404, body: bytes = b"", broken: bytes | None = None) -> None:
        self.sessions: set[str] = set()
        self.opened = 0
        self.calls: list[dict[str, Any]] = []
        self.forget_at: set[int] = set()
        """Numbers of the calls, from 1, at which every session is forgotten."""
        self.headers: list[dict[str, str]] = []
        self.unknown = (status, body)
        self.broken = broken
        """Sent as it is in the place of a tool's result."""

    @contextlib.contextmanager
    def listening(self) -> Iterator[str]:
        """Its address."""
        owner = self

        class Mcp(Handler):
            protocol_version = "HTTP/1.0"

            def do_POST(self) -> None:
                message = json.loads(self.sent())
                owner.headers.append({key.lower(): value for key, value in self.headers.items()})
                owner.answer(self, message)

            def do_DELETE(self) -> None:
                self.reply(200, b"", {})

            def do_GET(self) -> None:
                self.reply(405, b"", {})

        server = LocalServer(Mcp)
        try:
            yield f"{server.address}/mcp"
        finally:
            server.stop()

    def answer(self, handler: BaseHTTPRequestHandler, message: dict[str, Any]) -> None:
        """Answer one message."""
        method = message["method"]
        if method == "initialize":
            self.opened += 1
            name = f"session-{self.opened}"
            self.sessions.add(name)
            info = {"serverInfo": {"name": "forgetful", "version": "1"}, "capabilities": {"tools": {}}}
            self._send(handler, message, {"protocolVersion": "2025-06-18", **info}, session=name)
            return
        if method == "server/discover":
            self._raw(handler, 200, json.dumps(_error(message, -32601, "Method not found")).encode())
            return
        if method == "tools/call":
            self.calls.append(message["params"])
            if len(self.calls) in self.forget_at:
                self.sessions.clear()
        if handler.headers.get("mcp-session-id") not in self.sessions:
            self._raw(handler, *self.unknown)
        elif method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("say", "learn")]
            self._send(handler, message, {"tools": tools})
        elif method == "tools/call" and self.broken is not None:
            self._raw(handler, 200, self.broken)
        elif method == "tools/call":
            text = json.dumps(message["params"]["arguments"])
            self._send(handler, message, {"content": [{"type": "text", "text": text}]})
        else:
            self._raw(handler, 202, b"")

    def _send(self, handler: BaseHTTPRequestHandler, message: dict[str, Any], result: Any, session: str = "") -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        self._raw(handler, 200, body, session=session)

    def _raw(self, handler: BaseHTTPRequestHandler, status: int, body: bytes, session: str = "") -> None:
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        if session:
            handler.send_header("mcp-session-id", session)
        handler.end_headers()
        handler.wfile.write(body)


def _error(message: dict[str, Any], code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}
