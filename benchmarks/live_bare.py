"""The requests of `benchmarks/live.py` by the openai client alone: asked and counted, nothing else.

/path/to/python live_bare.py FOLDER URL AT_ONCE
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from openai import DEFAULT_CONNECTION_LIMITS, AsyncOpenAI, DefaultAsyncHttpxClient


def requests_of(folder: Path) -> list[list[dict[str, Any]]]:
    """Return the bodies that row3 sent, case by case, in the order in which they are asked."""
    bodies: list[list[dict[str, Any]]] = json.loads((folder / "requests.json").read_bytes())
    return bodies


def connect(url: str, at_once: int) -> AsyncOpenAI:
    """Return a client that keeps a connection for each concurrent request."""
    most = DEFAULT_CONNECTION_LIMITS.max_connections
    limits = type(DEFAULT_CONNECTION_LIMITS)(max_connections=most, max_keepalive_connections=at_once)
    return AsyncOpenAI(base_url=url, api_key="none", http_client=DefaultAsyncHttpxClient(limits=limits))


async def ask(client: AsyncOpenAI, body: dict[str, Any]) -> str:
    """Return the text of an answer."""
    answer = await client.chat.completions.create(**body)
    return answer.choices[0].message.content or ""


async def main(folder: Path, url: str, at_once: int) -> None:
    """Ask everything, `at_once` cases at a time, and print how many answers came."""
    waiting, count = iter(requests_of(folder)), 0
    async with connect(url, at_once) as client:

        async def worker() -> None:
            nonlocal count
            for bodies in waiting:
                for body in bodies:
                    count += bool(await ask(client, body))

        await asyncio.gather(*(worker() for _ in range(at_once)))
    print(count)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
