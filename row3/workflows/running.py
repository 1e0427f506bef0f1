"""Running a suite in whatever mode, and plain `row3`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from row3.domain.manifests import tier_of
from row3.domain.prompts import Lineup
from row3.domain.requests import digest_json
from row3.domain.runs import HistoryEntry
from row3.errors import EnvironmentFault, InvalidFile
from row3.gate.comparison import consecutive_declines
from row3.gate.results import JudgedSuite, Run, SuiteResult, ran
from row3.store.cases import CaseFiles, golden_files, read_case
from row3.store.recordings import RecordingIndex
from row3.store.suites import Suite
from row3.workflows.pipeline.budget import prices_of
from row3.workflows.pipeline.collecting import collect, header_for
from row3.workflows.pipeline.lineup import Role, line_up, named_rubric, with_rubrics
from row3.workflows.pipeline.providers import shown_address
from row3.workflows.pipeline.results import Before, CaseResult
from row3.workflows.pipeline.run_suite import make_asking, replay
from row3.workflows.pipeline.unused_input import unused_inputs
from row3.workflows.quarantine import in_force
from row3.workflows.session import Session, save_log

if TYPE_CHECKING:
    from row3.workflows.asking.interleaved import Interleaving


def run_suite(
    session: Session,
    *,
    role: Role = "candidate",
    suite: Suite | None = None,
    lineup: Lineup | None = None,
    files: CaseFiles | None = None,
    index: RecordingIndex | None = None,
    before: Before | None = None,
    interleaving: Interleaving | None = None,
    take: Callable[[CaseResult], None] | None = None,
) -> Run:
    """Run cases under the promoted or the candidate prompts, by the session's own rules, cases and recordings unless
    given.

    `before` tells how a base answers, `interleaving` asks it in the same run, and `take` is handed each result.
    """
    suite = suite or session.suite
    if session.mode != "replay":
        suite = replace(suite, address=shown_address(session.project, suite))
    lineup = lineup or line_up(session.project, suite, role=role, named=session.named)
    note_unused_inputs(session, suite, lineup, files)
    asking = make_asking(suite, lineup, session.options)
    if session.mode == "replay" and not session.options.explain and session.options.page is None:
        asking.scores = session.scores(suite)
    head = header_for(suite, asking, mode=session.mode)
    results: Iterable[CaseResult]
    if session.mode in ("replay", "auto"):
        results = replay(session.project, suite, asking, session.options, files, index=index, before=before)
        if session.mode == "auto":
            from row3.workflows.asking.live import with_missing  # replay does without the provider

            results = with_missing(results, session, asking, before, files)
    else:
        from row3.workflows.asking.live import LiveRun

        live = LiveRun.of(session, asking, before)
        live.files = files
        results = live.results() if interleaving is None else interleaving.results(live)
        if interleaving is not None:
            head["repeats"] = interleaving.rounds
    run = collect(
        results,
        suite,
        lineup,
        head,
        partial=session.options.partial,
        take=take,
        cost=prices_of(session.project, session.suite).usd,
        quarantine=in_force(session.project, suite, files),
    )
    for cache in session.caches.values():
        cache.save()
    waiting = {} if interleaving is None else interleaving.unfinished
    if not waiting:
        return run
    # Cases that wait for the answers of their last round: the run is incomplete, and shows what it has.
    header, problems = structs.replace(run.header, complete=False), [*run.problems, *waiting.items()]
    return replace(run, header=header, failed=[*run.failed, *waiting], problems=problems)


def note_unused_inputs(session: Session, suite: Suite, lineup: Lineup, files: CaseFiles | None = None) -> None:
    """Say, once a command, which prompts do not show what a case gives them; before anything is asked."""
    own = session.project.tree
    with suppress(InvalidFile, EnvironmentFault):  # of a case: the run itself says what is wrong
        tree, paths = files or CaseFiles(own, golden_files(own, suite.golden))
        if not paths:
            return
        given = suite.kind.variables(read_case(tree, paths[0], suite.kind).case)
        for prompt, unused in unused_inputs(suite.kind, suite.rules, lineup.prompts, given):
            if prompt.path not in session.warned:
                session.warned.add(prompt.path)
                session.say(f"{prompt.path}:{unused.line} {unused.message}")


def declining_runs(history: list[HistoryEntry], run: Run | None, suite: JudgedSuite) -> int:
    """Return how many of a tier's latest runs declined in a row by the composite; a run twice is one."""
    primary = suite.kind.primary
    mine = [each for each in history if each.suite == suite.name and tier_of(each.mode) == suite.tier]
    runs = [(each.prompts, each.model, each.metrics) for each in mine]
    if run is not None:
        runs.append((run.header.prompts, run.header.model, run.header.metrics))
    values: list[tuple[str, float]] = []
    for prompts, model, metrics in runs:
        key = digest_json([prompts, model, metrics])
        if primary in metrics and (not values or values[-1][0] != key):
            values.append((key, metrics[primary]))
    return consecutive_declines([value for _, value in values])


def plain_run(session: Session) -> SuiteResult:
    """Run the candidates, or what is named, rubrics included, and show the scorecard; the gate has no say."""
    found = [(text, named_rubric(session.project, text)) for text in session.named]
    rubrics = {prompt.ref.name: prompt for _, prompt in found if prompt is not None}
    session.named = tuple(text for text, prompt in found if prompt is None)
    session.suite = with_rubrics(session.suite, rubrics)
    for prompt in rubrics.values():
        session.say(f"the judge grades by {prompt.ref}")
    run = run_suite(session)
    save_log(session, run)
    return ran(run, declining_runs(session.history(), run, session.suite))
