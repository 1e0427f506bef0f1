"""Asking a provider: modes `live`, `record` and `auto`.

`record` asks for every answer anew and saves it; `auto` asks only for what is not recorded; `live` asks for all and
saves nothing but the journal, from which an interrupted run continues.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from row3.domain.counts import count
from row3.store.cases import CaseFiles, StoredCase, case_files, read_case, read_cases
from row3.store.other_suites import no_case_fits
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.asking.answering import Asked, Kept, Observer
from row3.workflows.asking.budget import Budget
from row3.workflows.pipeline.evaluate import Asking, Walk, steps
from row3.workflows.pipeline.meanings import open_meanings
from row3.workflows.pipeline.providers import open_provider
from row3.workflows.pipeline.results import CaseResult, Cost, Packing
from row3.workflows.pipeline.run_suite import RunOptions, wanted_cases

DEFAULT_JOBS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True)
class LiveRun:
    """Cases answered by a provider."""

    project: Project
    suite: Suite
    asking: Asking
    options: RunOptions
    mode: str
    observer: Observer
    cost: Cost
    say: Callable[[str], None]
    packing: Packing
    budget: Budget | None = None
    kind: str = ""
    """Of its journal; empty for the mode's own."""
    lasts_h: float | None = None
    """Hours after which answers of an interrupted run are of no use."""
    afterwards: list[Callable[[], None]] | None = None
    """What is to be done when the command is over; None: at once."""
    files: CaseFiles | None = None
    """Cases of another place than the suite's own."""
    lines: list[str] = field(default_factory=list)
    """Of a complete run in mode `live`: its answers, as recordings spell them."""

    def results(self) -> list[CaseResult]:
        """All cases answered by the provider, as far as the mode does not take recordings.

        Raises `ProviderStopped` where the provider refuses everything; every answer so far is kept. Raises
        `UsageError` where a budget is set and a model has no price, and where what is to be recorded would replace
        another prompt version's answers.
        """
        self.check_budget(self.asking)
        # Answers that will be saved and answers that will not are kept apart: a live run's are nobody's recordings.
        kept = Kept.open(
            self.project,
            self.suite.name,
            self.kind or ("live" if self.mode == "live" else "record"),
            recordings=self.mode == "auto",
            replaces=self.mode == "record",
            lasts_h=self.lasts_h,
        )
        results: list[CaseResult] = []

        async def ask(answerers: Sequence[Asked]) -> bool:
            async def one(stored: StoredCase) -> CaseResult:
                walk = Walk(steps(self.asking, stored), answerers[0])
                result = self.packing(stored, await walk.to_end(), walk.transcript)
                self.observer.finished(result)
                return result

            self.observer.began(self._expected())
            results.extend(await many(self.cases(), one, jobs=self.jobs))
            return all(result.status != "failed" for result in results)

        self.ask([kept], ask, record=kept if self.mode != "live" else None, embeddings=self.mode == "auto")
        return results

    def check_budget(self, *askings: Asking) -> None:
        """Raise `UsageError` where a budget is set and a model has no price."""
        if self.budget is not None:
            self.budget.check(each.model for asking in askings for each in asking.parameters.values())

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
        import asyncio

        if waiting := sum(kept.waiting for kept in sides):
            self.say(f"continuing with {count(waiting, 'answer')} saved by an interrupted run")
        provider = open_provider(self.project, self.suite)
        meanings = open_meanings(self.project, self.suite, recordings=embeddings)
        answerers = [Asked(provider, kept, self.observer, self.cost, self.budget, meanings) for kept in sides]

        async def asking() -> bool:
            try:
                return await ask(answerers)
            finally:
                await answerers[0].close()

        complete = False
        try:
            complete = asyncio.run(asking())
        finally:
            self.observer.ended()
            if not complete:
                for kept in sides:
                    kept.close()
            if record is not None:
                record.record(self.say)
                if meanings is not None:
                    meanings.record(self.project, self.say)
        if refused := sorted(getattr(provider, "refused", ())):
            self.say(f"the endpoint does not take {', '.join(refused)}; the requests went out without")
        if complete:
            if self.mode == "live":
                self.lines = [line for kept in sides for line in kept.lines()]
            self._discard(sides)

    def _discard(self, sides: Sequence[Kept]) -> None:
        """Remove the journals, not before the command has come to its result: until then it can be interrupted."""

        def now() -> None:
            for kept in sides:
                kept.discard()

        if self.afterwards is None:
            now()
        else:
            self.afterwards.append(now)

    @property
    def jobs(self) -> int:
        """Requests at once."""
        return self.options.jobs or self.project.config.jobs or DEFAULT_JOBS

    def cases(self) -> Iterator[StoredCase]:
        """The cases that are wanted, one at a time; raises `UsageError` where none fits."""
        wanted = wanted_cases(self.options)
        none = True
        for stored in self._stored():
            if wanted(stored.id):
                none = False
                yield stored
        if none and self.options.case is not None:
            raise no_case_fits(self.project, self.suite, self.options.case)

    def _stored(self) -> Iterator[StoredCase]:
        if self.files is None:
            return read_cases(self.project.tree, self.suite.golden, self.suite.kind)
        tree, paths = self.files
        return (read_case(tree, path, self.suite.kind) for path in paths)

    def _expected(self) -> int | None:
        """How many cases there are, where that is known before they are read."""
        if self.options.case is not None:
            return None
        if self.options.only is not None:
            return len(self.options.only)
        return len(case_files(self.project.tree, self.suite.golden))


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
