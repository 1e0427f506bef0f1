"""Running a suite in whatever mode, and plain `row3`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from row3.store.history import read_history
from row3.store.project import Project, Suite
from row3.workflows.compare import declining_runs
from row3.workflows.lineup import Lineup, Role, line_up
from row3.workflows.live import live
from row3.workflows.results import CaseResult
from row3.workflows.run_suite import OnResult, Run, collect, header_for, make_asking, replay
from row3.workflows.session import Session, save_log


def run_suite(
    session: Session,
    *,
    role: Role = "candidate",
    suite: Suite | None = None,
    files: list[Path] | None = None,
    on_result: OnResult | None = None,
    lineup: Lineup | None = None,
) -> Run:
    """Run the suite's cases under the promoted or the candidate prompts."""
    suite = suite or session.suite
    lineup = lineup or line_up(session.project, suite, role=role, named=session.named)
    asking = make_asking(suite, lineup, session.options)
    head = header_for(suite, asking, mode=session.mode)
    session.announce(lineup, head["model"], session.mode)
    results: Iterable[CaseResult]
    if session.mode == "replay":
        results = replay(session.project, suite, asking, session.options, files)
    elif session.mode == "auto" and _all_recorded(session, suite, lineup):
        results = replay(session.project, suite, asking, session.options, files)
    else:
        project = session.project
        results = live(
            project, suite, asking, session.options, session.mode, observer=session.observer,
            cost=_pricing(project), say=session.say,
        )
    return collect(
        results, suite, lineup, head, partial=session.options.partial, on_result=on_result, cost=_pricing(session.project)
    )


def _all_recorded(session: Session, suite: Suite, lineup: Lineup) -> bool:
    """Whether a replay would miss nothing; asked of `auto`, so that it is as fast as replay where it can be."""
    quick = replace(session.options, explain=False)
    asking = make_asking(suite, lineup, quick)
    return all(result.status != "failed" for result in replay(session.project, suite, asking, quick))


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
