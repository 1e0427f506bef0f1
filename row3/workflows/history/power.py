"""`row3 power`: how small a drop the suite detects, and what it takes to detect a smaller one."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.counts import part
from row3.domain.metrics import Metric
from row3.errors import InvalidFile
from row3.gate.policy import find_metric
from row3.gate.power import PowerReport, sensitivity
from row3.store.suites import Suite, has_baseline
from row3.workflows.comparing.gate import open_gate
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.recorded.recorded_answers import setting_of
from row3.workflows.session import Session


def plan(
    session: Session, *, detect: float | None = None, metric: str | None = None, repeats: int | None = None
) -> PowerReport:
    """Plan from the baseline beside a strict replay of the candidates, with as many repeats as all cases have.

    Args:
        detect: the drop to detect, a fraction; twice the gate's limit unless given.
        metric: key of the only metric to plan for; the headline metrics unless given.
        repeats: how many recorded answers of each case are looked at; as many as all have unless given.
    Raises `UsageError` for a metric that is none, `InvalidFile` where there is nothing to plan from.
    """
    project, suite = session.project, session.suite
    metrics = _metrics(suite, metric)
    if not has_baseline(project, suite):
        raise InvalidFile(
            "there is nothing to plan from: there is no baseline",
            where=f"suite {suite.name}",
            fix=f"Save one with `row3 --baseline{suite.flags('row3 --baseline')}`, and record a candidate",
        )
    most = repeats
    if most is None:
        first = str(line_up(project, suite, role="candidate", named=session.named).prompts[0].ref)
        recorded = [each.repeat for each in open_recordings(project, suite).all() if each.prompt == first]
        most = 1 + max(recorded, default=0)
    for number in dict.fromkeys((most, repeats or 1)):
        options = replace(session.options, mode="replay", repeats=number, explain=False)
        gate = open_gate(replace(session, options=options), None)
        scored, side = gate.score(gate.session), gate.side
        run = scored.run
        if run.complete:
            break
    else:
        failed = part(len(run.failed), run.cases, "case", "has", "have")
        raise InvalidFile(
            f"there is nothing to plan from: {failed} no recorded answer of the candidate",
            where=f"suite {suite.name}",
            fix=f"Record them with `row3 --mode record{suite.flag}`",
        )
    pairs, primary = scored.comparer.pairs, suite.kind.primary
    return PowerReport(
        suite.name,
        (setting_of(side.header).title, setting_of(run.header).title),
        (side.header.repeats, run.header.repeats),
        suite.policy,
        tuple((one, sensitivity(pairs, one.key, suite.policy, primary=primary, detect=detect)) for one in metrics),
        suite.flag,
    )


def _metrics(suite: Suite, wanted: str | None) -> list[Metric]:
    """The composite and then the other headline metrics, or the one that was named."""
    kind = suite.kind
    if wanted is None:
        headline = [metric for metric in kind.metrics if not metric.companion]
        return sorted(headline, key=lambda metric: metric.key != kind.primary)
    also = {metric.also: metric.key for metric in kind.metrics if metric.also}
    key = find_metric(also.get(wanted.casefold(), wanted), [metric.key for metric in kind.metrics], "--metric")
    return [metric for metric in kind.metrics if metric.key == key]
