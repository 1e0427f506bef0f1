"""Requests that scoring makes: a generator yields one and is sent the answer, which keeps kinds pure."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple, TypeVar

from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.judges import JudgeRequest
from row3.domain.requests import NoAnswer
from row3.domain.scores import CaseScore


class FunctionRequest(NamedTuple):
    """A request to the project's own scorer, answered by a `FunctionScore`."""

    function: str
    """`module:function`"""
    case: Mapping[str, Any]
    answer: Any


class FunctionScore(NamedTuple):
    """The result of a project's own scorer."""

    score: Any
    """Should be in [0, 1]."""
    reason: str = ""


class UsageRequest(NamedTuple):
    """A request for an answer's cost and time, answered by a `Spending`."""


class Spending(NamedTuple):
    """An answer's cost and time; None if unknown."""

    cost_usd: float | None
    latency_s: float | None


Ask = EmbeddingRequest | JudgeRequest | FunctionRequest | UsageRequest
"""Answered by `Vectors`, an `Answer`, a `FunctionScore` or a `Spending` respectively, or by a `NoAnswer`."""
Scoring = Generator[Ask, Any, CaseScore]
"""A generator that scores one output."""
Result = TypeVar("Result")
Question = TypeVar("Question")


def finish(asking: Generator[Question, Any, Result], answer: Callable[[Question], Any]) -> Result:
    """Return the generator's result after answering all its requests; raises what answering raises."""
    try:
        ask = next(asking)
        while True:
            ask = asking.send(answer(ask))
    except StopIteration as done:
        result: Result = done.value
        return result


def no_vectors(ask: Ask) -> Vectors | NoAnswer:
    """Answer a request without any service: no embeddings, and `NoAnswer` for the rest."""
    return {} if isinstance(ask, EmbeddingRequest) else NoAnswer("nothing can be asked here")
