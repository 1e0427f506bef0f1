"""Answer requests from saved answers, else from a provider, saving each answer as it arrives."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from row3.domain.asks import EmbeddingRequest
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request, digest_text
from row3.domain.scores import Observer
from row3.project.files import disk_faults, write_atomic
from row3.project.project import Project
from row3.project.recording_lines import from_line, merge
from row3.project.recordings import RecordingIndex, open_index
from row3.project.transaction import writing
from row3.providers.base import Provider
from row3.running.asks import Given, Question
from row3.running.batch_state import KEPT_S, BatchState, batch_path
from row3.running.budget import Budget, Prices
from row3.running.case_results import spent_on
from row3.running.collect import new_run_id, now, run_id_at
from row3.running.journal import ENDED, Journal, abandoned, discard, lines_of
from row3.running.meanings import Meanings
from row3.running.replay import refuse_replacing
from row3.running.session import Session

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor

RESUMABLE_H = 24
"""Hours for which a run can continue; later, its answers say nothing of the model now."""


@dataclass(slots=True)
class SavedAnswers:
    """The answers of one side of a run: recorded ones, those of runs that it continues, and new ones."""

    project: Project
    suite: str
    kind: str
    own: Journal
    index: RecordingIndex
    """Recordings, if they answer too; behind them `left`."""
    left: RecordingIndex
    """Answers of the runs that this one continues or waited for, the latest first."""
    batches: BatchState
    replaced: RecordingIndex | None = None
    """The suite's recordings, if new answers replace them."""
    complete: bool = False
    """Whether the run has all its answers."""
    reused: int = 0
    """Number of answers taken from other runs."""
    _asked: set[str] = field(default_factory=set)

    @classmethod
    def open(
        cls,
        session: Session,
        kind: str,
        *,
        recordings: bool = False,
        replaces: bool = False,
        models: Iterable[str] = (),
    ) -> SavedAnswers:
        """Begin a journal once no other run of this kind asks the models about the suite.

        It continues runs of the same command only: interrupted ones, and with `--continue` those that ended.

        Args:
            kind: separates journals to be recorded, those that are not, and the two sides of a comparison.
            recordings: the suite's recordings answer too.
            replaces: new answers replace the suite's recordings.
            models: the models to ask.
        """
        project, suite, command = session.project, session.suite.name, digest_text(session.command.typed)[:16]
        own = Journal(project.root, suite, kind, f"{command}--{new_run_id()}")
        others = own.take_turn(models, session.say)
        earlier = abandoned(project.root, suite, kind, also_ended=True)
        discard([path for path in earlier if _is_stale(project.root, suite, path)])
        batches = BatchState(batch_path(project.root, suite, command))
        kind = f"{kind}--{command}"
        earlier = abandoned(project.root, suite, kind, also_ended=session.options.resume)
        left = open_index(None, suite, [*others, *reversed(earlier)])
        index = open_index(project.tree if recordings else None, suite)
        index.fallback = left
        replaced = open_index(project.tree, suite) if replaces else None
        return cls(project, suite, kind, own, index, left, batches, replaced)

    def known(self, request: Request) -> Answer | None:
        """Return the saved or recorded answer, if any.

        Raises `UsageError` if there is none and a new one would replace another prompt version's.
        """
        answer = self.index.answer(request)
        if answer is None and self.replaced is not None:
            refuse_replacing(self.project, self.replaced, request)
        return answer

    async def take(self, request: Request) -> Answer | None:
        """Return the `known` answer; another run's becomes this run's own."""
        self._asked.add(request.digest)
        answer = self.known(request)
        if answer is not None and request.digest not in self.index:
            self.reused += 1
            first = self.left.first(request.digest)
            await self.own.keep(request, answer, recorded_at="" if first is None else first.recorded_at)
        return answer

    def record(self, say: Callable[[str], None]) -> None:
        """Write the run's answers to the suite's recordings."""
        if lines := lines_of(self.own.path):
            with writing(self.project.root, say=say):
                merge(self.project.root, self.suite, lines)

    def finish(self) -> None:
        """End the run. If it lacks answers, `--continue` finds those it has; earlier ones to its requests are gone."""
        over = self._asked.union(self.index.digests())
        for path in abandoned(self.project.root, self.suite, self.kind, also_ended=True):
            lines = lines_of(path)
            kept = [line for line in lines if from_line(line, where=f"journal {path.name}").digest not in over]
            if not kept:
                discard([path])
            elif len(kept) < len(lines):
                write_atomic(path, "".join(f"{line}\n" for line in kept), where=str(path))
        self.own.close()
        if not self.complete and self.own.path.exists():
            # Its answers are as old as the run's end: a batch may have taken a day.
            ended = f"{self.own.path.stem.rpartition('--')[0]}--{new_run_id()}{ENDED}"
            with disk_faults(str(self.own.path)):
                self.own.path.replace(self.own.path.with_name(ended))
        discard([self.own.path])
        self.batches.finish(complete=self.complete)


def _is_stale(root: Path, suite: str, journal: Path) -> bool:
    """Return whether a journal is too old to continue; one whose run waits for batches is kept for longer."""
    _, command, run_id = journal.stem.rsplit("--", 2)
    hours = KEPT_S / 3600 if batch_path(root, suite, command).exists() else RESUMABLE_H
    return run_id < run_id_at(datetime.now(UTC) - timedelta(hours=hours))


