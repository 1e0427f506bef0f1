"""Running a suite in whatever mode, and plain `row3`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from row3.store.history import read_history
from row3.store.project import Project, Suite
from row3.workflows.compare import Comparer
from row3.workflows.evaluate import Asking
from row3.workflows.evidence import declining_runs
from row3.workflows.lineup import Lineup, Role, line_up
from row3.workflows.live import Cost, LiveRun, Silent
from row3.workflows.results import CaseResult, Compare, Packing
from row3.workflows.run_header import header_for
from row3.workflows.run_suite import Run, RunOptions, collect, make_asking, replay
from row3.workflows.session import Session, save_log


def run_suite(
    session: Session,
    *,
    role: Role = "candidate",
    suite: Suite | None = None,
    files: list[Path] | None = None,
    comparer: Comparer | None = None,
    lineup: Lineup | None = None,
) -> Run:
    """Run the suite's cases under the promoted or the candidate prompts."""
    suite = suite or session.suite
    lineup = lineup or line_up(session.project, suite, role=role, named=session.named)
    asking = make_asking(suite, lineup, session.options)
    head = header_for(suite, asking, mode=session.mode)
    cost = _pricing(session.project)
    compare, take = (None, None) if comparer is None else (comparer.case, comparer.take)
    results: Iterable[CaseResult]
    if session.mode in ("replay", "auto"):
        results = replay(session.project, suite, asking, session.options, files, compare=compare)
        if session.mode == "auto":
            results = _asking_for_the_rest(results, session, suite, asking, cost=cost, compare=compare)
    else:
        results = _live(session, suite, asking, session.options, cost=cost, compare=compare).results()
    return collect(results, suite, lineup, head, partial=session.options.partial, take=take, cost=cost)


def _live(
    session: Session, suite: Suite, asking: Asking, options: RunOptions, *, cost: Cost, compare: Compare | None
) -> LiveRun:
    packing = Packing(suite, options.explain, compare)
    return LiveRun(
        session.project, suite, asking, options, session.mode, session.observer or Silent(), cost, session.say, packing
    )


def _asking_for_the_rest(
    replayed: Iterable[CaseResult],
    session: Session,
    suite: Suite,
    asking: Asking,
    *,
    cost: Cost,
    compare: Compare | None,
) -> Iterator[CaseResult]:
    """Mode `auto`: what is recorded as it is, the rest from the provider, all in the order of the files.

    While nothing is missing, results stream; from the first miss on they wait for the provider.
    """
    waiting: list[CaseResult] = []
    for result in replayed:
        if result.status == "failed" or waiting:
            waiting.append(result)
        else:
            yield result
    missing = frozenset(result.case_id for result in waiting if result.status == "failed")
    if missing:
        options = replace(session.options, only=missing, case=None)
        asked = {
            result.case_id: result
            for result in _live(session, suite, asking, options, cost=cost, compare=compare).results()
        }
        waiting = [asked.get(result.case_id, result) for result in waiting]
    yield from waiting


def _pricing(project: Project) -> Callable[[str, int, int], float | None]:
    from row3.providers.pricing import Price, cost_usd

    prices = {name: Price(price.input, price.output) for name, price in project.config.prices.items()}
    return lambda model, prompt, completion: cost_usd(model, prompt, completion, prices)


@dataclass(slots=True)
class Announced:
    """A run with what its scorecard says beside the numbers."""

    run: Run
    declines: int


def plain_run(session: Session) -> Announced:
    """Run the candidates and show the scorecard; nothing is judged."""
    run = run_suite(session)
    history = read_history(session.project.root)
    save_log(session, run)
    return Announced(run, declining_runs(history, run, session.suite))
