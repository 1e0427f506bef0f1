"""Who makes the vectors of the semantic tier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from row3.domain.requests import NoAnswer
from row3.providers.base import Endpoint


class Embedder(Protocol):
    """Something that turns texts into vectors, within one event loop."""

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """A vector for each text, all of one length; raises and returns faults as `Provider.ask` does."""
        ...

    async def close(self) -> None:
        """Give back connections and memory. May be called twice."""
        ...


def make_embedder(endpoint: Endpoint | None, model: str, environ: Mapping[str, str]) -> Embedder:
    """The embedder of an endpoint, or the local model for None. Opens and loads nothing before the first text."""
    if endpoint is None:
        from row3.providers.minilm import LocalEmbedder

        return LocalEmbedder()
    from row3.providers.openai_embeddings import OpenAIEmbedder

    return OpenAIEmbedder(endpoint, model, environ=environ)
