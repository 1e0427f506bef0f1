"""An answer as checks see it: its text, its JSON value, the part at a path, the numbers in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from row3.kinds.answers import Parsed, read_json
from row3.kinds.checks.compiled import path_of
from row3.matching.value.values import value_of

SHOWN = 60
"""Maximum characters of an answer quoted in a reason."""
LONGEST = 4
"""Maximum words of a number with its unit: `2.1 million US dollars`."""


class Nothing:
    """Stands for a missing part of an answer, since None is a JSON value."""


class Anywhere(str):
    """An answer with this text at any path."""

    __slots__ = ()


class Reading:
    """An answer, or its part at a path, as text and as a JSON value, each computed on first use."""

    def __init__(self, answer: Any, path: str | None = None) -> None:
        self.answer, self._path = answer, path
        if path is None and isinstance(answer, str):
            self.text = answer

    def at(self, path: str | None) -> Reading:
        """Return the part of the answer at a path; the whole answer without a path."""
        if path is None or isinstance(self.answer, Anywhere):
            return self
        part = Reading(self.answer, path)
        part.whole = self.whole
        return part

    @cached_property
    def whole(self) -> Any:
        """The answer as a JSON value; `Nothing` if it is not JSON."""
        if not isinstance(self.answer, str):
            return self.answer
        read = read_json(self.answer, repair=False)
        return read.value if isinstance(read, Parsed) else Nothing

    @cached_property
    def value(self) -> Any:
        """The value at the path, a list of several values, or the whole answer; `Nothing` for no value."""
        if self._path is None:
            return self.whole
        if self.whole is Nothing:
            return Nothing
        found = path_of(self._path).findall(self.whole)
        return Nothing if not found else found[0] if len(found) == 1 else found

    @cached_property
    def folded(self) -> str:
        """The text, case-folded."""
        return self.text.casefold()

    @cached_property
    def text(self) -> str:
        """The part as text: a string as it is, anything else as JSON."""
        part = self.answer if self._path is None else self.value
        return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)

    @property
    def missing(self) -> str:
        """Why the path selects nothing; empty if it selects something."""
        if self._path is None or self.value is not Nothing:
            return ""
        return "is not JSON" if self.whole is Nothing else f"has nothing at {self._path}"


def short(text: str) -> str:
    """Return a text as one line of at most `SHOWN` characters."""
    line = " ".join(text[: 4 * SHOWN].split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(part, other[key]) for key, part in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


_DIGITS = re.compile(r"\d[\d,  ]*(?:\.\d+)?")

_BARE = re.compile(r"(?<![\w.,/-])-?\d[\d,]*(?:\.\d+)?(?![\w/-]|[.,]\d)")
"""A number next to symbols: in `$42.00`, `x=5` and `5%`, not in `COVID-19`, `1.2.3` or `2012-05-03`."""


class Quantity(NamedTuple):
    """A number with its unit, in base units."""

    amount: float
    unit: str
    """Kind of value and base unit; empty for a bare number."""


def quantity(text: str | float) -> Quantity | None:
    """Return a number or a text such as `5 km` as a quantity; None if the text is not a number."""
    if not isinstance(text, str):
        return Quantity(float(text), "")
    value = value_of(text)
    if value is None or isinstance(value.amount, str | tuple):
        return None
    unit = "" if value.kind in ("number", "ordinal") else f"{value.kind} {value.unit}".strip()
    return Quantity(float(value.amount), unit)


def in_unit_of(text: str | float, number: float) -> Quantity:
    """Return a bare number in the unit of a quantity: with `6 km`, 5 is 5 km."""
    if not isinstance(text, str) or (found := _DIGITS.search(text)) is None:
        return Quantity(number, "")
    read = quantity(f"{text[: found.start()]}{number:f}{text[found.end() :]}")
    return Quantity(number, "") if read is None else read


def numbers_in(text: str, unit: str = "") -> Iterator[Quantity]:
    """Yield the numbers in a text that have the given unit, in order; without one, all bare numbers too."""
    words = [word.strip("()[]\"'“”*_`,;:!?") for word in text.split()]
    words = [word[:-1] if word.endswith(".") else word for word in words]
    for at, word in enumerate(words):
        if any(mark.isdigit() for mark in word):
            windows = (" ".join(words[at : at + size]) for size in range(min(LONGEST, len(words) - at), 0, -1))
            found = next((each for window in windows if (each := quantity(window)) and each.unit == unit), None)
            if found is not None:
                yield found
            elif not unit and (bare := _BARE.search(word)):
                yield Quantity(float(bare[0].replace(",", "")), "")
