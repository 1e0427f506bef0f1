"""Embeddings over HTTP: `/embeddings`, as OpenAI and everyone after it serves it."""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Sequence
from functools import partial
from typing import Any

from row3.domain.requests import NoAnswer
from row3.providers.base import Endpoint
from row3.providers.faults import Exchange, Fault, read_body
from row3.providers.wire import Wire

AT_ONCE = 32
"""Texts of one request. OpenAI takes 2,048; the least that a server is known to take is 32."""


class OpenAIEmbedder(Wire):
    """An embedder at an OpenAI-compatible endpoint."""

    def __init__(self, endpoint: Endpoint, model: str, **wire: Any) -> None:
        """`wire` is what a `Wire` takes beside its endpoint."""
        super().__init__(endpoint, **wire)
        self._model = model

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """A vector for each text; raises and tries again as `Provider.ask` does."""
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), AT_ONCE):
            part = list(texts[start : start + AT_ONCE])
            body = {"model": self._model, "input": part, "encoding_format": "float"}
            vectors = await self.send("embeddings", partial(dict, body), partial(read_vectors, len(part)))
            if isinstance(vectors, NoAnswer):
                return vectors
            found += vectors
        return found


def read_vectors(wanted: int, raw: bytes, exchange: Exchange, latency_s: float) -> list[Sequence[float]] | Fault:
    """The vectors of an answer in the order of the texts; a `Fault` where they are not all there."""
    host = exchange.host
    body = read_body(raw, "embeddings", exchange)
    if isinstance(body, Fault):
        return body
    rows = body.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return Fault("give_up", f"{host} answered without embeddings", "check that the base_url serves embeddings")
    by_index = {row.get("index", at): _vector(row.get("embedding")) for at, row in enumerate(rows)}
    vectors = [by_index.get(at) for at in range(wanted)]
    if len(rows) != wanted or len(by_index) != wanted:
        return Fault("give_up", f"{host} answered {wanted} texts with {len(rows)} embeddings")
    good = [vector for vector in vectors if vector is not None]
    if len(good) != wanted or len({len(vector) for vector in good}) != 1:
        return Fault("give_up", f"{host} answered with an embedding that is no row of numbers")
    return good


def _vector(value: object) -> Sequence[float] | None:
    """The numbers, also in base64, which some servers send unasked; None for what is no vector."""
    if isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
            value = list(struct.unpack(f"<{len(raw) // 4}f", raw))
        except (binascii.Error, ValueError, struct.error):
            return None
    if not isinstance(value, list) or not value:
        return None
    numbers = [float(one) for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
    return numbers if len(numbers) == len(value) and all(map(math.isfinite, numbers)) and any(numbers) else None
