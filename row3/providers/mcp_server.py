"""MCP servers as providers: one session for all questions, reopened if lost."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from row3.domain.calls import Call, Poll, Stage, UnknownPlaceholderError, filled, found_at
from row3.domain.requests import canonical
from row3.domain.words import did_you_mean
from row3.errors import MissingExtra, ProviderStopped, UsageError
from row3.providers.base import Access
from row3.providers.mcp_session import Session, text_of
from row3.providers.redaction import redact
from row3.providers.system import LostError, Question, RefusedError, SlowError, System, json_or_text


class McpServer(System):
    """Calls a tool for every question, all in one session.

    If the session is lost, the first question to notice opens a new one, setup included. All questions in progress are
    asked again, up to `retries` times.
    """

    def __init__(
        self, access: Access, stage: Stage, setup: Sequence[Call], *, root: Path, environ: Mapping[str, str]
    ) -> None:
        """Start nothing yet. Raises `MissingExtra`."""
        if importlib.util.find_spec("mcp") is None:
            raise MissingExtra("MCP servers need the MCP SDK", fix="pip install 'row3[mcp]'")
        super().__init__(access, root=root, environ=environ)
        self._stage, self._setup = stage, setup
        self._session: Session | None = None
        self._lock = asyncio.Lock()
        self._was_up = False

    @property
    def name(self) -> str:
        """Address or command of the server."""
        return self.access.url or " ".join(self.access.command)

    def _callee(self, question: Question) -> str:
        return question.tool

    async def close(self) -> None:
        """Close the session, and the server if row3 started it."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def prepare(self) -> None:
        """Open a session unless one is open.

        Raises `ProviderStopped` if the first connection or its setup fails or a tool is missing, `LostError` if the
        server was up and does not come back, `UsageError` without the key.
        """
        async with self._lock:
            if self._session is not None:
                return
            key = self.access.key_variable
            if key is not None and not self.token:
                raise UsageError("the MCP server needs a key", fix=f"Set {key}, or use --mode replay")
            session = Session(self)
            try:
                self._check_tools(await session.open())
                await self._set_up(session)
            except (LostError, SlowError, RefusedError) as error:
                await session.close()
                if self._was_up:
                    raise LostError(f"the MCP server was lost, and reconnecting failed: {error}") from None
                raise ProviderStopped(
                    f"cannot use the MCP server `{redact(self.name)}`: {error}",
                    fix="Start it, or correct the provider in row3.toml; --mode replay needs no server",
                ) from None
            except BaseException:
                await session.close()
                raise
            self._session, self._was_up = session, True

    async def call(self, question: Question) -> str:
        """Return the tool's result, after the calls that precede it."""
        session = self._session
        assert session is not None
        try:
            for call, (tool, arguments) in zip(self._stage.before, question.before, strict=True):
                await self._run(session, tool, arguments, call.poll)
            return await self._run(session, question.tool, question.arguments, self._stage.call.poll)
        except LostError as error:
            if self._session is session:  # only the first question to notice closes it
                await self.close()
            raise LostError(f"the MCP server was lost: {error}") from None

    def _check_tools(self, available: frozenset[str]) -> None:
        calls = [*self._setup, *self._stage.before, self._stage.call]
        for tool in dict.fromkeys([call.tool for call in calls] + [call.poll.tool for call in calls if call.poll]):
            if tool not in available:
                hint = did_you_mean(tool, available, f"It has {', '.join(sorted(available)) or 'none'}")
                raise ProviderStopped(f"the MCP server `{redact(self.name)}` has no tool `{tool}`", fix=hint)

    async def _set_up(self, session: Session) -> None:
        """Make all setup calls, then wait for the jobs they started."""
        waits: dict[str, tuple[Poll, Any]] = {}
        for call in self._setup:
            result = await self._call_tool(session, call.tool, dict(call.arguments or {}))
            if call.poll is not None:
                arguments = self._poll_arguments(call.poll, result)
                waits[canonical([call.poll.tool, arguments])] = (call.poll, arguments)
        for poll, arguments in waits.values():
            await self._poll(session, poll, arguments)

    async def _run(self, session: Session, tool: str, arguments: dict[str, Any], poll: Poll | None) -> str:
        text = await self._call_tool(session, tool, arguments)
        return text if poll is None else await self._poll(session, poll, self._poll_arguments(poll, text))

    async def _call_tool(self, session: Session, tool: str, arguments: dict[str, Any]) -> str:
        try:
            result = await session.call(tool, arguments)
        except RefusedError as error:
            raise RefusedError(f"`{tool}`: {error}") from None
        text = text_of(result)
        if result.is_error:
            detail = redact(text, self.guard).rstrip(".") or "no message"
            raise RefusedError(f"`{tool}` failed: {detail}")
        return text

    async def _poll(self, session: Session, poll: Poll, arguments: dict[str, Any]) -> str:
        """Call the tool until its result reports the job done, and return that result."""
        ends = time.monotonic() + poll.limit_s
        while True:
            text = await self._call_tool(session, poll.tool, arguments)
            value = json_or_text(text)
            if all(_matches(value, path, expected) for path, expected in poll.until.items()):
                return text
            if any(_matches(value, path, expected) for path, expected in poll.failed.items()):
                raise RefusedError(f"`{poll.tool}` reported a failure: {redact(text, self.guard)}")
            if time.monotonic() + poll.interval_s > ends:
                last = redact(text, self.guard)
                raise SlowError(f"`{poll.tool}` did not finish within {poll.limit_s:g} s; its last result: {last}")
            await self._sleep(poll.interval_s)

    def _poll_arguments(self, poll: Poll, result: str) -> dict[str, Any]:
        try:
            arguments: dict[str, Any] = filled(poll.arguments, {"result": json_or_text(result)})
        except UnknownPlaceholderError as error:
            raise RefusedError(f"{error}, in the result {redact(result, self.guard)}") from None
        return arguments


def _matches(value: Any, path: str, expected: Any) -> bool:
    try:
        found = found_at(value, path)
    except KeyError:
        return False
    return found in expected if isinstance(expected, list) else found == expected
