"""Changes of all aggregate metrics between two runs, judged by the gate's policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from row3.domain.changes import Interval, MetricChange
from row3.domain.metrics import SLACK, Metric
from row3.domain.verdicts import Verdict
from row3.gate.exact import fewest_units, holm
from row3.gate.intervals import Differences
from row3.gate.pairs import Pairs
from row3.gate.policy import ALPHA, ALPHA_FALL, GatePolicy, exceeds, reaches

Loss = Literal["none", "small", "beyond", "open"]
"""A loss beyond the limit is ruled out (`small`: another is shown), shown, or neither."""
ALPHA_RARE = 0.05
"""Error rate of ruling out a loss beyond the limit that is rare and large.

A true loss passes only if both this test and the interval err, so the error rate stays at 5 %.
"""
ALPHA_RARE_BETTER = 0.2
"""The same for a change shown to be better: a loss would need more failures to outweigh the gain."""


def compare_metrics(
    baseline: Mapping[str, float],
    current: Mapping[str, float],
    metrics: Sequence[Metric],
    policy: GatePolicy,
    pairs: Pairs,
    *,
    primary: str = "overall",
) -> list[MetricChange]:
    """Return the change and verdict of each metric that either side has, in the kind's order.

    `baseline` and `current` are means (fractions) over the cases of `pairs`; `primary` is the metric judged first.
    """
    counts = pairs.counts()
    changes: list[MetricChange] = []
    differences = {metric.key: pairs.differences(metric) for metric in metrics if metric.key in counts}
    for metric in metrics:
        key = metric.key
        before, after = baseline.get(key), current.get(key)
        if before is None and after is None:
            continue
        moves = differences.get(key)
        change = MetricChange(
            key, before, after, None, None, Verdict.PROCEED, counts.get(key, 0), limit=policy.limit(key)
        )
        if before is None or after is None:
            lost = after is None and key in policy.metrics
            changes.append(replace(change, verdict=Verdict.BLOCK, code="no_longer_measured") if lost else change)
            continue
        worse = policy.worse_by(metric, before, after)
        interval = _interval(moves, metric, policy.level)
        change = replace(
            change,
            delta=after - before,
            worse_by=worse,
            interval=interval,
            single=interval,
            moved=moves.moved if moves else 0,
            units=moves.units if moves else 0,
        )
        verdict = policy.judge(key, worse)
        changes.append(change if verdict is Verdict.PROCEED else replace(change, verdict=verdict, code="worse"))
    if policy.policy == "fixed":
        return changes
    by_evidence = policy.policy == "evidence"
    judged = {each.key: each for each in changes if each.key in policy.metrics and each.key in differences}
    if by_evidence:
        alpha, p_values = ALPHA_FALL, {key: differences[key].fall_p() for key in judged if key != primary}
    else:
        margins = {key: policy.margin(key, change.baseline or 0.0) for key, change in judged.items()}
        alpha, p_values = ALPHA, {key: differences[key].loss_p(margin) for key, margin in margins.items()}
    # Identical answers moved nothing, so nothing can be inconclusive.
    moved = any(each.moved for each in differences.values())
    tested = holm({key: p for key, p in p_values.items() if key != primary}, alpha)
    by_key = {metric.key: metric for metric in metrics}
    for key, own_p in p_values.items():
        moves, (p, tests) = differences[key], tested.get(key, (own_p, 1))
        interval = _interval(moves, by_key[key], 1.0 - 2.0 * alpha / tests)
        found = replace(judged[key], p=p, tests=tests, interval=interval)
        must_show = moved and key == primary
        judged[key] = _by_evidence(found, moves) if by_evidence else _by_interval(found, moves, policy, must_show)
    return [judged.get(change.key, change) for change in changes]


def _by_evidence(change: MetricChange, moves: Differences) -> MetricChange:
    if not exceeds(change.worse_by, change.limit) or (change.p or 0.0) <= ALPHA_FALL:
        return change
    needed = fewest_units(ALPHA_FALL / change.tests)
    found = replace(change, verdict=Verdict.INVESTIGATE, code="worse_unproven")
    return replace(found, doubt="few_units", units_needed=needed) if moves.moved < needed else found


def _by_interval(change: MetricChange, moves: Differences, policy: GatePolicy, must_show: bool) -> MetricChange:
    """Judge by non-inferiority: a metric blocks if its whole interval lies beyond the limit.

    The primary metric has its own test and must be shown to be within its limit (`must_show`), also for rare losses
    that few cases can hide. The others share one error rate by Holm: a loss beyond the limit blocks if it is shown, and
    needs a look if it is only seen.
    """
    margin, worse = policy.margin(change.key, change.baseline or 0.0), change.worse_by or 0.0
    plain = replace(change, verdict=Verdict.PROCEED, code="")
    if change.p is not None and change.p <= ALPHA:
        return replace(change, verdict=Verdict.BLOCK, code="worse")
    if must_show:
        within, rare = _within(moves, margin)
        if not within or moves.rare_loss_p(margin) > rare:
            verdict = Verdict.BLOCK if policy.inconclusive == "block" else Verdict.INVESTIGATE
            unclear = replace(plain, verdict=verdict, code="inconclusive")
            needed = moves.units_needed(margin, rare)
            return replace(unclear, doubt="rare_loss", units_needed=needed) if within else unclear
    if exceeds(worse, change.limit):
        return replace(change, verdict=Verdict.INVESTIGATE, code="worse_unproven")
    if reaches(worse, policy.investigate) and moves.fall_p() <= ALPHA:
        return replace(change, verdict=Verdict.INVESTIGATE, code="worse")
    return plain


def _within(moves: Differences, margin: float) -> tuple[bool, float]:
    """Return whether the interval lies within the limit, and the error rate of ruling out a rare, large loss."""
    interval = moves.interval(1.0 - 2.0 * ALPHA)
    within = interval is not None and interval.low > -margin + SLACK
    return within, ALPHA_RARE_BETTER if moves.rise_p() <= ALPHA else ALPHA_RARE


def loss_of(moves: Differences, margin: float) -> Loss:
    """Return what is known of a metric's loss, by the tests of `paired`; also where no case moved."""
    if moves.loss_p(margin) <= ALPHA:
        return "beyond"
    within, rare = _within(moves, margin)
    if not within or moves.rare_loss_p(margin) > rare:
        return "open"
    return "small" if moves.fall_p() <= ALPHA else "none"


def _interval(moves: Differences | None, metric: Metric, level: float) -> Interval | None:
    """Return the interval of current minus baseline; `moves` are oriented so that up is better."""
    interval = None if moves is None else moves.interval(level)
    return interval if interval is None or metric.higher_is_better else interval.negated()
