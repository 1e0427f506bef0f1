"""Asking a provider: modes `live`, `record` and `auto`.

`record` asks for every answer anew and saves it; `auto` asks only for what is not recorded; `live` asks for all and saves
nothing but the journal, which lets an interrupted run go on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import Any

from row3.domain.requests import Answer, Request
from row3.store import journal as journals
from row3.store.cases import StoredCase, case_files, read_cases
from row3.store.locks import writing
from row3.store.project import Project, Suite
from row3.store.recordings import merge, open_index
from row3.workflows.evaluate import Asking
from row3.workflows.execute import Observer, evaluate_live
from row3.workflows.results import CaseResult, Spent
from row3.workflows.run_suite import RunOptions, new_run_id, now, wanted_cases

DEFAULT_JOBS = 8


class Silent:
    """An observer that says nothing."""

    def began(self, cases: int | None) -> None:
        """Nothing."""

    def answered(self, spent: Spent, usd: float | None) -> None:
        """Nothing."""

    def finished(self, result: CaseResult) -> None:
        """Nothing."""


def endpoint_of(suite: Suite) -> Any:
    """Where the suite's requests go; raises `UsageError` for an unknown preset."""
    from row3.providers.presets import endpoint_for

    settings = suite.provider
    return endpoint_for(
        settings.preset,
        base_url=settings.base_url,
        key_variable=settings.key_variable,
        timeout_s=settings.timeout_s,
        max_retries=settings.max_retries,
    )


def live(
    project: Project,
    suite: Suite,
    asking: Asking,
    options: RunOptions,
    mode: str,
    *,
    observer: Observer | None = None,
    cost: Callable[[str, int, int], float | None] = lambda *_: None,
    say: Callable[[str], None] = lambda _: None,
) -> list[CaseResult]:
    """All cases answered by the provider, as far as the mode does not take recordings.

    Raises `ProviderStopped` where the provider refuses everything; every answer that came is kept.
    """
    from row3.providers.registry import make_provider

    left_over = journals.journals(project.local, suite.name)
    # Recordings answer in `auto`; what an interrupted run left in the journal answers in every mode.
    index = open_index(project.recordings(suite.name) if mode == "auto" else project.local / "nowhere", left_over)
    own = journals.Journal(project.local, suite.name, new_run_id())
    fresh = {digest for digest in index.digests() if index.place(digest).startswith("journal ")}
    if fresh:
        say(f"going on with {len(fresh)} answers that an interrupted run left")

    def known(request: Request) -> Answer | None:
        recording = index.get(request.digest)
        return None if recording is None else recording.answer

    def keep(request: Request, answer: Answer) -> None:
        own.keep(request, answer, recorded_at=now())

    provider = make_provider(endpoint_of(suite), os.environ)
    watching = observer or Silent()
    watching.began(None if options.partial else len(case_files(project.golden(suite.name))))
    jobs = options.jobs or project.config.jobs or DEFAULT_JOBS
    try:
        results = asyncio.run(
            evaluate_live(
                _cases(project, suite, options),
                asking,
                known,
                provider,
                keep,
                watching,
                cost,
                jobs=jobs,
                explain=options.explain,
            )
        )
    finally:
        own.close()
        if mode in ("record", "auto"):
            save_journals(project, suite, say=say)
    if mode == "live" and all(result.status != "failed" for result in results):
        journals.discard([*left_over, own.path])
    return results


def _cases(project: Project, suite: Suite, options: RunOptions) -> Iterator[StoredCase]:
    wanted = wanted_cases(options)
    return (stored for stored in read_cases(project.golden(suite.name), suite.kind) if wanted(stored.id))


def save_journals(project: Project, suite: Suite, *, say: Callable[[str], None] = lambda _: None) -> int:
    """Move what the journals hold into the suite's recordings; returns how many lines are new or changed."""
    paths = journals.journals(project.local, suite.name)
    if not paths:
        return 0
    with writing(project.local, say=say):
        lines = [line for path in paths for line in journals.lines_of(path)]
        changed = merge(project.recordings(suite.name), lines)
        journals.discard(paths)
    return changed
