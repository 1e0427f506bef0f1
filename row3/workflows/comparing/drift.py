"""`row3 drift`: the baseline's own prompts asked again on a sample, to see whether the provider changed."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from row3.domain.counts import count
from row3.domain.runs import BaseHeader
from row3.domain.scores import Usage
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.gate.drift import CaseThen, Drift, drift_of, sample_of, sample_size
from row3.gate.pairs import Pairs
from row3.gate.results import Run
from row3.gate.silence import both_sides
from row3.store.cases import StoredCase, read_cases
from row3.store.other_suites import no_case_fits
from row3.store.project import Project
from row3.store.recordings import open_index
from row3.store.suites import Suite, baseline_tier, has_baseline
from row3.workflows.asking.answering import LASTS_H
from row3.workflows.asking.live import LiveRun
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.comparing.live import asking_again
from row3.workflows.comparing.sides import BaseSide, baseline_side, side_of_lineup
from row3.workflows.pipeline.budget import pricing
from row3.workflows.pipeline.collecting import UsageMeter
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.results import Packing
from row3.workflows.pipeline.run_header import usage_json
from row3.workflows.pipeline.stages import Overrides
from row3.workflows.quarantine import in_force
from row3.workflows.session import Session


@dataclass(slots=True)
class Again:
    """What the baseline's prompts answer now, beside what they answered then."""

    drift: Drift
    asked: int
    failed: dict[str, str]
    """Cases without an answer, and why."""
    usage: Usage
    cases: tuple[CaseThen, ...]
    """Those that have an answer now."""


def ask_again(session: Session, suite: Suite, side: BaseSide, asking: Asking, ids: Sequence[str]) -> Again:
    """Ask these cases again, live; nothing of it is recorded. Raises as `LiveRun.results`."""
    cost = pricing(session.project, session.suite)
    options, packing = replace(session.options, only=frozenset(ids), case=None), Packing(suite, before=side.score)
    live = LiveRun(session, asking, options, "live", packing, kind="drift", lasts_h=LASTS_H)
    results = live.results()
    pairs, same, meter = Pairs(suite.kind), 0, UsageMeter(cost)
    cases: list[CaseThen] = []
    primary = suite.kind.primary
    for result in results:
        for spent in result.spent:
            meter.add(spent)
        compared = result.compared
        before = None if compared is None else compared.before
        word_for_word = compared is not None and compared.answers == result.answers != ()
        if result.status != "failed":
            then, now = (None, result.metrics) if before is None else both_sides(suite.kind, before, result.metrics)
            saved = None if then is None else then.get(primary)
            cases.append(CaseThen(result.case_id, saved, now.get(primary), word_for_word))
        if compared is None or before is None or result.status == "failed":
            continue
        pairs.add(
            before,
            result.metrics,
            source=result.source,
            repeats=(compared.repeats, result.repeats),
            spreads=(compared.spread, result.spread),
        )
        same += word_for_word
    drift = drift_of(pairs, suite.kind.metrics, suite.policy, primary, same=same)
    failed = {result.case_id: result.problem for result in results if result.status == "failed"}
    return Again(drift, len(results), failed, meter.usage(), tuple(cases))


def drift_by_sample(session: Session, side: BaseSide, run: Run, ids: Sequence[str]) -> tuple[Run, Drift | None]:
    """Ask the baseline's prompts again on some of these cases: did the provider move, or the prompt?

    Returns the run with what that took, and no drift where they cannot be asked.
    """
    project, suite = session.project, session.suite
    sample = sample_of(ids, sample_size(len(ids)), session.options.overrides.seed or 0)
    session.say(
        f"the gate blocks: asking the baseline's prompts again on {count(len(sample), 'case')}, "
        "to see which of the two moved"
    )
    try:
        asking = asking_again(project, suite, read_baseline(project, suite), session.options.repeats)
        again = ask_again(session, suite, side, asking, sample)
    except Row3Error as error:
        session.say(f"which of the two moved is not known: {error}")
        return run, None
    run = _with_usage(run, again.usage)
    if again.failed:
        case_id, problem = next(iter(again.failed.items()))
        session.say(f"which of the two moved is not known: {case_id}: {problem}")
        return run, None
    return run, again.drift


def _with_usage(run: Run, more: Usage) -> Run:
    """The run with what the sample took; latencies stay those of the run itself."""
    held = run.usage
    usage = replace(
        held,
        requests=held.requests + more.requests,
        replayed=held.replayed + more.replayed,
        prompt_tokens=held.prompt_tokens + more.prompt_tokens,
        completion_tokens=held.completion_tokens + more.completion_tokens,
        cost_usd=None if held.cost_usd is None or more.cost_usd is None else held.cost_usd + more.cost_usd,
        truncated=held.truncated + more.truncated,
    )
    return replace(run, usage=usage, header=structs.replace(run.header, usage=usage_json(usage)))


