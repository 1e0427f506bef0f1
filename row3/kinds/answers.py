"""Reading a model's answer as JSON, with documented repairs and no guessing.

Tried in this order; the first reading that is JSON wins, and every repair is named in the result:

1. the answer as it stands;
2. without a reasoning block (`<think> … </think>`) in front;
3. the contents of a Markdown code fence;
4. from the first brace or bracket to its end, without the prose around it;
5. with trailing commas removed.

An answer that is cut off is not completed: what is missing was not said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from row3.kinds.base import Parsed, Unusable
from row3.kinds.broken_json import begins, why_broken
from row3.kinds.misfits import misfit

FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)(?:\r?\n)?[ \t]*```", re.DOTALL)
THINKING = re.compile(
    r"\A(?:(?:\s*<(?:think|thinking|reasoning)>.*?</(?:think|thinking|reasoning)>)+|"
    r"[^{\[]*?</(?:think|thinking|reasoning)>)",
    re.DOTALL,
)
TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
OPENING = re.compile(r'\{\s*"|\[\s*[\[{"]')
MAX_ANSWER = 4_000_000
"""Characters; beyond it an answer is not read (a model writes perhaps 500,000 at the most)."""


class _NotANumberError(ValueError):
    pass


def _refuse_constant(name: str) -> float:
    raise _NotANumberError(f"{name} is not a JSON number")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def over_length(text: str) -> Unusable | None:
    """The answer as one that is not read, where it is too long; None for any other."""
    if len(text) <= MAX_ANSWER:
        return None
    return Unusable(f"the answer has {len(text):,} characters, more than {MAX_ANSWER:,}")


def read_json(text: str) -> Parsed | Unusable:
    """The JSON value in a model's answer, or why there is none."""
    if not text.strip():
        return Unusable("the answer is empty")
    if too_long := over_length(text):
        return too_long
    problem = refused = ""
    for candidate, repairs in _candidates(text):
        try:
            value, end = DECODER.raw_decode(candidate)
        except _NotANumberError as error:
            refused = refused or str(error)
            continue
        except RecursionError:
            return Unusable("the answer is nested too deeply")
        except ValueError as error:
            problem = problem or why_broken(error, candidate)
            continue
        rest = candidate[end:].strip()
        if rest and "prose around the JSON removed" not in repairs:
            continue
        return Parsed(value, repairs)
    if refused:
        return Unusable(refused)
    return Unusable(f"the answer is not JSON: {problem or begins(text)}")


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
        # The first only: what begins inside a value that cannot be read is a fragment of it, not the answer.
        parts.append((plain[opening.start() :], (*done, "prose around the JSON removed")))
        yield parts[-1]
    for part, repairs in [(plain, done), *parts]:
        mended = TRAILING_COMMA.sub(lambda match: match[1] or "", part)
        if mended != part:
            yield mended, (*repairs, "trailing commas removed")


def as_model(model: type[BaseModel], value: dict[str, Any], repairs: tuple[str, ...]) -> Parsed | Unusable:
    """An answer's object as the model, or the first thing in it that does not fit."""
    try:
        return Parsed(model.model_validate(value), repairs)
    except ValidationError as error:
        return Unusable(misfit(value, error))
