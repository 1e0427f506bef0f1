"""Scores outputs as a run does: without embeddings, or with toy ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from row3.domain.asks import Ask, Vector, Vectors, finish, no_vectors
from row3.domain.misfits import convert
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed
from row3.kinds.base import Kind, Rules
from row3.kinds.outputs import Output, fit

Model = TypeVar("Model", bound=BaseModel)
Answered = TypeVar("Answered", bound=Output)


def score_by(kind: Kind, case: Any, output: Any, rules: Rules, answer: Callable[[Ask], Any] = no_vectors) -> CaseScore:
    """Return the score of one output."""
    return finish(kind.score(case, output, rules), answer)


def toy_vectors(*groups: Sequence[str]) -> Callable[[Ask], Vectors]:
    """Embeddings with a cosine of 0.9 between the normalised texts of one group, and of 0 between all others."""
    places = {text: number for number, group in enumerate(groups) for text in group}
    seen: dict[str, int] = {}

    def vector(text: str) -> Vector:
        numbers = [0.0] * 200
        numbers[len(groups) + seen.setdefault(text, len(seen))] = math.sqrt(0.1)
        numbers[places.get(text, len(groups) + seen[text])] += math.sqrt(0.9)
        return tuple(numbers)

    return lambda ask: {text: vector(text) for text in ask.texts}


def toy_angles(degrees: Mapping[str, float]) -> Callable[[Ask], Vectors]:
    """Embeddings in a plane at these angles, by normalised text; the cosine of any other text with them is 0."""
    turned = {text: math.radians(angle) for text, angle in degrees.items()}
    return lambda ask: {
        text: (math.cos(turned[text]), math.sin(turned[text]), 0.0) if text in turned else (0.0, 0.0, 1.0)
        for text in ask.texts
    }


def case_of(model: type[Model], value: Any) -> Model:
    """Return a JSON value as a golden case, or a part of one; raises `MisfitsError` that names every wrong field."""
    return convert(value, model)


def output_of(model: type[Answered], value: Any) -> Answered:
    """Return a JSON value as an output, read leniently."""
    found = fit(model, value)
    assert isinstance(found, Parsed), found
    output: Answered = found.value
    return output
