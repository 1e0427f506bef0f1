"""Ask about many cases at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from row3.running.evaluate import Asking, ask_pipeline, one_repeat

if TYPE_CHECKING:
    from row3.project.cases import StoredCase
    from row3.running.answering import LiveAnswerer

Item = TypeVar("Item")
Result = TypeVar("Result")


async def many(items: Iterable[Item], one: Callable[[Item], Awaitable[Result]], *, jobs: int) -> list[Result]:
    """Call `one` for every item, up to `jobs` at once; return the results in the order of the items.

    It reads items only as workers are free. The first exception cancels the rest and is raised.
    """
    import asyncio

    source = enumerate(items)
    results: dict[int, Result] = {}

    async def worker() -> None:
        for place, item in source:
            results[place] = await one(item)

    workers = [asyncio.create_task(worker()) for _ in range(jobs)]
    try:
        await asyncio.gather(*workers)
    except BaseException:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    return [results[place] for place in sorted(results)]


@asynccontextmanager
async def asked_ahead(asking: Iterable[Coroutine[None, None, None]]) -> AsyncIterator[None]:
    """Run these inside the block, all at once. Their exceptions are those of the answers that the block waits for."""
    import asyncio

    tasks = [asyncio.create_task(each) for each in asking]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def ask_ahead(asking: Asking, stored: StoredCase, repeat: int, answerer: LiveAnswerer) -> None:
    """Ask one repeat of a case, up to its grades; the answers wait for the case's turn."""
    judged = asking.suite.kind.judgeable.asks(stored.case, asking.suite.rules)
    steps: Any = one_repeat(asking, stored, repeat) if judged else ask_pipeline(asking, stored, repeat)
    with suppress(StopIteration):
        question = next(steps)
        while True:
            question = steps.send(await answerer.ahead(question))
