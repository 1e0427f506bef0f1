"""A command that answers: JSON in on stdin, the answer out on stdout, one process a question."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.errors import ProviderStopped
from row3.providers.base import Access
from row3.providers.faults import backoff_s
from row3.providers.tool_calls import answered, asked, environment, keys_in, last_words, program, secrets_in

TRY_AGAIN = 75
"""Exit code of a failure that may pass (EX_TEMPFAIL of sysexits.h)."""
LARGEST = 20_000_000
"""Bytes of stdout that are read; more is no answer."""
SHOWN = 2_000
"""Bytes at the end of stderr that a message is made of."""
GRACE_S = 0.5
"""For what is still on its way when the program has ended and something holds its streams open."""
LOOK_S = 0.02
"""How often to see whether a program has ended whose streams are open."""


class Command:
    """Starts the program for every question, in the project's folder, and ends it when its time is up."""

    def __init__(
        self,
        access: Access,
        *,
        root: Path,
        environ: Mapping[str, str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._access, self._root, self._sleep = access, root, sleep
        self._environment = environment(environ, access.variables)
        self._secrets = secrets_in(environ, access.variables)
        self._keys = keys_in(environ, access.variables)

    @property
    def name(self) -> str:
        """The program's name."""
        return Path(self._access.command[0]).name

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request. Raises `ProviderStopped` where the program cannot be started."""
        tries = 0
        while True:
            given, may_pass = await self._run(request)
            tries += 1
            if not may_pass or tries > self._access.retries:
                return given
            await self._sleep(backoff_s(tries, random.random()))  # noqa: S311 - spreads tries, hides nothing

    async def close(self) -> None:
        """Nothing is left open."""

    async def _run(self, request: Request) -> tuple[Answer | NoAnswer, bool]:
        """One try, and whether another may go better."""
        question, began = asked(request), time.monotonic()
        process = await self._start()
        try:
            async with asyncio.timeout(self._access.timeout_s):
                told = canonical(question.arguments).encode("utf-8", "backslashreplace")
                out, err, code = await _talk(process, told)
        except TimeoutError:
            what = f"`{self.name}` gave no answer within {self._access.timeout_s:g} s"
            return NoAnswer(what, "Raise `timeout_s`, or see why it takes so long"), False
        finally:
            await _end(process)
        said = last_words(err, self._secrets)
        tail = f": {said}" if said else ""
        if code < 0:
            return NoAnswer(f"`{self.name}` was ended by signal {-code}{tail}"), False
        if code != 0:
            return NoAnswer(f"`{self.name}` ended with exit code {code}{tail}"), code == TRY_AGAIN
        if len(out) > LARGEST:
            return NoAnswer(f"`{self.name}` wrote more than {LARGEST // 1_000_000} MB"), False
        latency_s, text = time.monotonic() - began, out.decode("utf-8", "replace").strip()
        return answered(text, question.answer, f"`{self.name}`", latency_s, self._keys), False

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *program(self._access.command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._root,
                env=self._environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProviderStopped(
                f"the command `{self._access.command[0]}` cannot be started: {reason}",
                fix="Correct `command` in row3.toml; it runs in the project's folder",
            ) from None


async def _talk(process: asyncio.subprocess.Process, told: bytes) -> tuple[bytes, bytes, int]:
    """Write the question and read both streams at once, until the program has ended and they are closed.

    A helper that it left behind may keep them open: what was written by then is the answer, and the helper is ended.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = bytearray(), bytearray()
    talking = asyncio.gather(_tell(process, told), _read(process.stdout, out), _tail(process.stderr, err))
    ended = asyncio.ensure_future(_ended(process))
    either: set[asyncio.Future[Any]] = {talking, ended}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not talking.done():
            await asyncio.wait({talking}, timeout=GRACE_S)
        if not talking.done():
            _kill(process)  # which closes the streams, but for a helper that left the program's group
            await asyncio.wait({talking}, timeout=GRACE_S)
        if talking.done():
            await talking  # raises what went wrong in it
        return bytes(out), bytes(err), await process.wait()
    finally:
        ended.cancel()
        talking.cancel()


async def _tell(process: asyncio.subprocess.Process, told: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it need not read what it does not want
        process.stdin.write(told)
        await process.stdin.drain()
        process.stdin.close()


async def _read(stream: asyncio.StreamReader, kept: bytearray) -> None:
    """A little more than the largest answer; the rest is read and dropped, lest the writer wait for ever."""
    while chunk := await stream.read(1 << 16):
        kept += chunk[: LARGEST + 1 - len(kept)]


async def _tail(stream: asyncio.StreamReader, kept: bytearray) -> None:
    while chunk := await stream.read(1 << 16):
        kept += chunk
        del kept[:-SHOWN]


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait for the program alone: before Python 3.13 `wait` waits for whoever holds its streams, too."""
    while process.returncode is None:
        await asyncio.sleep(LOOK_S)


def _kill(process: asyncio.subprocess.Process) -> None:
    """End the process and what it started, where any of it still runs: a helper may outlive the program."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


async def _end(process: asyncio.subprocess.Process) -> None:
    _kill(process)
    left, stopped = asyncio.ensure_future(_ended(process)), False
    while not left.done():
        try:
            await asyncio.shield(left)
        except asyncio.CancelledError:  # who ends a run may say so twice; a killed program is waited for all the same
            stopped = True
    # A pipe that is left to the garbage collector is closed after its event loop, which prints a traceback.
    process._transport.close()  # type: ignore[attr-defined]
    if stopped:
        raise asyncio.CancelledError
