"""One session with an MCP server, over its standard streams or over streamable HTTP.

The SDK's connection belongs to the task that opened it, so a task of its own keeps it open; calls come from any task.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
from typing import IO, TYPE_CHECKING, Any

from row3.providers.redaction import redact
from row3.providers.system import LAST_BYTES, LostError, RefusedError, SlowError, System

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from mcp import Client
    from mcp_types import CallToolResult

CLOSING_S = 8.0
"""Seconds that a server is given to end before it is left alone; the SDK kills it after 2 and 2 more."""
GONE = (400, 404)
"""What a server answers that does not know the session (any more): 404 by the specification, 400 from some."""


class Session:
    """Open it, call tools, close it; not to be used again after a `LostError`."""

    def __init__(self, system: System) -> None:
        """`system` says what to start or reach, and how long it may take."""
        self._system = system
        self._client: Client | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._ready = False
        self._gone = False
        self._errors: IO[bytes] | None = None

    async def open(self) -> frozenset[str]:
        """Start or reach the server, shake hands; returns the names of its tools.

        Raises `LostError`, `SlowError`.
        """
        ready: asyncio.Future[frozenset[str]] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep(ready))
        either: set[asyncio.Future[Any]] = {ready, self._keeper}
        await asyncio.wait(either, timeout=self._system.access.start_s, return_when=asyncio.FIRST_COMPLETED)
        if ready.done():
            return ready.result()
        if self._keeper.done():
            raise LostError(self._why(self._keeper))
        await self.close()
        raise SlowError(f"it was not ready within {self._system.access.start_s:g} s{self._said()}")

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
                raise LostError(self._why(self._keeper))
            raise SlowError(f"`{tool}` gave no result within {self._system.access.timeout_s:g} s")
        finally:
            if not calling.done():
                calling.cancel()
                await asyncio.wait({calling}, timeout=CLOSING_S)

    async def close(self) -> None:
        """End the session and a server that was started for it. May be called twice."""
        self._end.set()
        if self._keeper is not None:
            if self._ready:
                await asyncio.wait({self._keeper}, timeout=CLOSING_S)
            if not self._keeper.done():
                self._keeper.cancel()
                await asyncio.wait({self._keeper}, timeout=CLOSING_S)
            if self._keeper.done() and not self._keeper.cancelled():
                self._keeper.exception()  # what it died of has been told by then
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
            if self._gone or error.code == CONNECTION_CLOSED:
                raise LostError(f"{message}{self._said()}") from None
            raise RefusedError(f"{message} (error {error.code})") from None
        except Exception as error:  # what a server sends may break the SDK in more ways than it names
            raise RefusedError(
                f"{type(error).__name__}: {redact(str(error), self._system.guard).rstrip('.')}"
            ) from None

    async def _keep(self, ready: asyncio.Future[frozenset[str]]) -> None:
        """Hold the connection open until it is told to end; ends early where the connection does."""
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

        # The SDK logs with tracebacks what row3 says in a sentence.
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
        client.event_hooks["response"].append(self._look)
        await stack.enter_async_context(client)
        return streamable_http_client(system.access.url, http_client=client)

    async def _look(self, response: Any) -> None:
        """Notice that the server no longer knows the session; the SDK's error does not tell it from others."""
        if response.status_code in GONE and "mcp-session-id" in response.request.headers:
            self._gone = True

    def _why(self, keeper: asyncio.Task[None]) -> str:
        error: BaseException | None = None if keeper.cancelled() else keeper.exception()
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if error is None:
            return f"the connection was closed{self._said()}"
        text = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return f"{redact(text, self._system.guard).rstrip('.')}{self._said()}"

    def _said(self) -> str:
        """The end of a started server's stderr, for a message."""
        if self._errors is None or self._errors.closed:
            return ""
        end = self._errors.seek(0, 2)
        self._errors.seek(max(0, end - LAST_BYTES))
        said = self._system.last_words(self._errors.read())
        return f" (it wrote: {said})" if said else ""


def text_of(result: CallToolResult) -> str:
    """What a tool said: its structured result where it gave one, else its texts, line by line.

    `{"result": "a text"}` is how SDKs wrap a tool that returns a text: it gives the text.
    """
    structured = result.structured_content
    wrapped = isinstance(structured, dict) and list(structured) == ["result"] and isinstance(structured["result"], str)
    if structured is not None and not wrapped:
        return json.dumps(structured, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "\n".join(block.text for block in result.content if block.type == "text")
