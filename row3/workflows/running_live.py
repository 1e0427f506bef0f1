"""Running a suite where a provider is asked: for all, for the rest of what is recorded, or for both sides at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from row3.domain.counts import count
from row3.domain.prompts import Lineup
from row3.errors import UsageError
from row3.gate.adaptive import Standing
from row3.store.cases import CaseFiles
from row3.store.suites import Suite
from row3.workflows.asking.answering import Silent
from row3.workflows.asking.budget import pricing
from row3.workflows.asking.interleaved import Adaptive, InterleavedRun
from row3.workflows.asking.live import LiveRun
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.results import Before, CaseResult, Packing
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.session import Session

NAMED = 3
"""Cases without a recording that a message names."""


@dataclass(slots=True)
class Interleaving:
    """The base's side of a comparison that asks both sides in one run, and what came of it."""

    again: Asking
    has: Callable[[str], bool]
    """Whether the base has a case of that id."""
    adaptive: Adaptive | None = None
    rounds: int = 0
    standing: Standing | None = None
    unfinished: dict[str, str] = field(default_factory=dict)
    """Cases that wait for the answers of their last round, and why."""


def asked(
    session: Session,
    suite: Suite,
    asking: Asking,
    *,
    before: Before | None = None,
    interleaving: Interleaving | None = None,
) -> Iterable[CaseResult]:
    """The results of a run in which everything is asked; `interleaving` is told how it went."""
    live = _live(session, suite, asking, session.options, before=before)
    if interleaving is None:
        results = live.results()
        session.answers = live.lines
        return results
    both = InterleavedRun(live, interleaving.again, interleaving.has, interleaving.adaptive)
    results = both.results()
    interleaving.rounds, interleaving.standing = both.rounds, both.standing
    interleaving.unfinished = both.unfinished
    return results


def _live(session: Session, suite: Suite, asking: Asking, options: RunOptions, *, before: Before | None) -> LiveRun:
    return LiveRun(
        session.project,
        suite,
        asking,
        options,
        session.mode,
        session.observer or Silent(),
        pricing(session.project, session.suite),
        session.say,
        Packing(suite, options.explain, before, options.page),
        session.budget,
        afterwards=session.afterwards,
    )


def asking_for_the_rest(
    replayed: Iterable[CaseResult],
    session: Session,
    suite: Suite,
    asking: Asking,
    *,
    before: Before | None,
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
        try:
            again = _live(session, suite, asking, options, before=before).results()
        except UsageError as error:
            raise _cannot_ask(error, [result.case_id for result in waiting if result.status == "failed"]) from None
        asked = {result.case_id: result for result in again}
        waiting = [asked.get(result.case_id, result) for result in waiting]
    yield from waiting


def _cannot_ask(error: UsageError, missing: Sequence[str]) -> UsageError:
    """What a provider lacks, after the reason for which it is needed: these cases have no recording."""
    which = ", ".join(missing[:NAMED]) + (f" and {len(missing) - NAMED:,} more" if len(missing) > NAMED else "")
    have = count(len(missing), "case has", "cases have")
    return UsageError(
        f"{have} no recording ({which}), and mode auto asks for what is not recorded: {error.what}",
        where=error.where,
        fix=f"{error.fix}; or see with --mode replay which recording is the nearest",
    )


def asked_for_cases(session: Session, suite: Suite, asking: Asking, cases: Iterable[str]) -> list[CaseResult]:
    """Ask for what is not recorded of these cases, and record it; raises as `LiveRun.results`."""
    options = replace(session.options, only=frozenset(cases), case=None, explain=False)
    live = _live(session, suite, asking, options, before=None)
    live.mode = "auto"
    return live.results()


def record_missing(session: Session, lineup: Lineup, missing: Sequence[str], cases: CaseFiles) -> None:
    """Ask a lineup for what is not recorded of these cases, wherever they are, and record it.

    Raises as `LiveRun.results`.
    """
    options = replace(session.options, only=frozenset(missing), case=None, explain=False)
    live = _live(session, session.suite, make_asking(session.suite, lineup, session.options), options, before=None)
    live.mode, live.files = "auto", cases
    try:
        live.results()
    except UsageError as error:
        raise _cannot_ask(error, sorted(set(missing))) from None
