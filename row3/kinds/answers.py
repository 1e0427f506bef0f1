"""Reading a model's answer as JSON, with documented repairs and no guessing.

Tried in this order; the first attempt that gives JSON wins, and the result names every repair:

1. the answer as it is;
2. without a reasoning block (`<think> … </think>`) in front;
3. the contents of a Markdown code fence;
4. the text from the first brace or bracket to its counterpart, without the prose around it;
5. with trailing commas removed.

A truncated answer is not repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)(?:\r?\n)?[ \t]*```", re.DOTALL)
THINKING = re.compile(
    r"\A(?:(?:\s*<(?:think|thinking|reasoning)>.*?</(?:think|thinking|reasoning)>)+|"
    r"[^{\[]*?</(?:think|thinking|reasoning)>)",
    re.DOTALL,
)
TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
OPENING = re.compile(r'\{\s*"|\[\s*[\[{"]')
MAX_ANSWER = 4_000_000
"""Maximum characters of an answer (a model writes perhaps 500,000)."""
PROSE = "prose around the JSON removed"
SHOWN = 40
"""Characters of an answer quoted in a message."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A readable answer, and the repairs it took."""

    value: Any
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unusable:
    """An unreadable answer: a bad answer, which scores 0."""

    reason: str


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def over_length(text: str) -> Unusable | None:
    """Return `Unusable` for an answer that is too long, else None."""
    if len(text) <= MAX_ANSWER:
        return None
    return Unusable(f"the answer has {len(text):,} characters, more than {MAX_ANSWER:,}")


def read_json(text: str) -> Parsed | Unusable:
    """Return the JSON value in a model's answer, or why there is none."""
    if not text.strip():
        return Unusable("the answer is empty")
    if too_long := over_length(text):
        return too_long
    problem = ""
    for candidate, repairs in _candidates(text):
        try:
            value, end = DECODER.raw_decode(candidate)
        except RecursionError:
            return Unusable("the answer is nested too deeply")
        except ValueError as error:
            problem = problem or _why_broken(error, candidate)
        else:
            if not candidate[end:].strip() or PROSE in repairs:
                return Parsed(value, repairs)
    line = " ".join(text[: 10 * SHOWN].split())
    begins = f"it begins “{line[:SHOWN].rstrip()}{'…' if len(line) > SHOWN else ''}”"
    return Unusable(f"the answer is not JSON: {problem or begins}")


def _candidates(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    bare = text.lstrip("\ufeff").strip()
    yield bare, ()
    plain = THINKING.sub("", bare).strip()
    done: tuple[str, ...] = ("reasoning block removed",) if plain != bare else ()
    if done:
        yield plain, done
    parts = [(match[1].strip(), (*done, "code fence removed")) for match in FENCE.finditer(plain)]
    yield from parts
    if (opening := OPENING.search(plain)) is not None:
        # Only the first: a value inside a broken one is a fragment, not the answer.
        parts.append((plain[opening.start() :], (*done, PROSE)))
        yield parts[-1]
    for part, repairs in [(plain, done), *parts]:
        repaired = TRAILING_COMMA.sub(lambda match: match[1] or "", part)
        if repaired != part:
            yield repaired, (*repairs, "trailing commas removed")


def _why_broken(error: ValueError, text: str) -> str:
    """Return what is wrong with JSON, and after which words; empty if the text does not begin like JSON."""
    if not isinstance(error, json.JSONDecodeError):
        return why_no_json(error)
    if not text.startswith(("{", "[")):
        return ""
    ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
    read = text.rstrip() if ends else text[: error.pos]
    line = " ".join(read[-10 * SHOWN :].split())
    after = f"after “{'…' if len(line) > SHOWN else ''}{line[-SHOWN:].lstrip()}”"
    return f"it breaks off {after}" if ends else f"{error.msg.removesuffix(' at')} {after}"


def why_no_json(error: Exception) -> str:
    """Return a decoder's message, without Python's advice about very long numbers."""
    return "a number has too many digits" if "integer string conversion" in str(error) else str(error)
