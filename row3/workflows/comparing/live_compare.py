"""A comparison that asks a provider: what it asks beside the candidates, and which of the two moved where it blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from row3.domain.counts import count
from row3.domain.metrics import Metric
from row3.domain.scores import Usage
from row3.domain.verdicts import Reason, Verdict
from row3.errors import Row3Error, UsageError
from row3.gate.drift import sample_of, sample_size
from row3.gate.pairs import Pairs
from row3.gate.which_moved import by_sample, interleaved, not_known
from row3.reports.live_text import asked_now, saved_line, system_line
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite
from row3.workflows.asking.estimate import Beside
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.drift import ask_again, asking_again
from row3.workflows.comparing.live_comparer import LiveComparer
from row3.workflows.comparing.rescore import StoredCases
from row3.workflows.pipeline.run_header import usage_json
from row3.workflows.pipeline.run_suite import Run
from row3.workflows.session import Session


def comparer_for(session: Session, suite: Suite, baseline: SavedRun, paths: Callable[[str], Any]) -> Comparer:
    """Compares as the mode and the flags want it. Raises `UsageError` where an adaptive run is wanted and cannot be.

    Modes `live` and `record` ask the baseline's prompts again. `auto` does not: it asks for what is missing, and its
    comparison is of recordings, whenever they were made. What a system answers is held to what was saved.
    """
    if session.mode == "replay":
        return Comparer(session.project, suite, baseline, paths)
    if suite.system is not None:
        # It answers as it is now, whatever version is asked for: beside itself it could never fall.
        if session.live.adaptive:
            what = f"a suite that is answered by `{suite.system.type}` cannot be asked as it was at the baseline"
            raise UsageError(what, where="--adaptive", fix="Leave it out; --repeats averages")
        return LiveComparer(session.project, suite, baseline, paths, None)
    again = None
    if session.mode != "auto" and session.live.interleave:
        try:
            again = asking_again(session.project, suite, baseline.header, session.options.repeats)
        except Row3Error as error:
            if session.live.adaptive:
                raise UsageError(
                    f"the baseline's prompts cannot be asked again: {error}", where="--adaptive", fix="Leave it out"
                ) from None
            session.say(f"the baseline's prompts cannot be asked again: {error}")
    return LiveComparer(session.project, suite, baseline, paths, again)


def asked_beside(session: Session) -> Beside | None:
    """What a comparison of this session asks beside the candidates, for its plan. Raises as `comparer_for`."""
    baseline = read_baseline(session.project, session.suite)
    comparer = comparer_for(session, session.suite, baseline, StoredCases(session.project, session.suite))
    if not isinstance(comparer, LiveComparer) or comparer.again is None:
        return None
    return Beside(comparer.again, frozenset(baseline.ids()), session.live.max_repeats if session.live.adaptive else 1)


def tell_which_moved(session: Session, comparer: Comparer, comparison: Comparison) -> None:
    """Where answers were asked for and the gate blocks: did the provider change, or the prompt?

    Interleaved, the run itself says so. Else the baseline's prompts are asked again on a sample, and what that took is
    added to the run's usage.
    """
    if not isinstance(comparer, LiveComparer):
        return
    usage = comparison.run.usage
    # What an interrupted live run left was asked for too.
    asked = usage.requests - usage.replayed if session.mode == "auto" else usage.requests
    if comparer.again is None and asked:
        if comparer.suite.system is not None:
            comparison.differs.append(system_line(comparer.baseline.header.at))
            return
        why = "" if session.live.interleave or session.mode == "auto" else "--no-interleave"
        comparison.differs.append(saved_line(comparer.baseline.header.at, why))
        if session.mode == "auto":
            comparison.differs.append(asked_now(asked))
    own = [reason for reason in comparison.reasons if reason.verdict is Verdict.BLOCK and reason.cause == "answers"]
    if not own or not comparison.run.complete or comparison.verdict is not Verdict.BLOCK:
        return
    if comparer.again is not None:
        assert comparison.drift is not None
        fell = any(each.verdict is Verdict.BLOCK and (each.worse_by or 0.0) > each.limit for each in comparison.metrics)
        drift = comparison.drift.of(_told(comparer, comparison))
        text = interleaved(drift, fell=fell or bool(comparer.critical))[1]
    elif asked:
        text = _by_a_sample(session, comparer, comparison)
    else:
        return
    # It explains the block, so it stands first.
    comparison.reasons = (Reason(Verdict.BLOCK, text, cause="answers"), *comparison.reasons)


def _told(comparer: LiveComparer, comparison: Comparison) -> Metric:
    """The metric that the sentence is about: the primary one, unless only others block; then the worst of these."""
    kind = comparer.suite.kind
    named = {r.metric for r in comparison.reasons if r.verdict is Verdict.BLOCK and r.metric is not None}
    worst = max(
        (change for change in comparison.metrics if change.key in named and change.worse_by is not None),
        key=lambda change: change.worse_by or 0.0,
        default=None,
    )
    key = kind.primary if worst is None or kind.primary in named else worst.key
    return next(metric for metric in kind.metrics if metric.key == key)


def _by_a_sample(session: Session, comparer: LiveComparer, comparison: Comparison) -> str:
    """Which of the two moved, by asking the baseline's prompts again on some of the cases."""
    suite = comparer.suite
    known = list(comparer.latest)
    sample = sample_of(known, sample_size(len(known)), session.options.overrides.seed or 0)
    session.say(
        f"the gate blocks: asking the baseline's prompts again on {count(len(sample), 'case')}, "
        "to see which of the two moved"
    )
    try:
        asking = asking_again(session.project, suite, comparer.baseline.header, session.options.repeats)
        again = ask_again(session, suite, comparer.baseline, asking, sample)
    except Row3Error as error:
        return not_known(str(error))
    comparison.run = _with_usage(comparison.run, again.usage)
    if again.failed:
        case_id, problem = next(iter(again.failed.items()))
        return not_known(f"{case_id}: {problem}")
    comparison.drift = again.drift
    told = _told(comparer, comparison)
    beside = Pairs(suite.kind)
    for case_id, metrics in again.metrics.items():
        beside.add(metrics, comparer.latest[case_id])
    return by_sample(again.drift.of(told), beside.interval(told))[1]


def _with_usage(run: Run, more: Usage) -> Run:
    """The run with what the sample took; latencies stay those of the run itself."""
    held = run.usage
    usd = None if held.cost_usd is None or more.cost_usd is None else held.cost_usd + more.cost_usd
    usage = replace(
        held,
        requests=held.requests + more.requests,
        replayed=held.replayed + more.replayed,
        prompt_tokens=held.prompt_tokens + more.prompt_tokens,
        completion_tokens=held.completion_tokens + more.completion_tokens,
        cost_usd=usd,
        truncated=held.truncated + more.truncated,
    )
    return replace(run, usage=usage, header=run.header.model_copy(update={"usage": usage_json(usage)}))
