"""`row3 power`: how small a drop the suite detects, and what it takes to detect a smaller one.

It plans from the baseline and the candidate's recordings; else from the repeats of one setting.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from row3.domain.counts import part
from row3.domain.metrics import Metric
from row3.errors import InvalidFile, UsageError
from row3.gate.pairs import Pairs
from row3.gate.power import plan_metric
from row3.gate.suite_findings import PowerReport, PowerSource
from row3.metrics.aggregate import mean_and_spread
from row3.store.cases import source_of
from row3.store.other_suites import cases_of
from row3.store.suites import Suite, has_baseline
from row3.workflows.comparing.compare import beside_baseline
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.run_suite import make_asking
from row3.workflows.quarantine import in_force
from row3.workflows.recorded.recorded_scores import RecordedScores, setting_of, setting_of_asking
from row3.workflows.session import Session


@dataclass(frozen=True, slots=True)
class Found:
    """Pairs of values to plan from, and where they are from."""

    pairs: Pairs
    source: PowerSource


class _NotThereError(Exception):
    """There is nothing of this kind to plan from."""


def sources(session: Session, repeats: int | None, tried: list[str]) -> Iterator[Found]:
    """What there is to plan from, best first; `tried` is told of what is not there. Raises as a run does."""
    for find in (_replayed, _repeated):
        try:
            yield find(session, repeats)
        except _NotThereError as error:
            tried.append(str(error))


def _replayed(session: Session, repeats: int | None) -> Found:
    """The baseline beside a strict replay of the candidates, with as many repeats as all cases have recorded."""
    project, suite = session.project, session.suite
    if not has_baseline(project, suite):
        raise _NotThereError("there is no baseline")
    most = _recorded_repeats(session) if repeats is None else repeats
    for count in dict.fromkeys((most, repeats or 1)):
        options = replace(session.options, mode="replay", repeats=count, explain=False)
        scored, side = beside_baseline(replace(session, options=options))
        run = scored.run
        if run.complete:
            break
    else:
        raise _NotThereError(
            f"{part(len(run.failed), run.cases, 'case', 'has', 'have')} no recorded answer of the candidate"
        )
    before, after = setting_of(side.header).title, setting_of(run.header).title
    counts = (side.header.repeats, run.header.repeats)
    return Found(scored.comparer.pairs, PowerSource("replay", "the baseline and the candidate", before, after, counts))


def _recorded_repeats(session: Session) -> int:
    """The highest number of answers that the first prompt's candidate has recorded for a case."""
    lineup = line_up(session.project, session.suite, role="candidate", named=session.named)
    first = str(lineup.prompts[0].ref)
    index = open_recordings(session.project, session.suite)
    return 1 + max((recording.repeat for recording in index.all() if recording.prompt == first), default=0)


def _repeated(session: Session, repeats: int | None) -> Found:
    """The first half of the recorded repeats beside the second: a comparison in which nothing changed."""
    project, suite = session.project, session.suite
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=session.named), session.options)
    own = setting_of_asking(asking)
    # A system has no prompts of which others could count.
    prompts = [] if suite.system is not None else [str(prompt.ref) for prompt in asking.lineup.prompts]
    recorded = RecordedScores(project, suite, prompts)
    pairs, left_out = Pairs(suite.kind), {entry.case_id for entry in in_force(project, suite).active}
    counts = []
    for stored in cases_of(project, suite, session.options.case):
        answers = [each.score.metrics for each in recorded.scores(stored) if each.setting == own][:repeats]
        half = len(answers) // 2
        if not half or stored.id in left_out:
            continue
        counts.append(len(answers))
        (before, spread_before), (after, spread_after) = _mean(answers[:half]), _mean(answers[half:])
        pairs.add(
            before,
            after,
            source=source_of(stored.case),
            repeats=(half, len(answers) - half),
            spreads=(spread_before, spread_after),
        )
    if not counts:
        raise _NotThereError("no request has several recorded answers")
    half = min(counts) // 2
    return Found(
        pairs,
        PowerSource("repeats", "repeats of one setting", own.title, own.title, (half, min(counts) - half)),
    )


def _mean(answers: list[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Means and spreads of the metrics that all these answers have."""
    keys = [key for key in answers[0] if all(key in each for each in answers)]
    both: dict[str, Any] = {key: mean_and_spread([each[key] for each in answers]) for key in keys}
    return {key: mean for key, (mean, _) in both.items()}, {key: spread for key, (_, spread) in both.items()}


def plan(
    session: Session, *, detect: float | None = None, metric: str | None = None, repeats: int | None = None
) -> PowerReport:
    """Plan from the first source in which the composite spreads at all.

    Args:
        detect: the drop to detect, a fraction; twice the gate's limit unless given.
        metric: key of the only metric to plan for; the headline metrics unless given.
        repeats: how many recorded answers of each case are looked at; as many as all have unless given.
    Raises `UsageError` for a metric that is none, `InvalidFile` where there is nothing to plan from.
    """
    suite = session.suite
    metrics = _metrics(suite, metric)
    key = metrics[0].key
    tried: list[str] = []
    still: Found | None = None
    for found in sources(session, repeats, tried):
        variance = found.pairs.variance(key)
        if variance is not None and variance.total > 0.0:
            no_spread = [] if still is None else [f"{still.source.words}: no spread"]
            return _report(suite, metrics, found, detect, [*no_spread, *tried])
        if still is None:
            still = found
        else:
            tried.append(f"{found.source.words}: no spread either")
    if still is None:
        raise InvalidFile(
            f"there is nothing to plan from: {'; '.join(tried)}",
            where=f"suite {suite.name}",
            fix="Make a baseline and record the candidate, or ask several times: "
            f"row3 --repeats 3 --mode record{suite.flag}",
        )
    return _report(suite, metrics, still, detect, tried)


def _report(suite: Suite, metrics: list[Metric], found: Found, detect: float | None, tried: list[str]) -> PowerReport:
    plans = []
    for each in metrics:
        made = plan_metric(found.pairs, each.key, suite.policy, primary=suite.kind.primary, detect=detect)
        if made is not None and found.source.kind == "repeats":  # nothing changed, so cases had nothing to differ by
            made = replace(made, seen=replace(made.seen, buy=None))
        plans.append((each, made))
    return PowerReport(suite.name, found.source, suite.policy, tuple(plans), tuple(tried), suite.flag)


def _metrics(suite: Suite, wanted: str | None) -> list[Metric]:
    """The composite and then the other headline metrics, or the one that was named."""
    kind = suite.kind
    if wanted is None:
        headline = [metric for metric in kind.metrics if not metric.companion]
        return sorted(headline, key=lambda metric: metric.key != kind.primary)
    named = {metric.key.casefold(): metric for metric in kind.metrics}
    named |= {metric.also: metric for metric in kind.metrics if metric.also}
    found = named.get(wanted.casefold())
    if found is None:
        near = difflib.get_close_matches(wanted.casefold(), named, n=1)
        known = ", ".join(metric.key for metric in kind.metrics)
        hint = f"Did you mean `{named[near[0]].key}`?" if near else f"Metrics: {known}"
        raise UsageError(f"`{wanted}` is no metric of this kind", where="--metric", fix=hint)
    return [found]
