"""Methods that read once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Given = ParamSpec("Given")
Result = TypeVar("Result")


def once(read: Callable[Concatenate[Owner, Given], Result]) -> Callable[Concatenate[Owner, Given], Result]:
    """Make a method keep its result for each set of positional arguments, as long as its object lives."""

    @wraps(read)
    def kept(self: Owner, /, *args: Given.args, **no: Given.kwargs) -> Result:
        known: dict[Any, Result] = vars(self).setdefault(f"_{read.__name__}", {})
        if args not in known:
            known[args] = read(self, *args, **no)
        return known[args]

    return kept
