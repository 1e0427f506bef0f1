"""What scoring needs asked. A kind is pure: it yields what it needs and is sent the answers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.scores import CaseScore

Ask = EmbeddingRequest
"""What a score may need. Its answer is `Vectors`; a text that is not among them is like no other."""
Scoring = Generator[Ask, Any, CaseScore]
"""The score of one output, in the making."""


Result = TypeVar("Result")


def finish(asking: Generator[Ask, Any, Result], answer: Callable[[Ask], Any]) -> Result:
    """Return what comes of it, with every ask answered; raises what answering raises."""
    try:
        ask = next(asking)
        while True:
            ask = asking.send(answer(ask))
    except StopIteration as done:
        result: Result = done.value
        return result


def no_vectors(ask: Ask) -> Vectors:
    """Answer that there are no embeddings: nothing is found by meaning."""
    return {}
