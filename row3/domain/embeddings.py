"""Texts as vectors: requests, storage and comparison.

Vectors are kept at half precision, 2 bytes a number: a cosine moves by less than 0.001. Every vector that is compared
went through that, even one just made, so a replay scores exactly as the run that recorded it.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from row3.domain.requests import digest_text

Similarity = Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[float]]]
"""Of every text of the first to every text of the second, in [0, 1]."""

SEMANTIC_VERSION = 1
"""Of `row3.kinds.extraction.semantic`: raise it with every change that can move a match."""

LOCAL = "local"
"""What `row3.toml` calls the model in this process."""
LOCAL_MODEL = "local/all-minilm-l6-v2"
"""What recordings and signature call it, so that another one behind the same word is another."""

THRESHOLD = 0.80
"""Default. Measured for the local model: `docs/matching.md`."""


@dataclass(frozen=True, slots=True)
class SemanticRule:
    """How a suite matches by meaning."""

    model: str
    """Whose embeddings, as recordings name it."""
    threshold: float = THRESHOLD
    """Similarity in (0, 1] from which two names may be one."""

    def signature(self) -> str:
        """All that can move a match, as one word."""
        return f"semantic/{SEMANTIC_VERSION}={'_'.join(self.model.replace(':', '_').split())}>={self.threshold:g}"


Vector = tuple[float, ...]
"""Length is only about 1, because of rounding."""

MOST_NUMBERS = 65_536
"""Of a vector; models have 256 to 4,096."""


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """A request for one model's vectors of some texts."""

    model: str
    """As recordings name it."""
    texts: tuple[str, ...]
    """Each once."""


Vectors = Mapping[str, Vector]
"""By text."""


def embedding_digest(model: str, text: str) -> str:
    """Return the key of a recorded vector: all that can change it."""
    return digest_text(json.dumps(["embedding", model, text]))


def pack(vector: Sequence[float]) -> str:
    """Return the vector at length 1 and half precision, little-endian, in base64. Raises `ValueError`."""
    length = math.sqrt(math.fsum(map(mul, vector, vector)))
    if not (0 < length < math.inf) or len(vector) > MOST_NUMBERS:
        raise ValueError("no vector")
    return base64.b64encode(struct.pack(f"<{len(vector)}e", *(number / length for number in vector))).decode()


def unpack(text: str) -> Vector:
    """Return the vector that `pack` wrote. Raises `ValueError` for anything else."""
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("not base64") from None
    if len(raw) % 2 or not 0 < len(raw) <= 2 * MOST_NUMBERS:
        raise ValueError("not a row of 16-bit numbers")
    vector = struct.unpack(f"<{len(raw) // 2}e", raw)
    if not all(map(math.isfinite, vector)) or not any(vector):
        raise ValueError("no vector")
    return vector


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors, in [0, 1], alike on every machine. Raises `ValueError` for unequal lengths."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} and {len(other)} numbers")
    lengths = math.fsum(map(mul, one, one)) * math.fsum(map(mul, other, other))
    return min(1.0, max(0.0, math.fsum(map(mul, one, other)) / math.sqrt(lengths)))
