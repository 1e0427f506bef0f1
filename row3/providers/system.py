"""Base class of systems under test: reads the question from the request, retries, extracts the answer."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from row3.domain.calls import found_at
from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.domain.secrets import Guard
from row3.providers.base import Access
from row3.providers.faults import backoff_s
from row3.providers.redaction import redact

SYSTEM_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "SYSTEMROOT", "TEMP", "PATHEXT")
"""Environment variables passed to every process; others only if `row3.toml` names them."""
LAST_BYTES = 2_000
"""How much of the end of stderr is read for a message."""


def is_secret(variable: str) -> bool:
    """Return whether an environment variable's name suggests that its value is secret."""
    return re.search(r"(?i)key|token|secret|passw|credential|auth", variable) is not None


class LostError(Exception):
    """A temporary failure; a retry may succeed."""


class RefusedError(Exception):
    """A failure that a retry would not change."""


class SlowError(Exception):
    """A time-out."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a request asks; covered by its digest, so a recording answers exactly this."""

    tool: str
    arguments: dict[str, Any]
    before: tuple[tuple[str, dict[str, Any]], ...]
    answer: str
    """Path of the answer in the result; empty for the whole result."""


class System(ABC):
    """A provider that sends questions to a system under test; subclasses implement `call`."""

    def __init__(
        self,
        access: Access,
        *,
        root: Path,
        environ: Mapping[str, str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.access, self.root, self._sleep = access, root, sleep
        self.environment = {name: environ[name] for name in (*SYSTEM_VARIABLES, *access.variables) if name in environ}
        # A function can read the whole environment.
        named = filter(is_secret, environ) if access.function else (*access.variables, access.key_variable or "")
        given = {name: environ[name] for name in named if environ.get(name)}
        self.token = given.get(access.key_variable or "")
        self.guard = Guard(given)
        """Hides secrets in messages."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name for messages and recordings."""

    async def prepare(self) -> None:
        """Start or load the system; not part of the latency. Raises as `call` does."""
        return

    @abstractmethod
    async def call(self, question: Question) -> Any:
        """Return the system's result, a text or a JSON value.

        Raises `LostError`, `RefusedError` and `SlowError` with the case's message, and as `Provider.ask` does.
        """

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask`."""
        value = json.loads(request.messages[-1].text)
        before = tuple((each["tool"], each["arguments"]) for each in value.get("before", ()))
        question = Question(value["tool"], value["arguments"], before, value.get("answer", ""))
        tries = 0
        while True:
            try:
                await self.prepare()
                began = time.monotonic()
                return self._answer(await self.call(question), question, time.monotonic() - began)
            except RefusedError as error:
                return NoAnswer(str(error))
            except SlowError as error:
                return NoAnswer(str(error), "Raise `timeout_s`, or find out why it takes so long")
            except LostError as error:
                tries += 1
                if tries > self.access.retries:
                    return NoAnswer(f"{error}{f' ({tries} tries)' if tries > 1 else ''}")
                await self._sleep(backoff_s(tries, random.random()))  # noqa: S311 - not security

    async def close(self) -> None:
        """Release resources. May be called twice."""
        return

    def _answer(self, value: Any, question: Question, latency_s: float) -> Answer | NoAnswer:
        """Return the part of a result that is the answer."""
        if question.answer:
            try:
                value = found_at(json_or_text(value), question.answer)
            except KeyError:
                what = f"the result of `{self._callee(question)}` has no `{question.answer}`"
                return NoAnswer(what, "Correct `answer` in row3.toml")
        return Answer(value if isinstance(value, str) else canonical(value), latency_s=latency_s)

    def _callee(self, question: Question) -> str:
        return self.name

    def program(self) -> tuple[str, ...]:
        """Return the command line; `python` becomes the interpreter that runs row3."""
        command = self.access.command
        return (sys.executable, *command[1:]) if command[0] == "python" and sys.executable else command

    def last_line(self, stderr: bytes) -> str:
        """Return the last line of stderr, without secrets and without a full stop."""
        lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        return redact(lines[-1], self.guard).rstrip(".") if lines else ""


def json_or_text(value: Any) -> Any:
    """Parse a JSON text; any other value is returned unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
