"""What the systems that are no model share: the question read back from the request, and further tries."""

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
"""Environment variables that every process is given; keys and tokens only where `row3.toml` names them."""
LAST_BYTES = 2_000
"""The end of stderr that a message is made of."""


def is_secret(variable: str) -> bool:
    """Return whether the name of an environment variable says that its value is a secret."""
    return re.search(r"(?i)key|token|secret|passw|credential|auth", variable) is not None


class LostError(Exception):
    """The system failed in a way that may pass; another try may do better."""


class RefusedError(Exception):
    """There is no answer, and asking again would change nothing."""


class SlowError(Exception):
    """The time was up."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a request asks: exactly what its digest covers, and so what a recording answers."""

    tool: str
    arguments: dict[str, Any]
    before: tuple[tuple[str, dict[str, Any]], ...]
    answer: str
    """Path of the answer in the result; empty for the whole."""


class System(ABC):
    """A provider that sends a question and nothing else; subclasses say how."""

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
        # A function has the whole environment at hand.
        named = filter(is_secret, environ) if access.function else (*access.variables, access.key_variable or "")
        given = {name: environ[name] for name in named if environ.get(name)}
        self.token = given.get(access.key_variable or "")
        self.guard = Guard(given)
        """Hides what no message may hold."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What messages and recordings call it."""

    async def prepare(self) -> None:
        """Load or start what answers; raises as `call` does. The time that it takes is not the answer's."""
        return

    @abstractmethod
    async def call(self, question: Question) -> Any:
        """Return what the system gives, a text or a JSON value.

        Raises `LostError`, `RefusedError` and `SlowError`, each with the message of the case, and what `Provider.ask`
        raises.
        """

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask`."""
        value = json.loads(request.user)
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
                return NoAnswer(str(error), "Raise `timeout_s`, or see why it takes so long")
            except LostError as error:
                tries += 1
                if tries > self.access.retries:
                    return NoAnswer(f"{error}{f' ({tries} tries)' if tries > 1 else ''}")
                await self._sleep(backoff_s(tries, random.random()))  # noqa: S311 - spreads tries, hides nothing

    async def close(self) -> None:
        """Give back what is open. May be called twice."""
        return

    def _answer(self, value: Any, question: Question, latency_s: float) -> Answer | NoAnswer:
        """Return the part of a result that is the answer."""
        if question.answer:
            try:
                value = found_at(json_or_text(value), question.answer)
            except KeyError:
                return NoAnswer(
                    f"`{self._asked(question)}` gave nothing at `{question.answer}`", "Correct `answer` in row3.toml"
                )
        return Answer(value if isinstance(value, str) else canonical(value), latency_s=latency_s)

    def _asked(self, question: Question) -> str:
        return self.name

    def program(self) -> tuple[str, ...]:
        """Return the command line; `python` is the Python that runs row3, on every machine."""
        command = self.access.command
        return (sys.executable, *command[1:]) if command[0] == "python" and sys.executable else command

    def last_words(self, stderr: bytes) -> str:
        """Return the last line that a program wrote, without secrets and without its full stop."""
        lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        return redact(lines[-1], self.guard).rstrip(".") if lines else ""


def json_or_text(value: Any) -> Any:
    """Return the JSON value that a text holds; anything else as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
