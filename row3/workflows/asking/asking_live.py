"""Cases on their way through the pipeline at a provider: many at once, each request by request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.scores import CaseScore
from row3.store.cases import StoredCase
from row3.workflows.asking.budget import Budget
from row3.workflows.pipeline.evaluate import Asking, Given, Question, Steps, steps
from row3.workflows.pipeline.meanings import Meanings
from row3.workflows.pipeline.results import CaseResult, Packing, Spent, Transcript, spent_on

Cost = Callable[[str, int, int], float | None]
Item = TypeVar("Item")
Result = TypeVar("Result")


class Asks(Protocol):
    """What live mode needs of a provider."""

    async def ask(self, request: Request) -> Answer | NoAnswer: ...

    async def close(self) -> None: ...


class Observer(Protocol):
    """Told what happens in a live run, in its event loop; see `row3.cli.progress`."""

    def began(self, cases: int | None) -> None: ...

    def answered(self, spent: Spent, usd: float | None) -> None: ...

    def finished(self, result: CaseResult) -> None: ...


@dataclass(slots=True)
class Answers:
    """Where one side's answers come from: what is known already, else the provider; each kept the moment it arrives."""

    provider: Asks
    known: Callable[[Request], Answer | None]
    keep: Callable[[Request, Answer], None]
    observer: Observer
    cost: Cost
    budget: Budget | None = None
    meanings: Meanings | None = None
    """Of a suite that matches by meaning."""

    async def vectors(self, request: EmbeddingRequest) -> Vectors | NoAnswer:
        """What texts mean; it takes none of the budget. Raises what the embedder raises."""
        assert self.meanings is not None
        return await self.meanings.of(request)

    async def close(self) -> None:
        """Give back what provider and embedder hold."""
        await self.provider.close()
        if self.meanings is not None:
            await self.meanings.close()

    async def of(self, request: Request) -> Answer | NoAnswer:
        """The answer to a request. Raises what the provider raises."""
        answer: Answer | NoAnswer | None = self.known(request)
        if answer is None:
            answer = await self._asked(request)
            if isinstance(answer, Answer):
                self.keep(request, answer)
        if isinstance(answer, Answer):
            spent = spent_on(request, answer)
            self.observer.answered(spent, _usd(spent, self.cost))
        return answer

    async def _asked(self, request: Request) -> Answer | NoAnswer:
        if self.budget is None:
            return await self.provider.ask(request)
        aside = await self.budget.admit(request)
        if isinstance(aside, NoAnswer):
            return aside
        answer: Answer | NoAnswer | None = None
        try:
            answer = await self.provider.ask(request)
        finally:
            self.budget.settle(aside, request, answer)
        return answer


def _usd(spent: Spent, cost: Cost) -> float | None:
    if spent.replayed:
        return 0.0
    if spent.prompt_tokens is None or spent.completion_tokens is None:
        return None
    return cost(spent.model, spent.prompt_tokens, spent.completion_tokens)


class Walk:
    """One side of one case: asks one request a step, until it has a score."""

    def __init__(self, asked: Steps, answers: Answers, transcript: Transcript | None = None) -> None:
        self._steps, self._answers = asked, answers
        self.transcript = Transcript() if transcript is None else transcript
        """Continues what went before."""
        self._request: Question | None = None
        self.score: CaseScore | None = None
        self._advance(None)

    async def step(self) -> bool:
        """Ask the next request; False where none was left."""
        request = self._request
        if request is None:
            return False
        if isinstance(request, EmbeddingRequest):
            self._advance(await self._answers.vectors(request))
            return True
        answer = await self._answers.of(request)
        self.transcript.add(request, answer)
        self._advance(answer)
        return True

    def _advance(self, answer: Given | None) -> None:
        try:
            self._request = next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration as end:
            self._request, self.score = None, end.value


async def evaluate_live(
    cases: Iterable[StoredCase], asking: Asking, answers: Answers, *, jobs: int, pack: Packing, expected: int | None
) -> list[CaseResult]:
    """Evaluate every case with up to `jobs` requests at once, and close the provider.

    `expected` is how many cases there are, where that is known before they are read.
    A failed case never stops the others. Raises `ProviderStopped` where the provider refuses everything; what was
    answered by then has been kept.
    """

    async def one(stored: StoredCase) -> CaseResult:
        walk = Walk(steps(asking, stored), answers)
        while await walk.step():
            pass
        assert walk.score is not None
        result = pack(stored, walk.score, walk.transcript)
        answers.observer.finished(result)
        return result

    try:
        answers.observer.began(expected)
        return await many(cases, one, jobs=jobs)
    finally:
        await answers.close()


async def many(items: Iterable[Item], one: Callable[[Item], Awaitable[Result]], *, jobs: int) -> list[Result]:
    """Do something with every item, up to `jobs` at once, results in the order of the items.

    Items are taken as there is room for them. The first exception ends all of it and is raised.
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
