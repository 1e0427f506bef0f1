"""What stands between a run and whoever answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.secrets import HIDDEN, Guard
from row3.errors import ProviderStopped, Row3Error, UsageError
from row3.providers.guarded import GuardedEmbedder, GuardedProvider

KEY = "correct-horse-battery"
GUARD = Guard({"THE_KEY": KEY})


class Said:
    """Answers with what it is given, or raises it."""

    name = f"server of {KEY}"

    def __init__(self, said: Answer | NoAnswer | Row3Error) -> None:
        self.said, self.asked = said, 0

    async def ask(self, request: Request) -> Answer | NoAnswer:
        self.asked += 1
        if isinstance(self.said, Row3Error):
            raise self.said
        return self.said

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        self.asked += 1
        return [[1.0] for _ in texts]

    async def close(self) -> None:
        self.asked = -1


def test_every_text_of_an_answer_is_cleaned(make_request: Any) -> None:
    said = Said(Answer(f"a {KEY}", f"stop{KEY}", f"model {KEY}", 3, 4, 0.5))
    provider = GuardedProvider(said, GUARD)
    assert asyncio.run(provider.ask(make_request())) == Answer(
        f"a {HIDDEN}", f"stop{HIDDEN}", f"model {HIDDEN}", 3, 4, 0.5
    )
    assert provider.name == f"server of {HIDDEN}"
    said.said = NoAnswer(f"failed with {KEY}", f"Take {KEY} away")
    assert asyncio.run(provider.ask(make_request())) == NoAnswer(f"failed with {HIDDEN}", f"Take {HIDDEN} away")
    said.said = ProviderStopped(f"no {KEY}", fix=f"Do {KEY}")
    with pytest.raises(ProviderStopped) as caught:
        asyncio.run(provider.ask(make_request()))
    assert str(caught.value) == f"no {HIDDEN}. Do {HIDDEN}."
    asyncio.run(provider.close())
    assert said.asked == -1


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"user": f"What is {KEY}?"}, "prompt decompose-concepts-v1.0"),
        ({"system": f"You know {KEY}."}, "prompt decompose-concepts-v1.0"),
        ({"model": KEY}, "prompt decompose-concepts-v1.0"),
        ({"schema": {"enum": [KEY]}}, "prompt decompose-concepts-v1.0"),
        ({"user": f"What is {KEY}?", "variables": {"question": KEY}}, "case `geo-01`"),
    ],
)
def test_a_request_with_a_key_is_refused(make_request: Any, changed: dict[str, Any], where: str) -> None:
    said = Said(Answer("fine"))
    with pytest.raises(
        UsageError, match=f"^{where}: the request contains the value of THE_KEY, so it is not sent"
    ) as got:
        asyncio.run(GuardedProvider(said, GUARD).ask(make_request(**changed)))
    assert KEY not in str(got.value)
    assert said.asked == 0


def test_a_text_with_a_key_is_not_embedded() -> None:
    said = Said(Answer(""))
    embedder = GuardedEmbedder(said, GUARD, lambda guard: "golden/bread/rye.gold.json")
    with pytest.raises(UsageError, match=r"^golden/bread/rye.gold.json: a text to embed contains the value of THE_KEY"):
        asyncio.run(embedder.embed(["rye", f"salt {KEY}"]))
    assert said.asked == 0
    assert asyncio.run(embedder.embed(["rye", "salt"])) == [[1.0], [1.0]]
