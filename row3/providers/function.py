"""Python functions as providers: `module:function` of the project or an installed package, sync or async."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import io
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, TextIO

from row3.domain.requests import canonical
from row3.errors import ProviderStopped
from row3.providers.redaction import redact
from row3.providers.system import Question, RefusedError, SlowError, System


class Function(System):
    """Calls the function with keyword arguments; it returns the answer, a text or a JSON value."""

    _function: Callable[..., Any] | None = None
    _stdout: TextIO | None = None

    @property
    def name(self) -> str:
        """`module:function`."""
        return self.access.function

    async def call(self, question: Question) -> str:
        """Return the function's result."""
        function = self._function
        assert function is not None
        limit = asyncio.timeout(self.access.timeout_s)
        try:
            async with limit:
                if inspect.iscoroutinefunction(function):
                    value = await function(**question.arguments)
                else:
                    value = await _in_thread(function, question.arguments)
                    if inspect.isawaitable(value):
                        value = await value
            return value if isinstance(value, str) else canonical(value)
        except (Exception, SystemExit) as error:  # the user's function may raise anything
            if isinstance(error, TimeoutError) and limit.expired():
                raise SlowError(f"`{self.name}` gave no answer within {self.access.timeout_s:g} s") from None
            detail = f"{type(error).__name__}: {redact(str(error), self.guard).rstrip('.')}"
            raise RefusedError(f"`{self.name}` raised {detail}") from None

    async def close(self) -> None:
        """Restore stdout."""
        if self._stdout is not None:
            sys.stdout, self._stdout = self._stdout, None

    async def prepare(self) -> None:
        """Load the function. Raises `ProviderStopped` if that fails."""
        if self._function is not None:
            return
        module, _, path = self.name.partition(":")
        if str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        # stdout carries row3's result, so the function's output goes to stderr. Of two functions, the first redirects.
        if self._stdout is None and sys.stdout is not sys.stderr:
            self._stdout, sys.stdout = sys.stdout, sys.stderr if sys.stderr is not None else io.StringIO()
        try:
            value: Any = importlib.import_module(module)
            for part in path.split("."):
                value = getattr(value, part)
        except (Exception, SystemExit) as error:  # importing runs the user's code, which may raise anything
            raise ProviderStopped(
                f"cannot load `{self.name}`: {type(error).__name__}: {redact(str(error), self.guard)}",
                fix="Correct `callable` in row3.toml; row3 looks in the project's folder first",
            ) from None
        if not callable(value):
            raise ProviderStopped(f"`{self.name}` is not a function", fix="Correct `callable` in row3.toml")
        self._function = value


async def _in_thread(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Return the function's value from a daemon thread, which cannot delay exit as the event loop's threads would."""
    done: Future[Any] = Future()

    def run() -> None:
        with contextlib.suppress(InvalidStateError):  # timed out; nobody waits any more
            try:
                done.set_result(function(**arguments))
            except BaseException as error:  # an event loop treats SystemExit and StopIteration specially
                ordinary = isinstance(error, Exception) and not isinstance(error, StopIteration)
                done.set_exception(error if ordinary else RuntimeError(f"{type(error).__name__}: {error}"))

    threading.Thread(target=run, name="row3-function", daemon=True).start()
    return await asyncio.wrap_future(done)
