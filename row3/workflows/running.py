"""Running a suite in whatever mode, and plain `row3`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from row3.errors import EnvironmentFault, InvalidFile
from row3.store.cases import CaseFiles, read_case
from row3.store.golden import golden_files
from row3.store.history import read_history
from row3.store.suites import Suite
from row3.workflows.asking.budget import pricing
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.evidence import declining_runs
from row3.workflows.history.quarantine import in_force
from row3.workflows.pipeline.lineup import Lineup, Role, line_up
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.pipeline.run_header import header_for
from row3.workflows.pipeline.run_suite import Run, collect, make_asking, replay
from row3.workflows.pipeline.unused_input import unused_inputs
from row3.workflows.session import Session, save_log


def run_suite(
    session: Session,
    *,
    role: Role = "candidate",
    suite: Suite | None = None,
    files: CaseFiles | None = None,
    comparer: Comparer | None = None,
    lineup: Lineup | None = None,
    may_lack: Collection[str] = (),
) -> Run:
    """Run the suite's cases under the promoted or the candidate prompts, without those that `may_lack` an answer."""
    suite = suite or session.suite
    lineup = lineup or line_up(session.project, suite, role=role, named=session.named)
    tell_unused_inputs(session, suite, lineup, files)
    asking = make_asking(suite, lineup, session.options)
    head = header_for(suite, asking, mode=session.mode)
    held = in_force(session.project, suite, files)
    cost = pricing(session.project, session.suite)
    unfinished: dict[str, str] = {}
    compare, take = (None, None) if comparer is None else (comparer.case, comparer.take)
    results: Iterable[CaseResult]
    if session.mode in ("replay", "auto"):
        results = replay(session.project, suite, asking, session.options, files, compare=compare)
        if session.mode == "auto":
            from row3.workflows.asking.running_live import (
                asking_for_the_rest,  # what replay does without is not imported
            )

            results = asking_for_the_rest(results, session, suite, asking, compare=compare)
    else:
        from row3.workflows.asking.running_live import asked

        results = asked(session, suite, asking, head, unfinished, comparer=comparer, held=held)
    run = collect(
        results,
        suite,
        lineup,
        head,
        partial=session.options.partial,
        take=take,
        cost=cost,
        quarantine=held,
        may_lack=may_lack,
    )
    if comparer is not None:
        comparer.cut = session.budget is not None and session.budget.cut
    return _with_unfinished(run, unfinished) if unfinished else run


def tell_unused_inputs(session: Session, suite: Suite, lineup: Lineup, files: CaseFiles | None = None) -> None:
    """Say, once a command, which prompts do not show what a case gives them; before anything is asked."""

    def inputs() -> Iterator[Mapping[str, Any]]:
        tree, paths = files or CaseFiles(session.project.tree, golden_files(session.project.tree, suite.golden))
        return (suite.kind.variables(read_case(tree, path, suite.kind).case) for path in paths)

    with suppress(InvalidFile, EnvironmentFault):  # of a case: the run itself says what is wrong
        for prompt, unused in unused_inputs(suite.kind, suite.rules, lineup.prompts, inputs):
            if prompt.path not in session.warned:
                session.warned.add(prompt.path)
                session.say(f"{prompt.path}:{unused.line} {unused.message}")


def _with_unfinished(run: Run, unfinished: dict[str, str]) -> Run:
    """The run with the cases that wait for the answers of their last round: it is incomplete, and shows what it has."""
    run.collected.failed.extend(unfinished)
    run.problems.extend(unfinished.items())
    return replace(run, header=run.header.model_copy(update={"complete": False}))


@dataclass(slots=True)
class Announced:
    """A run with what its scorecard says beside the numbers."""

    run: Run
    declines: int


def plain_run(session: Session) -> Announced:
    """Run the candidates and show the scorecard; nothing is judged."""
    run = run_suite(session)
    history = read_history(session.project.tree)
    save_log(session, run)
    return Announced(run, declining_runs(history, run, session.suite))
