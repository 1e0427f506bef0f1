"""An MCP server that answers: one session for all questions, made anew where it is lost."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from row3.domain.calls import Call, Poll, Stage, UnknownPlaceholderError, filled, found_at
from row3.domain.counts import nearest
from row3.domain.requests import canonical
from row3.errors import MissingExtra, ProviderStopped, UsageError
from row3.providers.base import Access
from row3.providers.mcp_session import Session, text_of
from row3.providers.redaction import redact
from row3.providers.system import LostError, Question, RefusedError, SlowError, System, json_or_text


class McpServer(System):
    """Calls a tool for every question.

    Many questions share the session. Where it is lost, the first to notice makes a new one, setup included, and every
    question that was under way is asked again, as often as `retries` says.
    """

    def __init__(
        self, access: Access, stage: Stage, setup: Sequence[Call], *, root: Path, environ: Mapping[str, str]
    ) -> None:
        """Start nothing yet. Raises `MissingExtra`."""
        if importlib.util.find_spec("mcp") is None:
            fix = "pip install 'row3[mcp]'"
            raise MissingExtra("asking an MCP server needs its SDK, which is not installed", fix=fix)
        super().__init__(access, root=root, environ=environ)
        self._stage, self._setup = stage, setup
        self._session: Session | None = None
        self._lock = asyncio.Lock()
        self._was_up = False

    @property
    def name(self) -> str:
        """The server's address, or its command."""
        return self.access.url or " ".join(self.access.command)

    def _asked(self, question: Question) -> str:
        return question.tool

    async def close(self) -> None:
        """End the session, and the server where it was started for it."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def prepare(self) -> None:
        """Make a session where there is none.

        Raises `ProviderStopped` where the server cannot be started or reached at first, has no such tool, or where
        its setup fails; `LostError` where it was up and does not come back; `UsageError` without the key that is named.
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
                    raise LostError(f"the MCP server was lost: it could not be had back: {error}") from None
                raise ProviderStopped(
                    f"the MCP server `{redact(self.name)}` cannot be used: {error}",
                    fix="Start it, or correct the provider in row3.toml; --mode replay needs no server",
                ) from None
            except BaseException:
                await session.close()
                raise
            self._session, self._was_up = session, True

    async def call(self, question: Question) -> str:
        """Return what the tool says, after the calls ahead of it."""
        session = self._session
        assert session is not None
        try:
            for call, (tool, arguments) in zip(self._stage.before, question.before, strict=True):
                await self._done(session, tool, arguments, call.poll)
            return await self._done(session, question.tool, question.arguments, self._stage.call.poll)
        except LostError as error:
            if self._session is session:  # once, however many questions noticed
                await self.close()
            raise LostError(f"the MCP server was lost: {error}") from None

    def _check_tools(self, there: frozenset[str]) -> None:
        calls = [*self._setup, *self._stage.before, self._stage.call]
        for tool in dict.fromkeys([call.tool for call in calls] + [call.poll.tool for call in calls if call.poll]):
            if tool not in there:
                near = nearest(tool, there)
                hint = f"Did you mean `{near}`?" if near else f"It has {', '.join(sorted(there)) or 'none'}"
                raise ProviderStopped(f"the MCP server `{redact(self.name)}` has no tool `{tool}`", fix=hint)

    async def _set_up(self, session: Session) -> None:
        """The calls that a session begins with: all of them, then the wait for what they began."""
        waits: dict[str, tuple[Poll, Any]] = {}
        for call in self._setup:
            result = await self._called(session, call.tool, dict(call.arguments or {}))
            if call.poll is not None:
                arguments = self._poll_arguments(call.poll, result)
                waits[canonical([call.poll.tool, arguments])] = (call.poll, arguments)
        for poll, arguments in waits.values():
            await self._polled(session, poll, arguments)

    async def _done(self, session: Session, tool: str, arguments: dict[str, Any], poll: Poll | None) -> str:
        text = await self._called(session, tool, arguments)
        return text if poll is None else await self._polled(session, poll, self._poll_arguments(poll, text))

    async def _called(self, session: Session, tool: str, arguments: dict[str, Any]) -> str:
        try:
            result = await session.call(tool, arguments)
        except RefusedError as error:
            raise RefusedError(f"`{tool}`: {error}") from None
        text = text_of(result)
        if result.is_error:
            said = redact(text, self.guard).rstrip(".") or "an error without a word"
            raise RefusedError(f"`{tool}` failed: {said}")
        return text

    async def _polled(self, session: Session, poll: Poll, arguments: dict[str, Any]) -> str:
        """Ask until the result says that it is done; the last result."""
        ends = time.monotonic() + poll.limit_s
        while True:
            text = await self._called(session, poll.tool, arguments)
            value = json_or_text(text)
            if all(_is(value, path, wanted) for path, wanted in poll.until.items()):
                return text
            if any(_is(value, path, wanted) for path, wanted in poll.failed.items()):
                raise RefusedError(f"`{poll.tool}` says that it failed: {redact(text, self.guard)}")
            if time.monotonic() + poll.interval_s > ends:
                raise SlowError(
                    f"`{poll.tool}` did not come to an end within {poll.limit_s:g} s, and says "
                    f"{redact(text, self.guard)}"
                )
            await self._sleep(poll.interval_s)

    def _poll_arguments(self, poll: Poll, said: str) -> dict[str, Any]:
        try:
            arguments: dict[str, Any] = filled(poll.arguments, {"result": json_or_text(said)})
        except UnknownPlaceholderError as error:
            raise RefusedError(f"{error}, in what it said: {redact(said, self.guard)}") from None
        return arguments


def _is(value: Any, path: str, wanted: Any) -> bool:
    try:
        found = found_at(value, path)
    except KeyError:
        return False
    return found in wanted if isinstance(wanted, list) else found == wanted
