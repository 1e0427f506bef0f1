"""A command that answers: JSON in on stdin, the answer out on stdout, one process a question."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from row3.domain.requests import canonical
from row3.errors import ProviderStopped
from row3.providers.system import LAST_BYTES, LostError, Question, RefusedError, SlowError, System

TRY_AGAIN = 75
"""Exit code of a failure that may pass (EX_TEMPFAIL of sysexits.h)."""
LARGEST = 20_000_000
"""Bytes that a program may write to a stream."""
LOOK_S = 0.1
"""How often to see how much a program has written."""


class Command(System):
    """Starts the program for every question, in the project's folder, and ends it when its time is up.

    Its streams are files: it need not read its question, may write to both at once, and a helper that it leaves behind
    holds nothing open.
    """

    @property
    def name(self) -> str:
        """The program's name."""
        return Path(self.access.command[0]).name

    async def call(self, question: Question) -> str:
        """Return what the program writes. Raises `ProviderStopped` where it cannot be started."""
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(canonical(question.arguments).encode("utf-8", "backslashreplace"))
            given.seek(0)
            process = await self._start(given, out, err)
            try:
                async with asyncio.timeout(self.access.timeout_s):
                    await self._ended(process, (out, err))
            except TimeoutError:
                raise SlowError(f"`{self.name}` gave no answer within {self.access.timeout_s:g} s") from None
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)  # a helper that it started may outlive it
                # Whatever happened: a process that is not waited for is a warning at some later time.
                code = await process.wait()
            err.seek(max(0, os.fstat(err.fileno()).st_size - LAST_BYTES))
            said = self.last_words(err.read())
            tail = f": {said}" if said else ""
            if code < 0:
                raise RefusedError(f"`{self.name}` was ended by signal {-code}{tail}")
            if code != 0:
                failure = LostError if code == TRY_AGAIN else RefusedError
                raise failure(f"`{self.name}` ended with exit code {code}{tail}")
            out.seek(0)
            return out.read().decode("utf-8", "replace").strip()

    async def _start(self, given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self.program(),
                stdin=given,
                stdout=out,
                stderr=err,
                cwd=self.root,
                env=self.environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProviderStopped(
                f"the command `{self.access.command[0]}` cannot be started: {reason}",
                fix="Correct `command` in row3.toml; it runs in the project's folder",
            ) from None

    async def _ended(self, process: asyncio.subprocess.Process, streams: tuple[IO[bytes], ...]) -> None:
        """Wait for the end of the program. Raises `RefusedError` where it writes too much."""
        ended = asyncio.ensure_future(process.wait())
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=LOOK_S)
                if any(os.fstat(stream.fileno()).st_size > LARGEST for stream in streams):
                    raise RefusedError(f"`{self.name}` wrote more than {LARGEST // 1_000_000} MB")
        finally:
            ended.cancel()
