"""Requests that scoring makes: a generator yields one and is sent the answer, which keeps kinds pure.

Embedding vectors are stored at half precision, 2 bytes per number, which moves a cosine by less than 0.001. New
vectors are rounded before they are compared as well, so a replay scores exactly like the run that recorded it.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any, NamedTuple, TypeVar

from row3.domain.judges import JudgeRequest
from row3.domain.requests import NoAnswer, digest_text
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile

Similarity = Callable[[str, str], float]
"""Returns the similarity of two texts, in [0, 1]."""

SEMANTIC_VERSION = 1
"""Version of `row3.kinds.semantic`: raise it with every change that can move a match."""

LOCAL = "local"
"""The in-process model's name in `row3.toml`."""
LOCAL_MODEL = "local/all-minilm-l6-v2"
"""Its name in recordings and signatures, so that a different model behind `local` has a different name."""

THRESHOLD = 0.80
"""Default threshold, measured for the local model: `docs/matching.md`."""


@dataclass(frozen=True, slots=True)
class SemanticRule:
    """How a suite matches by meaning."""

    model: str
    """The embedding model, as recordings name it."""
    threshold: float = THRESHOLD
    """Smallest similarity, in (0, 1], at which two names may match."""

    def signature(self) -> str:
        """Return everything that can move a match, as one word."""
        return f"semantic/{SEMANTIC_VERSION}={'_'.join(self.model.replace(':', '_').split())}>={self.threshold:g}"


Vector = tuple[float, ...]
"""A vector of length about 1; rounding makes it inexact."""

MOST_NUMBERS = 65_536
"""Longest vector; models use 256 to 4,096 numbers."""


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """A request for one model's vectors of distinct texts."""

    model: str
    texts: tuple[str, ...]


Vectors = Mapping[str, Vector]
"""Vectors by text."""


def embedding_digest(model: str, text: str) -> str:
    """Return the key of a recorded vector, which covers everything that can change it."""
    return digest_text(json.dumps(["embedding", model, text]))


def pack(vector: Sequence[float]) -> str:
    """Return the vector, scaled to length 1, at half precision, little-endian, in base64. Raises `ValueError`."""
    length = math.sqrt(math.fsum(map(mul, vector, vector)))
    if not (0 < length < math.inf) or len(vector) > MOST_NUMBERS:
        raise ValueError("not a vector")
    return base64.b64encode(struct.pack(f"<{len(vector)}e", *(number / length for number in vector))).decode()


def unpack(text: str) -> Vector:
    """Return the vector that `pack` wrote. Raises `ValueError` for anything else."""
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("not base64") from None
    if len(raw) % 2 or not 0 < len(raw) <= 2 * MOST_NUMBERS:
        raise ValueError("not a sequence of 16-bit numbers")
    vector = struct.unpack(f"<{len(raw) // 2}e", raw)
    if not all(map(math.isfinite, vector)) or not any(vector):
        raise ValueError("not a vector")
    return vector


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors, clipped to [0, 1], identical on every machine.

    Raises `InvalidFile` if their lengths differ.
    """
    if len(one) != len(other):
        what = f"embeddings of {len(one)} and {len(other)} numbers are compared, so they come from two models"
        fix = "Delete the model's embeddings file and record it again"
        raise InvalidFile(what, where="recordings/", fix=fix)
    lengths = math.fsum(map(mul, one, one)) * math.fsum(map(mul, other, other))
    return min(1.0, max(0.0, math.fsum(map(mul, one, other)) / math.sqrt(lengths)))


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
