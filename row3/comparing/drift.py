"""Ask the baseline's prompts again: interleaved with the candidates, so that drift moves both, or for `row3 drift`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from row3.comparing.base_side import BaseSide, baseline_lineup, baseline_side, side_of_lineup
from row3.comparing.baseline import read_baseline
from row3.comparing.comparison import Comparer
from row3.domain.requests import RECORDED_ONLY
from row3.domain.runs import Manifest
from row3.domain.scores import Spent
from row3.domain.words import count
from row3.errors import InvalidFile, NotServedError, Row3Error, UsageError
from row3.gate.drift import CaseDrift, Drift, DriftCheck, drift_of, sample_of, sample_size
from row3.gate.pairs import align_metrics
from row3.gate.results import Drifted, Run
from row3.project.criteria import in_force
from row3.project.project import Project, baseline_tier, has_baseline
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.case_results import Packing
from row3.running.collect import usage_of, with_usage
from row3.running.evaluate import Asking
from row3.running.interleaved import Interleaving
from row3.running.lineup import line_up
from row3.running.live import LiveRun
from row3.running.replay import open_recordings
from row3.running.session import Session
from row3.running.stages import parameters_from


def interleaving_of(session: Session, baseline: Manifest) -> Interleaving | None:
    """Return how to ask the baseline's prompts in the same run; None to use its recorded answers.

    A system has no earlier version to ask.
    """
    suite = session.suite
    if suite.system is not None or not session.command.live.interleave:
        return None
    model = session.options.overrides.model or suite.provider.model
    try:
        again = baseline_asking(session.project, suite, baseline, session.options.repeats, model)
    except Row3Error as error:
        session.say(f"the baseline's prompts cannot be asked again: {error}")
        return None
    by_hand = any(each.get("model") == RECORDED_ONLY for each in baseline.parameters.values())
    if by_hand:
        session.say(f"the baseline's answers were made by hand: asking its prompts with `{model}` too")
    return Interleaving(again, baseline.cases.__contains__, substitute=model if by_hand else None)


def baseline_asking(
    project: Project, suite: Suite, baseline: Manifest, repeats: int, substitute: str | None = None
) -> Asking:
    """Return how to ask the baseline's prompts; `substitute` replaces a model that no provider serves.

    Raises `InvalidFile` if a prompt is gone or was edited, `NotServedError` for such a model without a `substitute`.
    """
    lineup = baseline_lineup(project, suite, baseline)
    parameters = {name: parameters_from(each) for name, each in baseline.parameters.items()}
    for name, each in parameters.items():
        if each.model == RECORDED_ONLY:
            if substitute is None:
                what = f"its answers were made by hand, and no provider serves `{RECORDED_ONLY}`"
                fix = "Save a live baseline: `row3 --baseline --mode live --model MODEL`"
                raise NotServedError(what, where=project.baseline(suite.name, baseline.tier), fix=fix)
            parameters[name] = replace(each, model=substitute)
    return Asking(suite, lineup, parameters, repeats)


def ask_again(session: Session, suite: Suite, side: BaseSide, asking: Asking, ids: Sequence[str]) -> DriftCheck:
    """Ask about these cases again, live, without recording the answers. Raises as `LiveRun.results`."""
    cost = prices_of(session.project, session.suite, known_models=True).usd
    options, packing = replace(session.options, only=frozenset(ids)), Packing(suite, before=side.score)
    live = LiveRun(session, asking, options, "live", packing, kind="drift")
    comparer, primary = Comparer(suite), suite.kind.primary
    cases: list[CaseDrift] = []
    spent: list[Spent] = []
    failed: dict[str, str] = {}
    for score in live.results():
        comparer.take(score)
        spent += score.spent
        if score.status == "failed":
            failed[score.case_id] = score.problem
            continue
        if (base := score.base) is None:
            cases.append(CaseDrift(score.case_id, None, score.metrics.get(primary), False))
            continue
        then, now = align_metrics(suite.kind, (base.metrics, score.metrics))
        same = base.answers == score.answers != ()
        cases.append(CaseDrift(score.case_id, then.get(primary), now.get(primary), same))
    drift = drift_of(comparer.pairs, suite.kind.metrics, suite.policy, primary, same=sum(case.same for case in cases))
    return DriftCheck(drift, tuple(cases), failed, usage_of(spent, cost))


def drift_by_sample(session: Session, side: BaseSide, run: Run, ids: Sequence[str]) -> tuple[Run, Drift | None]:
    """Ask the baseline's prompts again on a sample of cases; return the run with that usage, and the drift if known."""
    project, suite = session.project, session.suite
    sample = sample_of(ids, sample_size(len(ids)), session.options.overrides.seed or 0)
    session.say(
        f"the gate blocks: asking the baseline's prompts again on {count(len(sample), 'case')}, "
        "to see whether the prompt or the provider moved"
    )
    try:
        asking = baseline_asking(project, suite, read_baseline(project, suite), session.options.repeats)
        again = ask_again(session, suite, side, asking, sample)
    except Row3Error as error:
        session.say(f"cannot tell whether the prompt or the provider moved: {error}")
        return run, None
    run = with_usage(run, again.usage)
    if again.failed:
        case_id, problem = next(iter(again.failed.items()))
        session.say(f"cannot tell whether the prompt or the provider moved: {case_id}: {problem}")
        return run, None
    return run, again.drift


def drift(session: Session, *, sample: int | None = None, seed: int = 0, recordings: bool = False) -> Drifted:
    """Ask the baseline's prompts again, live, for a sample of cases, and compare with the baseline's answers.

    With `recordings`, or without a baseline: compare with the recordings of the promoted or named prompts. Raises
    `InvalidFile`, `UsageError`, `ProviderStopped`.
    """
    session = session.switched("live")
    project, suite = session.project, session.suite
    recordings = recordings or not has_baseline(project, suite)
    if recordings:
        lineup = line_up(project, suite, role="promoted", named=session.options.named)
        side, source = side_of_lineup(suite, lineup, open_recordings(project, suite)), f"recordings/{suite.name}"
        asking = replace(side.asking, repeats=session.options.repeats)
    else:
        side, source = baseline_side(project, suite), project.baseline(suite.name, baseline_tier(project, suite))
        asking = baseline_asking(project, suite, read_baseline(project, suite), session.options.repeats)
    answered = [
        stored.id
        for stored in project.cases_of(suite)
        if (found := side.score(stored)) is not None and found.status != "failed"
    ]
    if recordings and not answered:
        flag, which = suite.flag, "these prompts" if session.options.named else "the promoted prompts"
        fix = f"Record them with `row3 --mode record{flag}`, or save a baseline with `row3 --baseline{flag}`"
        raise InvalidFile(f"no recordings of {which}", where=source, fix=fix)
    quarantined = {entry.case_id for entry in in_force(project, suite).active}
    ids = [each for each in answered if each not in quarantined and session.options.wants(each)]
    if len(ids) < 2:
        what = f"row3 can ask about {count(len(ids), 'case')} again, and drift needs two or more"
        fix = f"Choose more cases, or save a baseline with `row3 --baseline{suite.flags('row3 --baseline')}`"
        raise UsageError(what, where=source, fix=fix)
    chosen = sample_of(ids, sample_size(len(ids)) if sample is None else sample, seed)
    again = ask_again(session, suite, side, asking, chosen)
    return Drifted(suite, side.header, source, chosen, len(ids), seed, again)
