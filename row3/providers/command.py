"""Commands as providers: JSON on stdin, the answer on stdout, one process per question."""

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

EX_TEMPFAIL = 75
"""Exit code for a temporary failure (sysexits.h)."""
MOST_BYTES = 20_000_000
"""Limit of a program's output per stream."""
POLL_S = 0.1
"""Interval between checks of `MOST_BYTES`."""


class Command(System):
    """Runs the program in the project's folder, once per question, and kills it on time-out.

    The streams are files, so neither an unread question, nor output on both, nor a leftover child can block row3.
    """

    @property
    def name(self) -> str:
        """The program's name."""
        return Path(self.access.command[0]).name

    async def call(self, question: Question) -> str:
        """Return the program's output. Raises `ProviderStopped` if it cannot be started."""
        with TemporaryFile() as stdin, TemporaryFile() as out, TemporaryFile() as err:
            stdin.write(canonical(question.arguments).encode("utf-8", "backslashreplace"))
            stdin.seek(0)
            process = await self._start(stdin, out, err)
            try:
                async with asyncio.timeout(self.access.timeout_s):
                    await self._wait(process, (out, err))
            except TimeoutError:
                raise SlowError(f"`{self.name}` gave no answer within {self.access.timeout_s:g} s") from None
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)  # child processes may outlive it
                code = await process.wait()  # an unawaited process would cause a warning later
            err.seek(max(0, os.fstat(err.fileno()).st_size - LAST_BYTES))
            detail = self.last_line(err.read())
            tail = f": {detail}" if detail else ""
            if code < 0:
                raise RefusedError(f"`{self.name}` was killed by signal {-code}{tail}")
            if code != 0:
                failure = LostError if code == EX_TEMPFAIL else RefusedError
                raise failure(f"`{self.name}` failed with exit code {code}{tail}")
            out.seek(0)
            return out.read().decode("utf-8", "replace").strip()

    async def _start(self, stdin: IO[bytes], out: IO[bytes], err: IO[bytes]) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self.program(),
                stdin=stdin,
                stdout=out,
                stderr=err,
                cwd=self.root,
                env=self.environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProviderStopped(
                f"cannot start the command `{self.access.command[0]}`: {reason}",
                fix="Correct `command` in row3.toml; it runs in the project's folder",
            ) from None

    async def _wait(self, process: asyncio.subprocess.Process, streams: tuple[IO[bytes], ...]) -> None:
        """Wait until the program ends. Raises `RefusedError` if it writes too much."""
        ended = asyncio.ensure_future(process.wait())
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=POLL_S)
                if any(os.fstat(stream.fileno()).st_size > MOST_BYTES for stream in streams):
                    raise RefusedError(f"`{self.name}` wrote more than {MOST_BYTES // 1_000_000} MB")
        finally:
            ended.cancel()
