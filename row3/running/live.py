"""Ask a provider: modes `live`, `record` and `auto`.

`record` asks for every answer and records it; `auto` asks only for missing recordings; `live` asks for every answer and
keeps only the journal, from which an interrupted run continues, and with `--continue` one that ended incomplete.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, replace
from operator import call
from typing import TYPE_CHECKING

from row3.domain.requests import JUDGE, RECORDED_ONLY, Answer, NoAnswer
from row3.domain.scores import CaseScore, Observer
from row3.domain.words import count
from row3.errors import NotServedError, Row3Error, UsageError
from row3.project.cases import StoredCase
from row3.project.places import FILE
from row3.project.project import Project
from row3.running.answering import LiveAnswerer, SavedAnswers, Turns
from row3.running.asks import Given
from row3.running.budget import prices_of
from row3.running.case_results import Before, Packing
from row3.running.concurrency import ask_ahead, asked_ahead, many
from row3.running.evaluate import Asking, FixedAnswers, Walk, answers_to, replay_case, steps
from row3.running.execute import executor_for, few_collections, relay_at
from row3.running.journal import lines_of
from row3.running.meanings import open_meanings
from row3.running.processes import Work, allow_connections
from row3.running.provider_access import batch_chats, guarded, open_provider, takes_relay
from row3.running.run_options import RunOptions
from row3.running.session import Session

if TYPE_CHECKING:
    from concurrent.futures import Future

    Answered = tuple[StoredCase, list[Given]]
    Submit = Callable[[Sequence[Answered]], Future[list[CaseScore]]]

DEFAULT_JOBS = 8
"""Concurrent requests."""
AHEAD = 8
"""Cases under way for each job if each asks several prompts, so that requests of one prompt are sent together."""
GROUP = 8
"""Cases sent to another process together; sending one alone takes as long."""
NAMED = 3
"""Most cases without a recording that a message names."""


@dataclass(frozen=True, slots=True)
class _Scoring(Work["Sequence[Answered]", list[CaseScore]]):
    """Scores answered cases in another process."""

    asking: Asking
    packing: Packing

    def __call__(self, answered: Sequence[Answered]) -> list[CaseScore]:
        return [
            self.packing(stored, replay_case(self.asking, stored, FixedAnswers(iter(answers))))
            for stored, answers in answered
        ]

    def lost(self, answered: Sequence[Answered], why: str) -> list[CaseScore]:
        return [self.packing.lost(stored, why) for stored, _ in answered]


@dataclass(slots=True)
class LiveRun:
    """A run whose answers come from a provider."""

    session: Session
    asking: Asking
    options: RunOptions
    mode: str
    packing: Packing
    kind: str = ""
    """Kind of its journal; empty for the mode's."""
    judge: Project | None = None
    """Project of the cases, if not the session's."""
    answers: Sequence[str] = ()
    """Those of mode `live`, as lines of a recording."""

    @classmethod
    def of(cls, session: Session, asking: Asking, before: Before | None = None) -> LiveRun:
        """Return a run in the session's mode."""
        options = session.options
        packing = Packing(asking.suite, options.explain, before, options.page)
        return cls(session, asking, options, session.mode, packing)

    def results(self) -> list[CaseScore]:
        """Return the results of all cases, asking the provider for what the mode does not take from recordings.

        Raises `ProviderStopped` if the provider refuses all requests; the answers so far are kept. Raises `UsageError`
        for a model without a price under a budget, and if a recording would replace another prompt version's answer.
        """
        self.check_models(self.asking)
        executor = executor_for(self._expected(), None, self.options.ray)
        if executor is None:
            return self._ask_all(None)
        with few_collections(), executor.open(_Scoring(self.asking, self.packing)) as submit:
            return self._ask_all(submit)

    def _ask_all(self, submit: Submit | None) -> list[CaseScore]:
        """Return all results; `submit` has cases scored by another process if that needs only case and answers."""
        # Journals of live and recorded runs are separate: a live run's answers never become recordings.
        saved = SavedAnswers.open(
            self.session,
            self.kind or ("live" if self.mode == "live" else "record"),
            recordings=self.mode == "auto",
            replaces=self.mode == "record",
            models=self.asking.models,
        )
        order: list[str] = []
        results: dict[str, CaseScore] = {}
        kind, rules = self.asking.suite.kind, self.asking.suite.rules

        def take(result: CaseScore) -> None:
            results[result.case_id] = result
            self.observer.finished(result.case_id, result.status, result.problem)

        async def ask(answerers: Sequence[LiveAnswerer]) -> bool:
            import asyncio

            waiting: list[Answered] = []
            groups: list[asyncio.Task[None]] = []

            async def score_group(answered: Sequence[Answered]) -> None:
                assert submit is not None
                for result in await asyncio.wrap_future(submit(answered)):
                    take(result)

            async def one(stored: StoredCase) -> str:
                if submit is None or answerers[0].meanings is not None or kind.judgeable.asks(stored.case, rules):
                    beside = answerers[0].beside
                    score = await Walk(steps(self.asking, stored), answerers[0]).to_end(beside)
                    take(await beside(self.packing, stored, score))
                    return stored.id
                waiting.append((stored, await answers_to(self.asking, stored, answerers[0])))
                if len(waiting) == GROUP:
                    groups.append(asyncio.create_task(score_group(waiting[:])))
                    waiting.clear()
                return stored.id

            self.observer.began(self._expected())
            early = (
                ask_ahead(self.asking, stored, repeat, answerers[0])
                for stored in (self.cases() if answerers[0].batched else ())
                for repeat in self.asking.repeats_of(stored.id)
            )
            async with asked_ahead(early):
                several = len(self.asking.lineup.steps) > 1 or rules.judge is not None
                order.extend(await many(self.cases(), one, jobs=self.jobs * (AHEAD if several else 1)))
            await asyncio.gather(*groups, *([score_group(waiting)] if waiting else ()))
            return not any(map(_lacks_answers, results.values()))

        self.ask([saved], ask, record=[saved] if self.mode != "live" else [], embeddings=self.mode == "auto")
        return [results[case_id] for case_id in order]

    def check_models(self, *askings: Asking) -> None:
        """Raise `UsageError` for a model that no provider serves, or without a price under a budget."""
        suite = self.asking.suite
        judge = suite.rules.judge
        models = [each for asking in askings for each in asking.arm_models()]
        models += [(model, JUDGE) for model in (() if judge is None else judge.models)]
        if by := [by for model, by in models if model == RECORDED_ONLY]:
            what = f"no provider serves `{RECORDED_ONLY}`, the model of recordings made by hand"
            fix = "Set the judge's `model` in [judge]" if by == [JUDGE] else "Set a model there, or with --model"
            raise NotServedError(what, where=f"{FILE} field {'judge' if by == [JUDGE] else 'provider'}.model", fix=fix)
        if self.session.state.budget is not None:
            self.session.state.budget.check(models, prices_of(self.session.project, suite, known_models=True))

    def ask(
        self,
        sides: Sequence[SavedAnswers],
        ask: Callable[[Sequence[LiveAnswerer]], Awaitable[bool]],
        *,
        record: Sequence[SavedAnswers],
        embeddings: bool,
    ) -> None:
        """Ask with one answerer per side; however it ends, the answers stay on disk.

        Args:
            ask: returns whether every case has all its answers; only then are the journals discarded.
            record: the sides whose answers become recordings, the last one's where they differ.
            embeddings: use recorded embeddings.
        """
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        session, suite = self.session, self.asking.suite
        project, say = session.project, session.say
        with ending(session, sides), ThreadPoolExecutor(1) as scorer, ExitStack() as stack:
            chats = batch_chats(project, suite)
            ray = self.options.ray if not chats and takes_relay(project, suite) else None
            relay = stack.enter_context(relay_at(ray, self.jobs))
            provider = open_provider(project, suite, relay)
            providers = [provider for _ in sides]
            if chats:
                from row3.running.batches import BatchQueue, BatchSide

                queue = BatchQueue(chats, provider, sides[-1].batches, say)
                kinds = [saved.kind.partition("--")[0] for saved in sides]
                providers = [guarded(project, BatchSide(queue, kind, provider.name)) for kind in kinds]
            meanings = open_meanings(project, suite, recordings=embeddings)
            prices = prices_of(project, suite, known_models=True)
            grades: dict[str, asyncio.Future[Answer | NoAnswer]] = {}
            shared = (self.observer, prices, grades, session.state.budget, meanings, scorer, bool(chats))
            turns = None if chats else Turns(self.jobs)
            answerers = [
                LiveAnswerer(each, saved, *shared, turns) for each, saved in zip(providers, sides, strict=True)
            ]

            async def asking() -> bool:
                async with AsyncExitStack() as last:
                    last.push_async_callback(answerers[0].close)
                    return await ask(answerers)

            allow_connections(self.jobs)
            try:
                complete = asyncio.run(asking())
            finally:
                self.observer.ended()
                for saved in sides:
                    saved.own.end()
                for saved in record:
                    saved.record(say)
                if record and meanings is not None:
                    meanings.record(project, say)
            omitted = {name for each in answerers for name in each.omitted} - session.state.omitted
            session.state.omitted |= omitted
            if omitted:
                say(f"the endpoint does not accept {', '.join(sorted(omitted))}; requests were sent without")
            if self.mode == "live":
                self.answers = [line for saved in sides for line in lines_of(saved.own.path)]
            for saved in sides:
                saved.complete = complete

    @property
    def observer(self) -> Observer:
        """The session's observer, or one that shows nothing."""
        return self.session.state.observer or Observer()

    @property
    def jobs(self) -> int:
        """Most concurrent requests."""
        return self.options.jobs or self.session.project.config.jobs or DEFAULT_JOBS

    def cases(self) -> Iterator[StoredCase]:
        """Yield the cases to run, reading one at a time."""
        return (self.judge or self.session.project).cases_of(self.asking.suite, self.options.only)

    def _expected(self) -> int:
        only, project = self.options.only, self.judge or self.session.project
        return len(project.cases.entries(self.asking.suite.golden) if only is None else only)