@dataclass(slots=True)
class Drifted:
    """What `row3 drift` found."""

    suite: Suite
    then: BaseHeader
    """The baseline, or the recordings of the promoted prompts."""
    source: str
    sample: list[str]
    of: int
    """Cases there are to take a sample of."""
    seed: int
    again: Again
    recorded: tuple[str, str] | None = None
    """When the first and the last of the recordings were made, where these are what it is compared with."""

    @property
    def complete(self) -> bool:
        """Every case of the sample has an answer."""
        return not self.again.failed

    @property
    def moved(self) -> bool:
        """The provider is shown to have moved."""
        return self.again.drift.state == "moved"


def drift(session: Session, *, sample: int | None = None, seed: int = 0, recordings: bool = False) -> Drifted:
    """Ask the baseline's prompts again, live, on a sample, and compare with what they answered then.

    Without a baseline, or where `recordings` asks for it, the recordings of the promoted prompts (or of those that are
    named) are what they answered. Raises `InvalidFile`, `UsageError`, `ProviderStopped`.
    """
    _refuse(session, sample, recordings=recordings)
    session.switch("live")
    project, suite = session.project, session.suite
    if recordings or not has_baseline(project, suite):
        side, source = _recorded(project, suite, session.named), f"recordings/{suite.name}"
        asking = replace(side.asking, repeats=session.options.repeats)
    else:
        baseline = read_baseline(project, suite)
        side, source = baseline_side(project, suite), project.baseline(suite.name, baseline_tier(project, suite))
        asking = asking_again(project, suite, baseline, session.options.repeats)
    waiting = {entry.case_id for entry in in_force(project, suite).active}
    pattern = session.options.case
    ids = [
        stored.id
        for stored in read_cases(project.tree, suite.golden, suite.kind)
        if stored.id not in waiting
        and (not pattern or fnmatch.fnmatchcase(stored.id, pattern))
        and (answered := side.score(stored)) is not None
        and answered[0].status != "failed"
    ]
    if pattern and not ids:
        raise no_case_fits(project, suite, pattern, fix="Correct --case")
    if len(ids) < 2:
        raise UsageError(
            f"{count(len(ids), 'case')} can be asked again, and a drift is seen in two or more",
            where=source,
            fix=f"Correct --case, or make a baseline with `row3 --baseline{suite.flags('row3 --baseline')}`",
        )
    chosen = sample_of(ids, sample_size(len(ids)) if sample is None else sample, seed)
    again = ask_again(session, suite, side, asking, chosen)
    again = replace(again, drift=again.drift.worst_of(suite.kind.metrics))
    dates = _dates(project, suite, side.header, chosen) if source.startswith("recordings/") else None
    return Drifted(suite, side.header, source, chosen, len(ids), seed, again, dates)


def _dates(project: Project, suite: Suite, header: BaseHeader, ids: Sequence[str]) -> tuple[str, str] | None:
    """When the first and the last of the recordings that were asked again were made."""
    index, prompts = open_index(project.tree, suite.name), {f"{n}-{v}" for n, v in header.prompts.items()}
    dates = [
        recording.recorded_at
        for case_id in ids
        for recording in index.of_case(case_id)
        if recording.prompt in prompts and recording.recorded_at
    ]
    return (min(dates), max(dates)) if dates else None


def _refuse(session: Session, sample: int | None, *, recordings: bool) -> None:
    if session.options.mode not in (None, "live"):
        raise UsageError("drift asks the provider", where="--mode", fix="Leave it out")
    if sample is not None and sample < 2:
        raise UsageError("a drift is seen in two cases or more", where="--sample", fix="Ask for 2 or more")
    if session.options.overrides != Overrides():
        raise UsageError(
            f"drift asks with the model and parameters of the {'recordings' if recordings else 'baseline'}",
            where="--model, --temperature, --max-tokens",
            fix="Leave them out",
        )
    if session.named and not recordings:
        raise UsageError("drift asks the baseline's prompts", where="--prompt", fix="Leave it out")


def _recorded(project: Project, suite: Suite, named: Sequence[str]) -> BaseSide:
    """The recordings of the promoted prompts, or of those that are named, as a side."""
    lineup = line_up(project, suite, role="promoted", named=named)
    index = open_recordings(project, suite)
    side = side_of_lineup(suite, lineup, index)
    if all(answered is None or answered[0].status == "failed" for answered in map(side.score, _stored(project, suite))):
        which = "these prompts" if named else "the promoted prompts"
        fix = (
            f"Record them with `row3 --mode record{suite.flag}`, or make a baseline with `row3 --baseline{suite.flag}`"
        )
        raise InvalidFile(f"there is no recording of {which}", where=f"recordings/{suite.name}", fix=fix)
    return side


def _stored(project: Project, suite: Suite) -> Iterator[StoredCase]:
    return read_cases(project.tree, suite.golden, suite.kind)
