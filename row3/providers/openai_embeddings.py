"""Embeddings over HTTP: `/embeddings`, as OpenAI and everyone after it serves it."""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from row3.domain.requests import NoAnswer
from row3.providers.base import Endpoint
from row3.providers.faults import Exchange, Fault, looks_like_html, status_fault
from row3.providers.wire import Wire

if TYPE_CHECKING:
    from openai import AsyncOpenAI

AT_ONCE = 32
"""Texts of one request. OpenAI takes 2,048; the least that a server is known to take is 32."""
_ADDRESS_FIX = "check the base_url (most end in /v1), and that it serves embeddings"


class OpenAIEmbedder:
    """An embedder at an OpenAI-compatible endpoint; `more` is handed to its `Wire`, for tests."""

    def __init__(self, endpoint: Endpoint, model: str, *, environ: Mapping[str, str], **more: Any) -> None:
        self._model = model
        self._wire = Wire(endpoint, environ=environ, **more)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """A vector for each text; raises and tries again as `Provider.ask` does."""
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), AT_ONCE):
            part = list(texts[start : start + AT_ONCE])

            def call(client: AsyncOpenAI, part: list[str] = part) -> Awaitable[Any]:
                # Without a format the SDK would ask for base64, which not every server knows.
                return client.embeddings.with_raw_response.create(
                    model=self._model, input=part, encoding_format="float"
                )

            vectors = await self._wire.send(call, partial(read_vectors, len(part)))
            if isinstance(vectors, NoAnswer):
                return vectors
            found += vectors
        return found

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()


def read_vectors(wanted: int, raw: bytes, exchange: Exchange, latency_s: float) -> list[Sequence[float]] | Fault:
    """The vectors of an answer in the order of the texts; a `Fault` where they are not all there."""
    host = exchange.host
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        html = looks_like_html(raw[:1000].decode("utf-8", "replace"))
        what = "a web page (HTML)" if html else "something that is not JSON" if raw.strip() else "an empty body"
        return Fault("give_up", f"{host} answered with {what} in place of embeddings", _ADDRESS_FIX)
    if isinstance(body, dict) and body.get("error"):
        code = body["error"].get("code") if isinstance(body["error"], dict) else None
        status = code if isinstance(code, int) and 400 <= code <= 599 else 500
        return status_fault(status, raw.decode("utf-8", "replace"), exchange)
    rows = body.get("data") if isinstance(body, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return Fault("give_up", f"{host} answered without embeddings", _ADDRESS_FIX)
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
