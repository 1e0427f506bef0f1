"""Run a suite in any mode; plain `row3`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from row3.domain.prompts import Lineup
from row3.domain.runs import HistoryEntry, RunHeader, tier_of
from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault, InvalidFile, UsageError
from row3.gate.comparison import Decline, latest_decline
from row3.gate.policy import POINT
from row3.gate.results import Run, SuiteResult, ran
from row3.gate.suites import JudgedSuite
from row3.project.criteria import in_force
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.case_results import Before
from row3.running.collect import collect, header_for
from row3.running.lineup import Role, line_up, named_rubric, with_rubrics
from row3.running.provider_access import shown_address
from row3.running.rendering.unused_input import unused_inputs
from row3.running.run_options import check_cases, make_asking, replay
from row3.running.session import Session, save_log
from row3.running.shards import shard_head, shard_ids

if TYPE_CHECKING:
    from row3.running.interleaved import Interleaving
    from row3.running.live import LiveRun


def run_suite(
    session: Session,
    *,
    role: Role = "candidate",
    suite: Suite | None = None,
    lineup: Lineup | None = None,
    judge: Project | None = None,
    index: RecordingIndex | None = None,
    before: Before | None = None,
    interleaving: Interleaving | None = None,
    take: Callable[[CaseScore], None] | None = None,
) -> Run:
    """Run cases under the promoted or the candidate prompts; suite, lineup and index default to the session's.

    Args:
        judge: project whose cases and quarantine judge, if not the session's.
        before: returns the base's answer to a case.
        interleaving: how to ask the base in the same run.
        take: called with each result.
    """
    suite = suite or session.suite
    if session.mode != "replay":
        suite = replace(suite, address=shown_address(session.project, suite))
    if judge is None:
        check_cases(session.project, suite, session.options)
    lineup = lineup or line_up(session.project, suite, role=role, named=session.options.named)
    note_unused_inputs(session, suite, lineup, judge)
    asking = make_asking(suite, lineup, session.options)
    if session.mode == "replay" and not session.options.explain and session.options.page is None:
        asking.scores = session.scores(suite)
    head = header_for(suite, asking, mode=session.mode) | shard_head(judge or session.project, suite, session.options)
    session = replace(session, options=session.options.begun(suite, head["run_id"]))
    if (shared := session.options.shared) is not None and session.state.afterwards is not None:
        # A comparison may look at a block several times, and a run may end with an error.
        session.state.afterwards.append(shared.folder.remove_unless_whole)
    results: Iterable[CaseScore]
    live: LiveRun | None = None
    if session.mode in ("replay", "auto"):
        results = replay(session.project, suite, asking, session.options, judge, index=index, before=before)
        if session.mode == "auto":
            from row3.running.live import with_missing  # replay needs no provider

            results = with_missing(results, session, asking, before, judge)
    else:
        from row3.running.live import LiveRun

        live = LiveRun.of(session, asking, before)
        live.judge = judge
        results = live.results() if interleaving is None else interleaving.results(live)
    run = collect(
        results,
        suite,
        lineup,
        head,
        partial=session.options.partial,
        take=take,
        cost=prices_of(session.project, session.suite, known_models=session.mode != "replay").usd,
        quarantine=in_force(session.project, suite, judge),
        shared=shared,
    )
    if live is not None:
        run = replace(run, answers=live.answers)
    for cache in session.state.caches.values():
        cache.save()
    pairs = {} if interleaving is None else interleaving.pairs
    unfinished = {case_id: pair.problem for case_id, pair in pairs.items() if pair.problem and pair.now.scores}
    if not unfinished:
        return run
    header, problems = run.header.replace(complete=False), [*run.problems, *unfinished.items()]
    return replace(run, header=header, failed=[*run.failed, *unfinished], problems=problems)


def note_unused_inputs(session: Session, suite: Suite, lineup: Lineup, judge: Project | None = None) -> None:
    """Warn, once per command and before anything is asked, of prompts that do not use all of a case's input."""
    cases = (judge or session.project).cases
    with suppress(InvalidFile, EnvironmentFault):  # the run itself reports a broken case
        first = next(iter(cases.paths(suite.golden)), None)
        if first is None:
            return
        given = cases.case(first, suite.kind).case.variables()
        for prompt, unused in unused_inputs(suite.kind, suite.rules, lineup.prompts, given):
            if prompt.path not in session.state.warned:
                session.state.warned.add(prompt.path)
                session.say(f"{prompt.path}:{unused.line} {unused.message}")


def declining_runs(history: Sequence[HistoryEntry], run: Run | None, suite: JudgedSuite) -> Decline:
    """Return how a tier's latest runs declined by the composite, repeated runs counted once."""
    primary = suite.kind.primary
    mine = [each for each in history if each.suite == suite.name and tier_of(each.mode) == suite.tier]
    headers: list[HistoryEntry | RunHeader] = [*mine, *([] if run is None else [run.header])]
    runs = [(each.prompts, each.model, each.metrics) for each in headers if primary in each.metrics]
    values = [metrics[primary] for (_, _, metrics), _ in itertools.groupby(runs)]
    return latest_decline(values, suite.policy.investigate / POINT)


def plain_run(session: Session) -> SuiteResult:
    """Run the candidates, or the named prompts and rubrics, and return the scorecard; nothing is judged."""
    found = {text: named_rubric(session.project, text) for text in session.options.named}
    rubrics = {prompt.ref.name: prompt for prompt in found.values() if prompt is not None}
    options = replace(session.options, named=tuple(text for text, prompt in found.items() if prompt is None))
    session = replace(session, suite=with_rubrics(session.suite, rubrics), options=options)
    for prompt in rubrics.values():
        session.say(f"the judge grades by {prompt.ref}")
    if rubrics and options.shard is not None:
        fix = "Leave the rubric out, or run without --shard"
        raise UsageError("a shard is graded by the promoted rubrics", where="--prompt", fix=fix)
    if options.shard is not None and session.mode != "replay":
        ids = shard_ids(session.project, session.suite, options.shard)
        session = replace(session, options=replace(options, only=ids))
    run = run_suite(session)
    save_log(session.project, run, session.say)
    return ran(run, declining_runs(session.project.history, run, session.suite).runs)
