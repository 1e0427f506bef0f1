"""Scorers of the project's own: `module:function`, given a case and an answer, returns a score and a reason."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from row3.domain.asks import FunctionRequest, FunctionScore
from row3.domain.requests import NoAnswer
from row3.domain.secrets import Guard

LIMIT_S = 10.0
"""How long a scorer may take for one answer."""


def call_scorer(root: Path, ask: FunctionRequest, guard: Guard) -> FunctionScore | NoAnswer:
    """Return what a scorer says: a number or `(number, reason)`; `NoAnswer` where it cannot be loaded, raises or hangs.

    It runs in a thread that does not keep the program alive, so one that never returns costs its limit and no more.
    The guard cleans what it says, as it cleans what a provider answers.
    """
    said = _called(root, ask)
    if isinstance(said, NoAnswer):
        return NoAnswer(guard.clean(said.error))
    return said._replace(reason=guard.clean(said.reason))


def _called(root: Path, ask: FunctionRequest) -> FunctionScore | NoAnswer:
    try:
        function = _loaded(str(root), ask.function)
    except Exception as error:
        return NoAnswer(f"`{ask.function}` cannot be loaded: {type(error).__name__}: {error}")
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(function(dict(ask.case), ask.answer))
        except BaseException as error:
            found.append(NoAnswer(f"`{ask.function}` raised {type(error).__name__}: {error}"))

    thread = threading.Thread(target=run, name="row3-scorer", daemon=True)
    with contextlib.redirect_stdout(sys.stderr):  # stdout is row3's result; a scorer that hangs would keep it
        thread.start()
        thread.join(LIMIT_S)
    if not found:
        return NoAnswer(f"`{ask.function}` gave no score within {LIMIT_S:g} s")
    value = found[0]
    if isinstance(value, NoAnswer):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return FunctionScore(value[0], str(value[1]))
    return FunctionScore(value)


@lru_cache(maxsize=64)
def _loaded(root: str, name: str) -> Callable[..., Any]:
    module, _, path = name.partition(":")
    if root not in sys.path:
        sys.path.insert(0, root)
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    if not callable(value):
        raise TypeError(f"{path} is not a function")
    function: Callable[..., Any] = value
    return function
