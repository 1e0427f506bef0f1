"""An MCP server that answers: one session for all questions, made anew where it is lost."""

from __future__ import annotations

import asyncio
import difflib
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from row3.domain.calls import Call, Poll, Stage, UnknownPlaceholderError, filled, found_at
from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.errors import ProviderStopped, UsageError
from row3.providers.base import Access
from row3.providers.faults import backoff_s
from row3.providers.mcp_session import LostError, RefusedError, Session, SlowError, require_sdk, text_of
from row3.providers.redaction import redact
from row3.providers.tool_calls import answered, asked, keys_in, secrets_in

BACKOFF = 0.5
"""Of the usual waits: a program on this machine starts faster than a service recovers."""


class McpServer:
    """Calls a tool for every question.

    Many questions share the session. Where it is lost, the first to notice makes a new one, setup included, and every
    question that was under way is asked again, as often as `retries` says.
    """

    def __init__(
        self,
        access: Access,
        stage: Stage,
        setup: Sequence[Call],
        *,
        root: Path,
        environ: Mapping[str, str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start nothing yet. Raises `MissingExtra`."""
        require_sdk()
        self._access, self._stage, self._setup = access, stage, setup
        self._root, self._environ, self._sleep = root, environ, sleep
        names = access.variables + ((access.key_variable,) if access.key_variable else ())
        self._secrets, self._keys = secrets_in(environ, names), keys_in(environ, names)
        self._session: Session | None = None
        self._lock = asyncio.Lock()
        self._was_up = False

    @property
    def name(self) -> str:
        """The server's address, or its command."""
        return self._access.url or " ".join(self._access.command)

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request.

        Raises `ProviderStopped` where the server cannot be started or reached at first, has no such tool, or where
        its setup fails; `UsageError` without the key that is named.
        """
        tries = 0
        while True:
            session: Session | None = None
            try:
                session = await self._ready()
                return await self._answer(session, request)
            except LostError as error:
                await self._drop(session)
                tries += 1
                if tries > self._access.retries:
                    often = "" if tries == 1 else f" ({tries} tries)"
                    return NoAnswer(f"the MCP server was lost: {error}{often}")
                await self._sleep(BACKOFF * backoff_s(tries, random.random()))  # noqa: S311 - spreads tries only
            except RefusedError as error:
                return NoAnswer(str(error))
            except SlowError as error:
                return NoAnswer(str(error), "Raise `timeout_s`, or see why it takes so long")

    async def close(self) -> None:
        """End the session, and the server where it was started for it."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _ready(self) -> Session:
        """The session, made where there is none. Raises `LostError` where a server that was up does not come back."""
        async with self._lock:
            if self._session is not None:
                return self._session
            session = Session(self._access, root=self._root, environ=self._environ)
            try:
                self._check_key()
                self._check_tools(await session.open())
                await self._set_up(session)
            except (LostError, SlowError, RefusedError) as error:
                await session.close()
                if self._was_up:
                    raise LostError(f"it could not be had back: {error}") from None
                raise ProviderStopped(
                    f"the MCP server `{redact(self.name)}` cannot be used: {error}",
                    fix="Start it, or correct the provider in row3.toml; --mode replay needs no server",
                ) from None
            except BaseException:
                await session.close()
                raise
            self._session, self._was_up = session, True
            return session

    async def _drop(self, session: Session | None) -> None:
        """Close a lost session, once however many questions noticed."""
        if session is not None and self._session is session:
            self._session = None
            await session.close()

    def _check_key(self) -> None:
        key = self._access.key_variable
        if key is not None and not self._environ.get(key):
            raise UsageError("the MCP server needs a key", fix=f"Set {key}, or use --mode replay")

    def _check_tools(self, there: frozenset[str]) -> None:
        calls = [*self._setup, *self._stage.before, self._stage.call]
        for tool in dict.fromkeys([call.tool for call in calls] + [call.poll.tool for call in calls if call.poll]):
            if tool not in there:
                near = difflib.get_close_matches(tool, there, n=1)
                hint = f"Did you mean `{near[0]}`?" if near else f"It has {', '.join(sorted(there)) or 'none'}"
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

    async def _answer(self, session: Session, request: Request) -> Answer | NoAnswer:
        question, began = asked(request), time.monotonic()
        for call, (tool, arguments) in zip(self._stage.before, question.before, strict=True):
            await self._done(session, tool, arguments, call.poll)
        text = await self._done(session, question.tool, question.arguments, self._stage.call.poll)
        return answered(text, question.answer, f"`{question.tool}`", time.monotonic() - began, self._keys)

    async def _done(self, session: Session, tool: str, arguments: dict[str, Any], poll: Poll | None) -> str:
        """What a call says, or where it is polled, what the poll says at last."""
        text = await self._called(session, tool, arguments)
        return text if poll is None else await self._polled(session, poll, self._poll_arguments(poll, text))

    async def _called(self, session: Session, tool: str, arguments: dict[str, Any]) -> str:
        try:
            result = await session.call(tool, arguments)
        except RefusedError as error:
            raise RefusedError(f"`{tool}`: {error}") from None
        text = text_of(result)
        if result.is_error:
            said = redact(text, self._secrets).rstrip(".") or "an error without a word"
            raise RefusedError(f"`{tool}` failed: {said}")
        return text

    async def _polled(self, session: Session, poll: Poll, arguments: dict[str, Any]) -> str:
        """Ask until the result says that it is done; the last result."""
        ends = time.monotonic() + poll.limit_s
        while True:
            text = await self._called(session, poll.tool, arguments)
            value = _json_or_text(text)
            if all(_is(value, path, wanted) for path, wanted in poll.until.items()):
                return text
            if any(_is(value, path, wanted) for path, wanted in poll.failed.items()):
                raise RefusedError(f"`{poll.tool}` says that it failed: {redact(text, self._secrets)}")
            if time.monotonic() + poll.interval_s > ends:
                raise SlowError(
                    f"`{poll.tool}` did not come to an end within {poll.limit_s:g} s, and says "
                    f"{redact(text, self._secrets)}"
                )
            await self._sleep(poll.interval_s)

    def _poll_arguments(self, poll: Poll, said: str) -> dict[str, Any]:
        try:
            arguments: dict[str, Any] = filled(poll.arguments, {"result": _json_or_text(said)})
        except UnknownPlaceholderError as error:
            raise RefusedError(f"{error}, in what it said: {redact(said, self._secrets)}") from None
        return arguments


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is(value: Any, path: str, wanted: Any) -> bool:
    try:
        found = found_at(value, path)
    except KeyError:
        return False
    return found in wanted if isinstance(wanted, list) else found == wanted
