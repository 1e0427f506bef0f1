"""Asking a provider: modes `live`, `record` and `auto`.

`record` asks for every answer anew and saves it; `auto` asks only for what is not recorded; `live` asks for all and
saves nothing but the journal, which lets an interrupted run go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from row3.domain.counts import count
from row3.store.cases import StoredCase, case_files, read_cases
from row3.store.other_suites import no_case_fits
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.asking.asking_live import Answers, Cost, Observer, evaluate_live
from row3.workflows.asking.budget import Budget
from row3.workflows.asking.endpoints import open_provider
from row3.workflows.asking.live_journal import Kept
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.meanings import open_meanings
from row3.workflows.pipeline.results import CaseResult, Packing, Spent
from row3.workflows.pipeline.run_suite import RunOptions, wanted_cases

DEFAULT_JOBS = 8


class Watching(Observer, Protocol):
    """An observer that is also told, after the event loop, that no more comes, whatever ended the run."""

    def ended(self) -> None: ...


class Silent:
    """An observer that says nothing."""

    def began(self, cases: int | None) -> None:
        """Nothing."""

    def answered(self, spent: Spent, usd: float | None) -> None:
        """Nothing."""

    def finished(self, result: CaseResult) -> None:
        """Nothing."""

    def ended(self) -> None:
        """Nothing."""


@dataclass(slots=True)
class LiveRun:
    """Everything a live run is given."""

    project: Project
    suite: Suite
    asking: Asking
    options: RunOptions
    mode: str
    observer: Watching
    cost: Cost
    say: Callable[[str], None]
    packing: Packing
    budget: Budget | None = None
    kind: str = ""
    """Of its journal, where that is not by the mode."""
    lasts_h: float | None = None
    """Hours after which what an interrupted run left is of no use."""
    afterwards: list[Callable[[], None]] | None = None
    """What is to be done when the command is over; None: at once."""

    def results(self) -> list[CaseResult]:
        """All cases answered by the provider, as far as the mode does not take recordings.

        Raises `ProviderStopped` where the provider refuses everything; every answer that came is kept. Raises
        `UsageError` where a budget is to be kept to and a model has no price, and where what is to be recorded would
        replace another prompt version's answers.
        """
        import asyncio

        if self.budget is not None:
            self.budget.check(each.model for each in self.asking.parameters.values())
        # Answers that will be saved and answers that will not are kept apart: a live run's are nobody's recordings.
        kind = self.kind or ("live" if self.mode == "live" else "record")
        name, recorded = self.suite.name, self.mode == "auto"
        replaces = self.mode == "record"
        kept = Kept.open(self.project, name, kind, recordings=recorded, replaces=replaces, lasts_h=self.lasts_h)
        if kept.waiting:
            self.say(f"going on with {count(kept.waiting, 'answer')} that an interrupted run left")
        provider = open_provider(self.project, self.suite)
        meanings = open_meanings(self.project, self.suite, recordings=recorded)
        answers = Answers(provider, kept.known, kept.keep, self.observer, self.cost, self.budget, meanings)
        asking = evaluate_live(
            self.cases(), self.asking, answers, jobs=self.jobs, pack=self.packing, expected=self._expected()
        )
        complete = False
        try:
            results = asyncio.run(asking)
            complete = all(result.status != "failed" for result in results)
        finally:
            self.observer.ended()
            if not complete:
                kept.close()
            if kind == "record":
                kept.record(self.say)
                if meanings is not None:
                    meanings.record(self.project, self.say)
        self.tell_refused(provider)
        if complete:
            self.end(kept)
        return results

    def end(self, *journals: Kept) -> None:
        """Remove the journals of a complete run, not before the command has come to its result: what comes in between
        can be interrupted too, and a command that ends without a result goes on from its answers."""

        def now() -> None:
            for kept in journals:
                kept.close()
                kept.discard()

        if self.afterwards is None:
            now()
        else:
            self.afterwards.append(now)

    @property
    def jobs(self) -> int:
        """Requests at once."""
        return self.options.jobs or self.project.config.jobs or DEFAULT_JOBS

    def tell_refused(self, provider: object) -> None:
        """Say which fields of a request the endpoint turned out not to take."""
        refused = sorted(getattr(provider, "refused", ()))
        if refused:
            self.say(f"the endpoint does not take {', '.join(refused)}; the requests went out without")

    def cases(self) -> Iterator[StoredCase]:
        """The cases that are wanted, one at a time; raises `UsageError` where none fits."""
        wanted = wanted_cases(self.options)
        none = True
        for stored in read_cases(self.project.tree, self.suite.golden, self.suite.kind):
            if wanted(stored.id):
                none = False
                yield stored
        if none and self.options.case is not None:
            raise no_case_fits(self.project, self.suite, self.options.case)

    def _expected(self) -> int | None:
        if self.options.case is not None:
            return None
        if self.options.only is not None:
            return len(self.options.only)
        return len(case_files(self.project.tree, self.suite.golden))
