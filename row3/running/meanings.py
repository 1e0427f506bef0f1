"""Find the vectors for matching by meaning: recorded ones, else from the embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from row3.domain.asks import EmbeddingRequest, Vector, Vectors, pack, unpack
from row3.domain.requests import NoAnswer
from row3.project.embeddings import EmbeddingIndex, merge
from row3.project.project import Project
from row3.project.suites import Suite
from row3.providers.base import Embedder
from row3.running.provider_access import open_embedder

if TYPE_CHECKING:
    import asyncio


def recorded(request: EmbeddingRequest, index: EmbeddingIndex) -> Vectors | NoAnswer:
    """Return the recorded vectors, or which one is missing; raises `InvalidFile` for a broken line."""
    found = index.get(request.texts)
    missing = [text for text in request.texts if text not in found]
    if not missing:
        return found
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    what = f"no embedding of `{missing[0]}`{more} by {request.model} is recorded"
    return NoAnswer(what, "Record it with --mode auto, which keeps all recorded answers")


def recorded_vectors(
    project: Project, suite: Suite, missing: dict[str, None] | None = None
) -> Callable[[EmbeddingRequest], Vectors]:
    """Return a function that looks up recorded vectors; it adds texts without one to `missing`."""
    indexes: dict[str, EmbeddingIndex] = {}

    def answer(ask: EmbeddingRequest) -> Vectors:
        index = indexes.setdefault(ask.model, EmbeddingIndex(project.tree, suite.name, ask.model))
        found = index.get(ask.texts)
        if missing is not None:
            missing.update((text, None) for text in ask.texts if text not in found)
        return found

    return answer


@dataclass(slots=True)
class Meanings:
    """Vectors of a run: recorded ones, else from the embedder, which gets each text once."""

    suite: Suite
    index: EmbeddingIndex
    embedder: Embedder
    vectors: dict[str, Vector] = field(default_factory=dict)
    fresh: dict[str, str] = field(default_factory=dict)
    """New vectors, packed, by text."""
    _turn: asyncio.Lock | None = None
    """Held while embedding, so that cases with the same texts share one request."""

    async def of(self, request: EmbeddingRequest) -> Vectors | NoAnswer:
        """Return the vectors of the texts. Raises what the embedder raises."""
        import asyncio

        if self._turn is None:
            self._turn = asyncio.Lock()
        async with self._turn:
            self.vectors |= self.index.get(text for text in request.texts if text not in self.vectors)
            missing = [text for text in request.texts if text not in self.vectors]
            if missing:
                made = await self.embedder.embed(missing)
                if isinstance(made, NoAnswer):
                    return made
                for text, vector in zip(missing, made, strict=True):
                    self.fresh[text] = pack(vector)
                    self.vectors[text] = unpack(self.fresh[text])
            return {text: self.vectors[text] for text in request.texts}

    async def close(self) -> None:
        """Close the embedder."""
        await self.embedder.close()

    def record(self, project: Project, say: Callable[[str], None] = lambda _: None) -> None:
        """Write new vectors to the suite's recordings."""
        from row3.project.transaction import writing  # imports asyncio, which a run without embeddings does not need

        rule = self.suite.rules.semantic
        if self.fresh and rule is not None:
            with writing(project.root, say=say):
                merge(project.root, self.suite.name, rule.model, self.fresh)


def open_meanings(project: Project, suite: Suite, *, recordings: bool) -> Meanings | None:
    """Return the source of vectors, with recorded ones if requested; None without matching by meaning."""
    rule = suite.rules.semantic
    if rule is None:
        return None
    index = EmbeddingIndex(project.tree if recordings else None, suite.name, rule.model)
    return Meanings(suite, index, open_embedder(project, suite, rule.model))


Source = Callable[[EmbeddingRequest], "Vectors | NoAnswer"]


@contextmanager
def vector_source(project: Project, suite: Suite, mode: str) -> Iterator[Source | None]:
    """Yield the source of vectors in a mode, None without matching by meaning; record new ones at the end."""
    rule = suite.rules.semantic
    meanings = None if mode == "replay" else open_meanings(project, suite, recordings=mode == "auto")
    if rule is None:
        yield None
    elif meanings is None:
        index = EmbeddingIndex(project.tree, suite.name, rule.model)
        yield lambda request: recorded(request, index)
    else:
        import asyncio

        with asyncio.Runner() as runner:
            try:
                yield lambda request: runner.run(meanings.of(request))
            finally:
                runner.run(meanings.close())
                if mode in ("auto", "record"):
                    meanings.record(project)
