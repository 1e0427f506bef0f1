"""Asking a provider: modes `live`, `record` and `auto`.

`record` asks for every answer anew and saves it; `auto` asks only for what is not recorded; `live` asks for all and
saves nothing but the journal, from which an interrupted run continues.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from row3.domain.counts import count
from row3.domain.requests import JUDGE, RECORDED_ONLY, Answer, NoAnswer
from row3.errors import NotServedError, UsageError
from row3.store.cases import CaseFiles, StoredCase, cases_in, ids_of, read_cases
from row3.store.config import FILE
from row3.workflows.asking.answering import Asked, Kept
from row3.workflows.pipeline.asks import Given
from row3.workflows.pipeline.budget import prices_of
from row3.workflows.pipeline.evaluate import Asking, FixedAnswers, Walk, answers_to, replay_case, steps
from row3.workflows.pipeline.execute import Inline, executor_for, few_collections
from row3.workflows.pipeline.meanings import open_meanings
from row3.workflows.pipeline.providers import open_provider
from row3.workflows.pipeline.results import Before, CaseResult, Observer, Packing
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import Session

if TYPE_CHECKING:
    from concurrent.futures import Future

    Answered = tuple[StoredCase, list[Given]]
    Hand = Callable[[Sequence[Answered]], Future[list[CaseResult]]]

DEFAULT_JOBS = 8
GROUP = 8
"""Cases that are given to another process at once, which takes this one as long as one alone."""
OTHER_FILES = 128
"""Files that a run has open beside its connections."""
NAMED = 3
"""Cases without a recording that a message names."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True)
class LiveRun:
    """Cases answered by a provider."""

    session: Session
    asking: Asking
    options: RunOptions
    mode: str
    packing: Packing
    kind: str = ""
    """Of its journal; empty for the mode's own."""
    files: CaseFiles | None = None
    """Cases of another place than the suite's own."""

    @classmethod
    def of(cls, session: Session, asking: Asking, before: Before | None = None) -> LiveRun:
        """Return a run in the session's mode."""
        options = session.options
        packing = Packing(asking.suite, options.explain, before, options.page)
        return cls(session, asking, options, session.mode, packing)

    def results(self) -> list[CaseResult]:
        """Return all cases, answered by the provider as far as the mode does not take recordings.

        Raises `ProviderStopped` where the provider refuses everything; every answer so far is kept. Raises
        `UsageError` where a budget is set and a model has no price, and where what is to be recorded would replace
        another prompt version's answers.
        """
        self.check_models(self.asking)
        executor = executor_for(self._expected() or 0, None)
        if isinstance(executor, Inline):
            return self._ask_all(None)
        with few_collections(), executor.open(self._score) as hand:
            return self._ask_all(hand)

    def _score(self, answered: Sequence[Answered]) -> list[CaseResult]:
        """Score cases by their answers: what the other processes do."""
        return [
            self.packing(stored, *replay_case(self.asking, stored, FixedAnswers(iter(answers))))
            for stored, answers in answered
        ]

    def _ask_all(self, hand: Hand | None) -> list[CaseResult]:
        """Return all cases; `hand` gives those that take only case and answers to a process that scores them."""
        # Answers that will be saved and answers that will not are kept apart: a live run's are nobody's recordings.
        kept = Kept.open(
            self.session.project,
            self.asking.suite.name,
            self.kind or ("live" if self.mode == "live" else "record"),
            recordings=self.mode == "auto",
            replaces=self.mode == "record",
            models=self.asking.models,
            say=self.session.say,
        )
        order: list[str] = []
        results: dict[str, CaseResult] = {}
        kind, rules = self.asking.suite.kind, self.asking.suite.rules

        def take(result: CaseResult) -> None:
            results[result.case_id] = result
            self.observer.finished(result)

        async def ask(answerers: Sequence[Asked]) -> bool:
            import asyncio

            waiting: list[Answered] = []
            groups: list[asyncio.Task[None]] = []

            async def score(answered: Sequence[Answered]) -> None:
                assert hand is not None
                for result in await asyncio.wrap_future(hand(answered)):
                    take(result)

            async def one(stored: StoredCase) -> str:
                if hand is None or answerers[0].meanings is not None or kind.asks(stored.case, rules):
                    walk = Walk(steps(self.asking, stored), answerers[0])
                    take(self.packing(stored, await walk.to_end(), walk.transcript))
                    return stored.id
                waiting.append((stored, await answers_to(self.asking, stored, answerers[0])))
                if len(waiting) == GROUP:
                    groups.append(asyncio.create_task(score(waiting[:])))
                    waiting.clear()
                return stored.id

            self.observer.began(self._expected())
            order.extend(await many(self.cases(), one, jobs=self.jobs))
            await asyncio.gather(*groups, *([score(waiting)] if waiting else ()))
            return all(result.status != "failed" for result in results.values())

        self.ask([kept], ask, record=kept if self.mode != "live" else None, embeddings=self.mode == "auto")
        return [results[case_id] for case_id in order]

    def check_models(self, *askings: Asking) -> None:
        """Raise `UsageError` for a model that no provider serves, or has no price where a budget is set."""
        suite = self.asking.suite
        judge = suite.rules.judge
        models = [each for asking in askings for each in asking.arm_models()]
        models += [(model, JUDGE) for model in (() if judge is None else judge.models)]
        if by := [by for model, by in models if model == RECORDED_ONLY]:
            what = f"no provider serves `{RECORDED_ONLY}`, the model of recordings made by hand"
            fix = "Name the judge's `model` in [judge]" if by == [JUDGE] else "Name a model with --model, or there"
            raise NotServedError(what, where=f"{FILE} field {'judge' if by == [JUDGE] else 'provider'}.model", fix=fix)
        if self.session.budget is not None:
            self.session.budget.check(models, prices_of(self.session.project, suite))

    def ask(
        self,
        sides: Sequence[Kept],
        ask: Callable[[Sequence[Asked]], Awaitable[bool]],
        *,
        record: Kept | None,
        embeddings: bool,
    ) -> None:
        """Ask with one answerer a side; whatever ends it, answers stay on disk.

        Args:
            ask: returns whether every case has its answers, so that the journals can go.
            record: the side whose answers become recordings.
            embeddings: recorded ones are taken.
        """
        complete = False
        try:
            complete = self._ask(sides, ask, record=record, embeddings=embeddings)
        finally:
            for kept in sides:
                if not complete:
                    kept.own.close()  # what stays is continued by the same command
                kept.own.end_turn()

    def _ask(
        self,
        sides: Sequence[Kept],
        ask: Callable[[Sequence[Asked]], Awaitable[bool]],
        *,
        record: Kept | None,
        embeddings: bool,
    ) -> bool:
        """Do what `ask` does, and return what its `ask` returns."""
        import asyncio

        session, suite = self.session, self.asking.suite
        project, say = session.project, session.say
        if waiting := sum(kept.waiting for kept in sides):
            say(f"continuing with {count(waiting, 'answer')} saved by an interrupted run")
        provider = open_provider(project, suite)
        meanings = open_meanings(project, suite, recordings=embeddings)
        prices = prices_of(project, suite)
        judged: dict[str, asyncio.Future[Answer | NoAnswer]] = {}
        answerers = [Asked(provider, kept, self.observer, prices, judged, session.budget, meanings) for kept in sides]

        async def asking() -> bool:
            try:
                return await ask(answerers)
            finally:
                await answerers[0].close()

        complete = False
        allow_connections(self.jobs)
        try:
            complete = asyncio.run(asking())
        finally:
            self.observer.ended()
            for kept in sides:
                kept.own.end()
            if record is not None:
                record.record(say)
                if meanings is not None:
                    meanings.record(project, say)
        if refused := sorted(getattr(provider, "refused", ())):
            say(f"the endpoint does not take {', '.join(refused)}; the requests went out without")
        if self.mode == "live":
            session.answers = [line for kept in sides for line in kept.lines()]
        if complete:
            # Not before the command has come to its result: until then it can be interrupted.
            later = [kept.discard for kept in sides]
            if session.afterwards is not None:
                session.afterwards += later
            for discard in later if session.afterwards is None else ():
                discard()
        return complete

    @property
    def observer(self) -> Observer:
        """Who follows the run."""
        return self.session.observer or Observer()

    @property
    def jobs(self) -> int:
        """Requests at once."""
        return self.options.jobs or self.session.project.config.jobs or DEFAULT_JOBS

    def cases(self) -> Iterator[StoredCase]:
        """Yield the cases that are wanted, one at a time."""
        project, suite = self.session.project, self.asking.suite
        if self.files is None:
            cases = read_cases(project.tree, suite.golden, suite.kind)
        else:
            cases = cases_in(self.files.tree, self.files.paths, suite.kind)
        yield from (stored for stored in cases if self.options.wants(stored.id))

    def _expected(self) -> int:
        """How many cases there are."""
        if self.options.only is not None:
            return len(self.options.only)
        if self.files is not None:
            return len(self.files.paths)
        return len(ids_of(self.session.project.tree, self.asking.suite.golden))


