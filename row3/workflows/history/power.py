"""`row3 power`: how small a drop the suite detects, and what it takes to detect a smaller one."""

from __future__ import annotations

import difflib
from dataclasses import replace

from row3.domain.metrics import Metric
from row3.errors import InvalidFile, UsageError
from row3.gate.power import plan_metric
from row3.gate.suite_findings import PowerReport
from row3.store.suites import Suite
from row3.workflows.history.power_sources import Found, sources
from row3.workflows.session import Session


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
            fix=f"Make a baseline and compare once, or ask several times: row3 --repeats 3 --mode record{suite.flag}",
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
