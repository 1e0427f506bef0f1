"""What the process of a project's scorers runs: it loads `module:function` and calls it."""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=64)
def loaded(root: str, name: str) -> Any:
    """Return what `module:name` of a project is. Raises whatever its module raises."""
    module, _, path = name.partition(":")
    if root not in sys.path:
        sys.path.insert(0, root)
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    return value


def answer(question: tuple[Any, ...]) -> dict[str, Any]:
    """Return the `score` and `reason` of `(root, function, case, answer)`; without case and answer it only loads.

    A `fault` says why there is no score.
    """
    root, name, *given = question
    failed = "cannot be loaded:"
    try:
        function = loaded(root, name)
        if not callable(function):
            raise TypeError(f"{name.partition(':')[2]} is not a function")
        if not given:
            return {}
        failed = "raised"
        value = function(*given)
        score, reason = value if isinstance(value, tuple | list) and len(value) == 2 else (value, "")
        if isinstance(score, int | float) and 0 <= score <= 1:
            return {"score": float(score), "reason": str(reason)}
        return {"fault": f"`{name}` returned {score!r:.40}, not a number in [0, 1]"}
    except BaseException as error:  # the user's code may raise anything
        return {"fault": f"`{name}` {failed} {type(error).__name__}: {error}"}
