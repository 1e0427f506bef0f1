"""`row3 power`: how small a drop the suite detects, and what it takes to detect a smaller one.

It plans from the baseline and the candidate's recordings; else from the repeats of one setting.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace

from row3.domain.counts import part
from row3.domain.metrics import Metric
from row3.errors import InvalidFile, UsageError
from row3.gate.pairs import Pairs
from row3.gate.power import PowerReport, PowerSource, sensitivity
from row3.metrics.aggregate import mean_and_spread
from row3.store.cases import source_of
from row3.store.other_suites import cases_of
from row3.store.suites import Suite, has_baseline
from row3.workflows.comparing.gate import open_gate
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.run_suite import make_asking
from row3.workflows.quarantine import in_force
from row3.workflows.recorded.recorded_answers import RecordedAnswers, setting_of, setting_of_asking
from row3.workflows.session import Session

Found = tuple[Pairs, PowerSource]


def plan(
    session: Session, *, detect: float | None = None, metric: str | None = None, repeats: int | None = None
) -> PowerReport:
    """Plan from the first source in which the composite spreads at all, else from the first there is.

    Args:
        detect: the drop to detect, a fraction; twice the gate's limit unless given.
        metric: key of the only metric to plan for; the headline metrics unless given.
        repeats: how many recorded answers of each case are looked at; as many as all have unless given.
    Raises `UsageError` for a metric that is none, `InvalidFile` where there is nothing to plan from.
    """
    suite = session.suite
    metrics = _metrics(suite, metric)
    chosen: Found | None = None
    tried: list[str] = []
    for find in (_replayed, _repeated):
        found = find(session, repeats)
        if isinstance(found, str):
            tried.append(found)
            continue
        variance = found[0].variance(metrics[0].key)
        if variance is not None and variance.total > 0.0:
            tried += [] if chosen is None else [f"{chosen[1].words}: no spread"]
            chosen = found
            break
        tried += [] if chosen is None else [f"{found[1].words}: no spread either"]
        chosen = chosen or found
    if chosen is None:
        raise InvalidFile(
            f"there is nothing to plan from: {'; '.join(tried)}",
            where=f"suite {suite.name}",
            fix="Make a baseline and record the candidate, or ask several times: "
            f"row3 --repeats 3 --mode record{suite.flag}",
        )
    pairs, source = chosen
    plans = []
    for each in metrics:
        made = sensitivity(pairs, each.key, suite.policy, primary=suite.kind.primary, detect=detect)
        if made is not None and source.kind == "repeats":  # nothing changed, so cases had nothing to differ by
            made = replace(made, buy=None)
        plans.append((each, made))
    return PowerReport(suite.name, source, suite.policy, tuple(plans), tuple(tried), suite.flag)


def _replayed(session: Session, repeats: int | None) -> Found | str:
    """The baseline beside a strict replay of the candidates, with as many repeats as all cases have; or why not."""
    project, suite = session.project, session.suite
    if not has_baseline(project, suite):
        return "there is no baseline"
    most = repeats
    if most is None:
        first = str(line_up(project, suite, role="candidate", named=session.named).prompts[0].ref)
        recorded = [each.repeat for each in open_recordings(project, suite).all() if each.prompt == first]
        most = 1 + max(recorded, default=0)
    for count in dict.fromkeys((most, repeats or 1)):
        options = replace(session.options, mode="replay", repeats=count, explain=False)
        gate = open_gate(replace(session, options=options), None)
        scored, side = gate.score(gate.session), gate.side
        run = scored.run
        if run.complete:
            break
    else:
        failed = part(len(run.failed), run.cases, "case", "has", "have")
        return f"{failed} no recorded answer of the candidate"
    before, after = setting_of(side.header).title, setting_of(run.header).title
    counts = (side.header.repeats, run.header.repeats)
    return scored.comparer.pairs, PowerSource("replay", "the baseline and the candidate", before, after, counts)


def _repeated(session: Session, repeats: int | None) -> Found | str:
    """The first half of the recorded repeats beside the second: a comparison in which nothing changed; or why not."""
    project, suite = session.project, session.suite
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=session.named), session.options)
    own = setting_of_asking(asking)
    # A system has no prompts of which others could count.
    prompts = [] if suite.system is not None else [str(prompt.ref) for prompt in asking.lineup.prompts]
    recorded = RecordedAnswers(project, suite, prompts)
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
        return "no request has several recorded answers"
    half = min(counts) // 2
    return pairs, PowerSource("repeats", "repeats of one setting", own.title, own.title, (half, min(counts) - half))


def _mean(answers: list[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Means and spreads of the metrics that all these answers have."""
    keys = [key for key in answers[0] if all(key in each for each in answers)]
    both = {key: mean_and_spread([each[key] for each in answers]) for key in keys}
    return {key: mean for key, (mean, _) in both.items()}, {key: spread for key, (_, spread) in both.items()}


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
