"""A Python function that answers: `module:function` of the project or of what is installed, sync or async."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import io
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.errors import ProviderStopped
from row3.providers.base import Access
from row3.providers.redaction import redact
from row3.providers.tool_calls import answered, asked


class Function:
    """Calls the function with the arguments by name; what it returns is the answer, a text or a JSON value."""

    def __init__(self, access: Access, *, root: Path) -> None:
        self._access, self._root = access, root
        self._function: Callable[..., Any] | None = None
        self._stdout: TextIO | None = None

    @property
    def name(self) -> str:
        """`module:function`."""
        return self._access.function

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request. Raises `ProviderStopped` where there is no such function."""
        function = self._loaded()
        question, began = asked(request), time.monotonic()
        limit = asyncio.timeout(self._access.timeout_s)
        try:
            async with limit:
                if inspect.iscoroutinefunction(function):
                    value = await function(**question.arguments)
                else:
                    value = await _in_thread(function, question.arguments)
                    if inspect.isawaitable(value):
                        value = await value
            text = value if isinstance(value, str) else canonical(value)
        except Exception as error:  # whatever the user's function raises is a case without an answer
            if isinstance(error, TimeoutError) and limit.expired():
                what = f"`{self.name}` gave no answer within {self._access.timeout_s:g} s"
                return NoAnswer(what, "Raise `timeout_s`, or see why it takes so long")
            return NoAnswer(f"`{self.name}` raised {type(error).__name__}: {redact(str(error)).rstrip('.')}")
        return answered(text, question.answer, f"`{self.name}`", time.monotonic() - began)

    async def close(self) -> None:
        """Give stdout back."""
        if self._stdout is not None:
            sys.stdout, self._stdout = self._stdout, None

    def _loaded(self) -> Callable[..., Any]:
        if self._function is None:
            module, _, path = self.name.partition(":")
            if str(self._root) not in sys.path:
                sys.path.insert(0, str(self._root))
            # stdout is row3's result; what a function prints goes where notes go.
            if self._stdout is None:
                self._stdout, sys.stdout = sys.stdout, sys.stderr if sys.stderr is not None else io.StringIO()
            try:
                value: Any = importlib.import_module(module)
                for part in path.split("."):
                    value = getattr(value, part)
            except Exception as error:  # importing runs the user's code, which may raise anything
                raise ProviderStopped(
                    f"`{self.name}` cannot be loaded: {type(error).__name__}: {redact(str(error))}",
                    fix="Correct `callable` in row3.toml; the project's folder is looked in first",
                ) from None
            if not callable(value):
                raise ProviderStopped(f"`{self.name}` is no function", fix="Correct `callable` in row3.toml")
            self._function = value
        return self._function


async def _in_thread(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The function's value, had in a thread of its own that does not hold up the end of the program.

    The event loop's own threads would: a call that never returns could not be given up.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def finish(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_exception(error) if error is not None else done.set_result(value)

    def run() -> None:
        value: Any = None
        error: Exception | None = None
        try:
            value = function(**arguments)
        except BaseException as raised:  # SystemExit and StopIteration mean something else to an event loop
            if isinstance(raised, Exception) and not isinstance(raised, StopIteration):
                error = raised
            else:
                error = RuntimeError(f"{type(raised).__name__}: {raised}")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(finish, value, error)

    threading.Thread(target=run, name="row3-function", daemon=True).start()
    return await done
