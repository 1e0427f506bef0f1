"""The rolling baseline: the mean of a suite's latest comparable runs in the history (STRATEGY, docs/gate.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.runs import HistoryEntry, Tier, tier_of
from row3.domain.scores import Metric
from row3.gate.distributions import t_cdf
from row3.gate.policy import ALPHA_FALL, POINT, GatePolicy, reaches, worse_by
from row3.metrics.aggregate import mean_and_spread

LEAST_RUNS = 2
"""Fewest runs for a mean."""


def comparable_runs(history: Sequence[HistoryEntry], suite: str, tier: Tier, scored: str) -> list[HistoryEntry]:
    """Return the runs of a suite's tier with one scorer and the same cases, oldest first.

    Consecutive entries with the same prompts and figures count once: they replay the same recorded answers.
    """
    runs: list[HistoryEntry] = []
    for each in history:
        comparable = each.suite == suite and tier_of(each.mode) == tier and each.scored == scored
        if comparable and each.metrics and not (runs and same_run(runs[-1], each)):
            runs.append(each)
    return runs


def same_run(one: HistoryEntry, other: HistoryEntry) -> bool:
    """Return whether two entries have the same prompts, model and figures."""
    return (one.prompts, one.model, one.metrics) == (other.prompts, other.model, other.metrics)


def rolling_baseline(
    history: Sequence[HistoryEntry],
    run: HistoryEntry,
    tier: Tier,
    metrics: Sequence[Metric],
    policy: GatePolicy,
    *,
    primary: str,
    final: bool = True,
) -> Iterator[Reason]:
    """Yield a reason for each primary or gated metric that fell below its mean over the latest comparable runs.

    The drop is (baseline - current) / baseline in per cent, or c - b in points for a rate that is better low. It is
    unconfirmed until `final` unless it is beyond what the runs differ (a t test of one more run). An entry that an
    earlier command made for this run is left out. With too few runs for a mean, the only reason is a note.
    """
    earlier = comparable_runs(history, run.suite, tier, run.scored)
    if earlier and same_run(earlier[-1], run):
        earlier.pop()
    latest = [each.metrics for each in earlier[-policy.window :]]
    if len(latest) < LEAST_RUNS:
        yield Reason(Code.ROLLING_DROP, Verdict.PROCEED, figures={"runs": len(latest)})
        return
    for metric in metrics:
        values = [each[metric.key] for each in latest if metric.key in each]
        now = run.metrics.get(metric.key)
        gated = metric.key in (primary, *policy.metrics, *policy.held)
        if now is None or not gated or len(values) < LEAST_RUNS:
            continue
        mean = math.fsum(values) / len(values)
        drop = worse_by(metric, mean, now, "relative")
        if reaches(drop, policy.drops.get(metric.key, policy.drop)):
            figures = {"before": mean, "after": now, "drop": drop / POINT, "runs": len(values)}
            verdict = Verdict.BLOCK if metric.key in policy.metrics else Verdict.INVESTIGATE
            held = {"uncalibrated": True} if metric.key in policy.held else {}
            yield Reason(Code.ROLLING_DROP, verdict, metric.key, figures | held)
            if verdict is Verdict.BLOCK and not final and not _beyond_noise(values, metric.drop(mean, now)):
                yield Reason(Code.UNCONFIRMED, Verdict.BLOCK, metric.key)


def _beyond_noise(values: Sequence[float], drop: float) -> bool:
    """Return whether a further run differs from these by more than they differ: t = d / (s sqrt(1 + 1/n)).

    Runs that do not differ say nothing of noise.
    """
    spread = mean_and_spread([*values])[1] * math.sqrt(1.0 + 1.0 / len(values))
    return spread > 0.0 and t_cdf(-drop / spread, len(values) - 1.0) <= ALPHA_FALL