@contextmanager
def ending(session: Session, sides: Sequence[SavedAnswers]) -> Iterator[None]:
    """Release what a live run holds, and end it unless it is interrupted; note what it took from other runs."""
    fault: BaseException | None = None
    try:
        yield
    except BaseException as error:
        fault = error
        raise
    finally:
        # A command can be interrupted until it has shown its result, so the run ends only then.
        when_done = call if session.state.afterwards is None else session.state.afterwards.append
        if reused := sum(saved.reused for saved in sides):
            session.say(f"continuing with {count(reused, 'answer')} from an earlier run")
        over = isinstance(fault, Row3Error | None)
        if over and not all(saved.complete for saved in sides):
            session.state.incomplete |= fault is None or any(lines_of(saved.own.path) for saved in sides)
        for saved in sides:
            saved.own.end_turn()
            when_done(saved.finish) if over else saved.own.close()


def with_missing(
    replayed: Iterable[CaseScore],
    session: Session,
    asking: Asking,
    before: Before | None,
    judge: Project | None = None,
) -> Iterator[CaseScore]:
    """Yield results in mode `auto`: replayed, or asked for if a recording is missing, in file order.

    They stream up to the first missing recording, and then wait for the provider.
    """
    waiting: list[CaseScore] = []
    for result in replayed:
        if _lacks_answers(result) or waiting:
            waiting.append(result)
        else:
            yield result
    missing = [result.case_id for result in waiting if _lacks_answers(result)]
    asked = {result.case_id: result for result in record_missing(session, asking, missing, judge=judge, before=before)}
    yield from (asked.get(result.case_id, result) for result in waiting)


def _lacks_answers(result: CaseScore) -> bool:
    return result.status == "failed" or lacks_grade(result)


def lacks_grade(scored: CaseScore) -> bool:
    """Return whether a judge's grade is missing."""
    return bool(scored.tally.get("judgements", {}).get("failed"))


def record_missing(
    session: Session,
    asking: Asking,
    missing: Sequence[str],
    *,
    judge: Project | None = None,
    before: Before | None = None,
) -> list[CaseScore]:
    """Ask for the missing recordings of these cases and record them. Raises as `LiveRun.results`."""
    if not missing:
        return []
    options = replace(session.options, only=frozenset(missing))
    live = replace(LiveRun.of(session, asking, before), mode="auto", judge=judge, options=options)
    try:
        return live.results()
    except UsageError as error:
        cases = list(dict.fromkeys(missing))
        which = ", ".join(cases[:NAMED]) + (f" and {len(cases) - NAMED:,} more" if len(cases) > NAMED else "")
        have = count(len(cases), "case has", "cases have")
        what = f"{have} no recording ({which}), and mode auto would ask the provider: {error.what}"
        fix = f"{error.fix}; or use --mode replay to see the nearest recording"
        raise UsageError(what, where=error.where, fix=fix) from None
