"""Running a suite where a provider is asked: for all, for the rest of what is recorded, or for both sides at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from row3.domain.counts import count
from row3.domain.quarantine import Quarantine
from row3.domain.verdicts import Compared
from row3.errors import UsageError
from row3.store.run_records import CaseRecord, parse_record
from row3.store.suites import Suite
from row3.workflows.asking.answering import Silent
from row3.workflows.asking.budget import pricing
from row3.workflows.asking.interleaved import InterleavedRun
from row3.workflows.asking.live import LiveRun
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.live_comparer import LiveComparer
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.results import CaseResult, Compare, Packing
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import Session

NAMED = 3
"""Cases without a recording that a message names."""


def asked(
    session: Session,
    suite: Suite,
    asking: Asking,
    head: dict[str, Any],
    unfinished: dict[str, str],
    *,
    comparer: Comparer | None,
    held: Quarantine,
) -> Iterable[CaseResult]:
    """The results of a run in which everything is asked.

    Interleaved with the baseline's prompts where the comparer wants that; `head` is then told how often each case was
    asked, and `unfinished` which cases wait for the answers of their last round, and why.
    """
    if not isinstance(comparer, LiveComparer) or comparer.again is None:
        compare = None if comparer is None else comparer.case
        return _live(session, suite, asking, session.options, compare=compare).results()
    resting = frozenset(entry.case_id for entry in held.active)
    both = _both(session, suite, asking, comparer.again, comparer=comparer, resting=resting)
    live = both.live

    def packing_for(before: CaseResult | None) -> Packing:
        if before is None:
            return live.packing
        record = parse_record(before.line, where=before.case_id)
        compare = partial(_against, comparer, record, before.repeats)
        return replace(live.packing, compare=compare)

    results = [now for _, now in both.pairs(packing_for)]
    head["repeats"], comparer.standing = both.rounds, both.standing
    unfinished.update(both.unfinished)
    return results


def _live(session: Session, suite: Suite, asking: Asking, options: RunOptions, *, compare: Compare | None) -> LiveRun:
    return LiveRun(
        session.project,
        suite,
        asking,
        options,
        session.mode,
        session.observer or Silent(),
        pricing(session.project, session.suite),
        session.say,
        Packing(suite, options.explain, compare, options.page),
        session.budget,
        afterwards=session.afterwards,
    )


def _both(
    session: Session,
    suite: Suite,
    asking: Asking,
    again: Asking,
    *,
    comparer: LiveComparer,
    resting: frozenset[str],
) -> InterleavedRun:
    """The candidates and the baseline's prompts, asked in one run; cases in quarantine rest."""
    adaptive = None
    if session.live.adaptive:
        adaptive = comparer.adaptive(session.live.max_repeats, resting)
    live = _live(session, suite, asking, session.options, compare=comparer.case)
    return InterleavedRun(live, again, lambda case_id: comparer.baseline.record(case_id) is not None, adaptive)


def _against(comparer: LiveComparer, before: CaseRecord, repeats: int, record: CaseRecord) -> Compared:
    return comparer.case.against(record, before, repeats)


def asking_for_the_rest(
    replayed: Iterable[CaseResult],
    session: Session,
    suite: Suite,
    asking: Asking,
    *,
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
        try:
            again = _live(session, suite, asking, options, compare=compare).results()
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
    live = _live(session, suite, asking, options, compare=None)
    live.mode = "auto"
    return live.results()
