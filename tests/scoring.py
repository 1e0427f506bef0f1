"""Scores outputs as a run does that has no embeddings."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from row3.domain.asks import finish, no_vectors
from row3.domain.misfits import convert
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from row3.kinds.outputs import Output, fit

Model = TypeVar("Model", bound=BaseModel)
Answered = TypeVar("Answered", bound=Output)


def score_by(kind: Kind, case: Any, output: Any, rules: Rules) -> CaseScore:
    """Return the score of one output."""
    return finish(kind.score(case, output, rules), no_vectors)


def case_of(model: type[Model], value: Any) -> Model:
    """Return a JSON value as a golden case, or a part of one; raises `MisfitsError` that names every wrong field."""
    return convert(value, model)


def output_of(model: type[Answered], value: Any) -> Answered:
    """Return a JSON value as an output, read leniently."""
    found = fit(model, value)
    assert isinstance(found, Parsed), found
    output: Answered = found.value
    return output
