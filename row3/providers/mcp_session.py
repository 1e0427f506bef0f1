"""One session with an MCP server, over its standard streams or over streamable HTTP.

Only the task that opened the SDK's connection may close it, so a separate task holds it open; any task may call.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
from contextlib import AbstractAsyncContextManager
from typing import IO, TYPE_CHECKING, Any

from row3.providers.redaction import redact
from row3.providers.system import LAST_BYTES, LostError, RefusedError, SlowError, System

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

CLOSING_S = 8.0
"""How long to wait for a server to end; the SDK kills it after 2 s and 2 s more."""
GONE = (400, 404)
"""Statuses for an unknown or expired session: 404 by the specification, 400 from some servers."""


class Session:
    """A session to open, call tools in and close; unusable after a `LostError`."""

    def __init__(self, system: System) -> None:
        """Take address or command, time limits and guard from `system`."""
        self._system = system
        self._client: Client | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._ready = False
        self._session_lost = False
        self._errors: IO[bytes] | None = None

    async def open(self) -> frozenset[str]:
        """Connect to the server, or start it; returns the names of its tools. Raises `LostError`, `SlowError`."""
        ready: asyncio.Future[frozenset[str]] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep(ready))
        either: set[asyncio.Future[Any]] = {ready, self._keeper}
        await asyncio.wait(either, timeout=self._system.access.start_s, return_when=asyncio.FIRST_COMPLETED)
        if ready.done():
            return ready.result()
        if self._keeper.done():
            raise LostError(self._failure(self._keeper))
        await self.close()
        raise SlowError(f"not ready within {self._system.access.start_s:g} s{self._stderr_note()}")

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool. Raises `LostError`, `RefusedError`, `SlowError`."""
        assert self._client is not None
        assert self._keeper is not None
        calling = asyncio.create_task(self._client.call_tool(tool, arguments))
        try:
            await asyncio.wait(
                {calling, self._keeper}, timeout=self._system.access.timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
            if calling.done():
                return self._result(calling)
            if self._keeper.done():
                raise LostError(self._failure(self._keeper))
            raise SlowError(f"`{tool}` gave no result within {self._system.access.timeout_s:g} s")
        finally:
            if not calling.done():
                calling.cancel()
                await asyncio.wait({calling}, timeout=CLOSING_S)

    async def close(self) -> None:
        """Close the session, and the server if row3 started it. May be called twice."""
        self._end.set()
        if self._keeper is not None:
            if self._ready:
                await asyncio.wait({self._keeper}, timeout=CLOSING_S)
            if not self._keeper.done():
                self._keeper.cancel()
                await asyncio.wait({self._keeper}, timeout=CLOSING_S)
            if self._keeper.done() and not self._keeper.cancelled():
                self._keeper.exception()  # already reported
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _result(self, calling: asyncio.Task[CallToolResult]) -> CallToolResult:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED

        try:
            return calling.result()
        except MCPError as error:
            message = redact(error.message, self._system.guard).rstrip(".")
            if self._session_lost or error.code == CONNECTION_CLOSED:
                raise LostError(f"{message}{self._stderr_note()}") from None
            raise RefusedError(f"{message} (error {error.code})") from None
        except Exception as error:  # a server's data may break the SDK in undocumented ways
            text = redact(str(error), self._system.guard).rstrip(".")
            raise RefusedError(f"{type(error).__name__}: {text}") from None

    async def _keep(self, ready: asyncio.Future[frozenset[str]]) -> None:
        """Hold the connection open until `close`, or until it breaks."""
        from mcp import Client

        async with contextlib.AsyncExitStack() as stack:
            transport = await self._transport(stack)
            self._client = await stack.enter_async_context(Client(transport))
            names: set[str] = set()
            cursor: str | None = None
            while True:
                page = await self._client.list_tools(cursor=cursor)
                names |= {tool.name for tool in page.tools}
                cursor = page.next_cursor
                if cursor is None:
                    break
            self._ready = True
            if not ready.done():
                ready.set_result(frozenset(names))
            await self._end.wait()

    async def _transport(self, stack: contextlib.AsyncExitStack) -> AbstractAsyncContextManager[Any]:
        from mcp.client.stdio import StdioServerParameters, stdio_client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        # The SDK logs tracebacks for errors that row3 reports in a sentence.
        for name in ("mcp", "client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        system = self._system
        if system.access.url is None:
            executable, *args = system.program()
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the session
            parameters = StdioServerParameters(
                command=executable, args=args, env=system.environment, cwd=system.root, encoding_error_handler="replace"
            )
            return stdio_client(parameters, errlog=self._errors)  # type: ignore[arg-type]
        client = create_mcp_http_client(headers={"Authorization": f"Bearer {system.token}"} if system.token else {})
        client.event_hooks["response"].append(self._detect_lost_session)
        await stack.enter_async_context(client)
        return streamable_http_client(system.access.url, http_client=client)

    async def _detect_lost_session(self, response: Any) -> None:
        """Note that the server no longer knows the session, which the SDK's error does not say."""
        if response.status_code in GONE and "mcp-session-id" in response.request.headers:
            self._session_lost = True

    def _failure(self, keeper: asyncio.Task[None]) -> str:
        error: BaseException | None = None if keeper.cancelled() else keeper.exception()
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if error is None:
            return f"the connection was closed{self._stderr_note()}"
        text = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return f"{redact(text, self._system.guard).rstrip('.')}{self._stderr_note()}"

    def _stderr_note(self) -> str:
        """Return the last line of a started server's stderr, for a message."""
        if self._errors is None or self._errors.closed:
            return ""
        end = self._errors.seek(0, 2)
        self._errors.seek(max(0, end - LAST_BYTES))
        line = self._system.last_line(self._errors.read())
        return f" (stderr: {line})" if line else ""


def text_of(result: CallToolResult) -> str:
    """Return a tool's structured result as JSON, else its texts, one per line.

    SDKs wrap a text as `{"result": "a text"}`, which is returned as the text.
    """
    structured = result.structured_content
    wrapped = isinstance(structured, dict) and list(structured) == ["result"] and isinstance(structured["result"], str)
    if structured is not None and not wrapped:
        return json.dumps(structured, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "\n".join(block.text for block in result.content if block.type == "text")