class Turns:
    """Lets so many requests be sent at once; of those that wait, first others of the prompt that is being sent.

    Engines and services compute the beginning of a prompt once and keep it for the next requests.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: dict[tuple[str, str], deque[asyncio.Future[None]]] = {}
        """By model and prompt, the one that waited first at the front."""

    @asynccontextmanager
    async def of(self, request: Request) -> AsyncIterator[None]:
        """Wait for the request's turn, which is the block."""
        from asyncio import CancelledError, get_running_loop

        key = request.model, request.prompt
        if self._free:
            self._free -= 1
        else:
            turn = get_running_loop().create_future()
            self._waiting.setdefault(key, deque()).append(turn)
            try:
                await turn
            except CancelledError:
                if not turn.cancelled():  # the turn came just before the run was ended
                    self._pass_on(key)
                raise
        try:
            yield
        finally:
            self._pass_on(key)

    def _pass_on(self, key: tuple[str, str]) -> None:
        for each in (key, *self._waiting):
            queue = self._waiting.pop(each, deque())
            while queue:
                if not (turn := queue.popleft()).done():  # else its run was ended
                    turn.set_result(None)
                    self._waiting = {each: queue, **self._waiting} if queue else self._waiting
                    return
        self._free += 1


@dataclass(slots=True)
class LiveAnswerer:
    """Answers requests from journals or recordings, else from the provider."""

    provider: Provider
    saved: SavedAnswers
    observer: Observer
    prices: Prices
    grades: dict[str, asyncio.Future[Answer | NoAnswer]]
    """Requests to judges, by digest; shared by both sides of a comparison."""
    budget: Budget | None = None
    meanings: Meanings | None = None
    """Source of vectors for matching by meaning; the budget does not cover them."""
    scorer: Executor | None = None
    """Its thread reads and scores answers beside the event loop."""
    batched: bool = False
    """Whether requests wait for others, to go in batches."""
    turns: Turns | None = None
    """Limits the requests that are sent at once; None if the caller does, or they go in batches."""
    asked: dict[str, asyncio.Future[Answer | NoAnswer]] = field(default_factory=dict)
    """Other requests, by digest; each side of a comparison has its own."""
    omitted: set[str] = field(default_factory=set)
    """Parameters that new answers were given without."""
    _early: set[str] = field(default_factory=set)
    """Requests asked by `ahead` and by no case yet."""

    async def answer(self, question: Question) -> Given:
        """Return the answer to a request, or the vectors of texts. Raises what provider and embedder raise."""
        if isinstance(question, EmbeddingRequest):
            assert self.meanings is not None
            return await self.meanings.of(question)
        answer = await self._once(question)
        if isinstance(answer, Answer):
            spent = spent_on(question, answer)
            self.observer.answered(spent, 0.0 if spent.replayed else spent.usd(self.prices.usd))
        return answer

    async def ahead(self, question: Question) -> Given:
        """Ask before the case's turn comes, which then gets this answer."""
        if isinstance(question, EmbeddingRequest):
            return await self.answer(question)
        asked = self.grades if question.by == JUDGE else self.asked
        if question.digest not in asked:
            import asyncio

            asked[question.digest] = asyncio.ensure_future(self._ask(question))
            self._early.add(question.digest)
        return await asked[question.digest]

    async def _once(self, request: Request) -> Answer | NoAnswer:
        """Ask, or share what an identical request got or will get: cases with equal inputs have one answer."""
        import asyncio

        asked = self.grades if request.by == JUDGE else self.asked
        if (first := asked.get(request.digest)) is not None:
            early = request.digest in self._early
            self._early.discard(request.digest)
            answer = await first
            if isinstance(answer, Answer) and not early:
                if request.by == JUDGE:
                    await self.saved.own.keep(request, answer, recorded_at=now())
                answer = answer._replace(replayed=True)
            return answer
        asked[request.digest] = asyncio.ensure_future(self._ask(request))
        return await asked[request.digest]

    def beside(self, do: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
        """Call a function in the scorer's thread."""
        from asyncio import get_running_loop

        return get_running_loop().run_in_executor(self.scorer, do, *given)

    async def close(self) -> None:
        """Close provider and embedder."""
        await self.provider.close()
        if self.meanings is not None:
            await self.meanings.close()

    async def _ask(self, request: Request) -> Answer | NoAnswer:
        if (known := await self.saved.take(request)) is not None:
            return known
        if self.turns is None:
            return await self._send(request)
        async with self.turns.of(request):
            return await self._send(request)

    async def _send(self, request: Request) -> Answer | NoAnswer:
        reserved = 0.0 if self.budget is None else await self.budget.admit(request, self.prices)
        if isinstance(reserved, NoAnswer):
            return reserved
        answer: Answer | NoAnswer | None = None
        try:
            answer = await self.provider.ask(request)
        finally:
            if self.budget is not None:
                self.budget.settle(reserved, request, answer, self.prices)
        if isinstance(answer, Answer):
            self.omitted.update(answer.omitted)
            await self.saved.own.keep(request, answer, recorded_at=now())
        return answer
