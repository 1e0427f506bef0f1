from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from row3.domain.asks import EmbeddingRequest, pack
from row3.domain.requests import NoAnswer
from row3.project.embeddings import EmbeddingIndex, merge
from row3.project.tree import WorkTree
from row3.running.meanings import Meanings, recorded

MODEL = "toy"


class Embedder:
    def __init__(self, fault: NoAnswer | None = None) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.fault = fault

    async def embed(self, texts: Sequence[str]) -> Any:
        self.asked.append(tuple(texts))
        await asyncio.sleep(0.01)
        return self.fault or [[float(len(text)), 1.0] for text in texts]

    async def close(self) -> None:
        pass


def meanings(folder: Path, embedder: Embedder) -> Meanings:
    return Meanings(None, EmbeddingIndex(WorkTree(folder), "bread", MODEL), embedder)  # type: ignore[arg-type]


def test_concurrent_cases_embed_each_text_once(tmp_path: Path) -> None:
    embedder = Embedder()
    source = meanings(tmp_path, embedder)

    async def go() -> list[Any]:
        wanted = [EmbeddingRequest(MODEL, texts) for texts in (("rye", "salt"), ("salt", "yeast"), ("rye",))]
        return await asyncio.gather(*(source.of(request) for request in wanted))

    first, second, third = asyncio.run(go())
    assert embedder.asked == [("rye", "salt"), ("yeast",)]
    assert (set(first), set(second), set(third)) == ({"rye", "salt"}, {"salt", "yeast"}, {"rye"})
    assert set(source.fresh) == {"rye", "salt", "yeast"}


def test_recorded_vectors_are_not_requested(tmp_path: Path) -> None:
    merge(tmp_path, "bread", MODEL, {"rye": pack([1.0, 0.0])})
    embedder = Embedder()
    source = meanings(tmp_path, embedder)
    asyncio.run(source.of(EmbeddingRequest(MODEL, ("rye", "salt"))))
    assert embedder.asked == [("salt",)]
    assert set(source.fresh) == {"salt"}


def test_a_failed_request_saves_no_vectors(tmp_path: Path) -> None:
    source = meanings(tmp_path, Embedder(NoAnswer("broken")))
    assert asyncio.run(source.of(EmbeddingRequest(MODEL, ("rye",)))) == NoAnswer("broken")
    assert source.fresh == source.vectors == {}


def test_a_miss_names_the_first_text_and_the_fix(tmp_path: Path) -> None:
    merge(tmp_path, "bread", MODEL, {"rye": pack([1.0, 0.0])})
    index = EmbeddingIndex(WorkTree(tmp_path), "bread", MODEL)
    assert set(recorded(EmbeddingRequest(MODEL, ("rye",)), index)) == {"rye"}  # type: ignore[arg-type]
    miss = recorded(EmbeddingRequest(MODEL, ("rye", "salt", "yeast")), index)
    assert isinstance(miss, NoAnswer)
    assert miss.error == "no embedding of `salt` and 1 more by toy is recorded"
    assert "--mode auto" in miss.fix
