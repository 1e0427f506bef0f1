"""Asking a provider: modes `live`, `record` and `auto`.

`record` asks for every answer anew and saves it; `auto` asks only for what is not recorded; `live` asks for all and
saves nothing but the journal, which lets an interrupted run go on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from row3.domain.requests import Answer, Request
from row3.store import journal
from row3.store.cases import StoredCase, case_files, read_cases
from row3.store.locks import writing
from row3.store.project import Project, Suite
from row3.store.recording_index import RecordingIndex
from row3.store.recordings import merge, open_index
from row3.workflows.endpoints import endpoint_of
from row3.workflows.evaluate import Asking
from row3.workflows.execute import Observer, evaluate_live
from row3.workflows.results import CaseResult, Packing, Spent
from row3.workflows.run_header import new_run_id, now
from row3.workflows.run_suite import RunOptions, wanted_cases

DEFAULT_JOBS = 8
Cost = Callable[[str, int, int], float | None]


class Watching(Observer, Protocol):
    """An observer that is also told that no more comes, whatever ended the run."""

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

    def results(self) -> list[CaseResult]:
        """All cases answered by the provider, as far as the mode does not take recordings.

        Raises `ProviderStopped` where the provider refuses everything; every answer that came is kept.
        """
        import asyncio

        from row3.providers.registry import make_provider

        # Answers that will be saved and answers that will not are kept apart: a live run's are nobody's recordings.
        kind = "live" if self.mode == "live" else "record"
        left = journal.abandoned(self.project.local, self.suite.name, kind)
        index = self._known(left)
        provider = make_provider(endpoint_of(self.project, self.suite), os.environ)
        own = journal.Journal(self.project.local, self.suite.name, kind, new_run_id())
        jobs = self.options.jobs or self.project.config.jobs or DEFAULT_JOBS

        def known(request: Request) -> Answer | None:
            recording = index.get(request.digest)
            return None if recording is None else recording.answer

        def keep(request: Request, answer: Answer) -> None:
            own.keep(request, answer, recorded_at=now())

        try:
            self.observer.began(self._expected())
            results = asyncio.run(
                evaluate_live(
                    self._cases(),
                    self.asking,
                    known,
                    provider,
                    keep=keep,
                    observer=self.observer,
                    cost=self.cost,
                    jobs=jobs,
                    pack=self.packing,
                )
            )
        finally:
            self.observer.ended()
            own.close()
            if kind == "record":
                self._save([*left, own.path])
        # The journals of an unfinished run stay: the same command goes on from them.
        refused = sorted(getattr(provider, "refused", ()))
        if refused:
            self.say(f"the endpoint does not take {', '.join(refused)}; the requests went out without")
        if all(result.status != "failed" for result in results):
            journal.discard([*left, own.path])
        return results

    def _known(self, left: list[Path]) -> RecordingIndex:
        """Recordings answer in `auto`; what an interrupted run left answers in every mode."""
        recorded = self.project.recordings(self.suite.name)
        index = open_index(recorded if self.mode == "auto" else recorded / "none", left)
        waiting = sum(1 for digest in index.digests() if index.place(digest).startswith("journal "))
        if waiting:
            self.say(f"going on with {waiting} answers that an interrupted run left")
        return index

    def _cases(self) -> Iterator[StoredCase]:
        wanted = wanted_cases(self.options)
        cases = read_cases(self.project.golden(self.suite.name), self.suite.kind)
        return (stored for stored in cases if wanted(stored.id))

    def _expected(self) -> int | None:
        if self.options.case is not None:
            return None
        if self.options.only is not None:
            return len(self.options.only)
        return len(case_files(self.project.golden(self.suite.name)))

    def _save(self, paths: list[Path]) -> None:
        """Move what the journals hold into the suite's recordings."""
        lines = [line for path in paths for line in journal.lines_of(path)]
        if lines:
            with writing(self.project.local, say=self.say):
                merge(self.project.recordings(self.suite.name), lines)