def allow_connections(count: int) -> None:
    """Let this process open so many, and what else it needs, as far as the system allows: many allow 1,024 files."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = count + OTHER_FILES if hard == resource.RLIM_INFINITY else min(count + OTHER_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


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


def with_missing(
    replayed: Iterable[CaseResult],
    session: Session,
    asking: Asking,
    before: Before | None,
    files: CaseFiles | None = None,
) -> Iterator[CaseResult]:
    """Mode `auto`: what is recorded as it is, the rest from the provider, all in the order of the files.

    While nothing is missing, results stream; from the first miss on they wait for the provider.
    """
    waiting: list[CaseResult] = []
    for result in replayed:
        if _lacks_answers(result) or waiting:
            waiting.append(result)
        else:
            yield result
    missing = [result.case_id for result in waiting if _lacks_answers(result)]
    asked = {result.case_id: result for result in record_missing(session, asking, missing, files=files, before=before)}
    yield from (asked.get(result.case_id, result) for result in waiting)


def _lacks_answers(result: CaseResult) -> bool:
    """Return whether an answer or a judge's grade is missing."""
    return result.status == "failed" or bool(result.tally.get("judgements", {}).get("failed"))


def record_missing(
    session: Session,
    asking: Asking,
    missing: Sequence[str],
    *,
    files: CaseFiles | None = None,
    before: Before | None = None,
) -> list[CaseResult]:
    """Ask for what is not recorded of these cases, wherever they are, and record it.

    Raises as `LiveRun.results`.
    """
    if not missing:
        return []
    live = LiveRun.of(session, asking, before)
    live.mode, live.files = "auto", files
    live.options = replace(session.options, only=frozenset(missing))
    try:
        return live.results()
    except UsageError as error:
        cases = list(dict.fromkeys(missing))
        which = ", ".join(cases[:NAMED]) + (f" and {len(cases) - NAMED:,} more" if len(cases) > NAMED else "")
        have = count(len(cases), "case has", "cases have")
        raise UsageError(
            f"{have} no recording ({which}), and mode auto asks for what is not recorded: {error.what}",
            where=error.where,
            fix=f"{error.fix}; or see with --mode replay which recording is the nearest",
        ) from None
