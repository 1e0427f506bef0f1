"""Changes of all aggregate metrics between two runs, judged by the gate's policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from row3.domain.judgements import Interval, MetricChange, Noise, Verdict
from row3.domain.scores import SLACK, Metric
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

Intervals = Literal["all", "seen", "none"]
"""`all`: intervals allow for rare losses that few moved units do not show; `seen`: they do not; `none`: there are none,
which is faster."""


def compare_metrics(
    baseline: Mapping[str, float],
    current: Mapping[str, float],
    metrics: Sequence[Metric],
    policy: GatePolicy,
    pairs: Pairs,
    *,
    primary: str = "overall",
    confirmed: int = 0,
    intervals: Intervals = "all",
) -> list[MetricChange]:
    """Return the change and verdict of each metric that either side has, in the kind's order.

    `baseline` and `current` are means (fractions) over the cases of `pairs`; `primary` is the metric judged first;
    `confirmed` is how many answers a case and side of the pairs were asked to confirm a block. The verdicts are the
    same whatever `intervals`.
    """
    counts = pairs.counts()
    changes: dict[str, MetricChange] = {}
    differences = {metric.key: pairs.differences(metric) for metric in metrics if metric.key in counts}
    by_key = {metric.key: metric for metric in metrics}
    for key, metric in by_key.items():
        before, after = baseline.get(key), current.get(key)
        if before is None and after is None:
            continue
        moves = differences.get(key)
        change = MetricChange(
            key, before, after, None, None, Verdict.PROCEED, counts.get(key, 0), limit=policy.limit(key)
        )
        if before is None or after is None:
            lost = after is None and key in policy.metrics
            changes[key] = replace(change, verdict=Verdict.BLOCK, code="no_longer_measured") if lost else change
            continue
        interval = _interval(moves, metric, policy.level, intervals)
        changes[key] = replace(
            change,
            delta=after - before,
            worse_by=policy.worse_by(metric, before, after),
            interval=interval,
            single=interval,
            moved=moves.moved if moves else 0,
            units=moves.units if moves else 0,
        )
    changes |= _with_noise(changes, differences, policy, primary)
    gated = [key for key in changes if key in policy.metrics and key in differences]
    for key, change in changes.items():
        if change.worse_by is not None and not (policy.policy == "paired" and key in gated):
            changes[key] = _by_limit(change, policy, primary=key == primary, final=confirmed >= policy.confirm)
    if policy.policy == "paired":
        margins = {key: policy.margin(by_key[key], changes[key].baseline or 0.0) for key in gated}
        p_values = {key: differences[key].loss_p(margin) for key, margin in margins.items()}
        tested = holm({key: p for key, p in p_values.items() if key != primary}, ALPHA)
        for key in gated:
            p, tests = tested.get(key, (p_values[key], 1))
            interval = _interval(differences[key], by_key[key], 1.0 - 2.0 * ALPHA / tests, intervals)
            found = replace(changes[key], p=p, tests=tests, interval=interval)
            # The same answers cannot hide a loss.
            must_show = key == primary and not pairs.same_answers
            found = _by_interval(found, differences[key], policy, margins[key], must_show=must_show)
            # What the old side gains back now and then may go unseen, as a rare loss may.
            sure = confirmed >= policy.confirm or differences[key].rare_gain_p(margins[key]) <= ALPHA_RARE
            changes[key] = replace(
                found, unconfirmed=found.code == "worse" and found.verdict is Verdict.BLOCK and not sure
            )
    elif policy.policy == "evidence":
        for key in gated:
            change = changes[key]
            interval = _interval(differences[key], by_key[key], 1.0 - 2.0 * ALPHA_FALL / change.tests, intervals)
            changes[key] = change if key == primary else replace(change, interval=interval)
    return list(changes.values())


def _with_noise(
    changes: Mapping[str, MetricChange], differences: Mapping[str, Differences], policy: GatePolicy, primary: str
) -> dict[str, MetricChange]:
    """Return the changes with the test of "it did not fall".

    The primary metric is tested alone, at half the error rate because each confirmation looks twice; the others, gated
    or not, by Holm, so that any of them is falsely beyond noise in at most `ALPHA_FALL` of comparisons.
    """
    found: dict[str, MetricChange] = {}
    tested = [key for key, change in changes.items() if change.worse_by is not None and key in differences]
    others = [key for key in tested if key != primary]
    families = (
        (ALPHA, [key for key in tested if key == primary]),
        (ALPHA_FALL, [key for key in others if key in policy.metrics]),
        (ALPHA_FALL, [key for key in others if key not in policy.metrics]),
    )
    for alpha, family in families:
        p_values = holm({key: differences[key].fall_p() for key in family}, alpha)
        fewest = fewest_units(alpha / max(1, len(family)))
        for key, (p, tests) in p_values.items():
            noise: Noise = "unknown" if differences[key].units < fewest else "within"
            noise = "beyond" if p <= alpha else noise
            found[key] = replace(changes[key], noise=noise)
            if policy.policy == "evidence" and key in policy.metrics:
                found[key] = replace(found[key], p=p, tests=tests)
    return found


def _by_limit(change: MetricChange, policy: GatePolicy, *, primary: bool, final: bool) -> MetricChange:
    """Judge by `evidence` or `fixed`: a gated metric beyond its limit blocks, unconfirmed if the fall may be noise.

    Under `evidence`, a metric other than the primary one must be investigated where its test could reject and does not.
    """
    worse, beyond = change.worse_by, change.noise == "beyond"
    assert worse is not None
    gated = change.key in policy.metrics
    if gated and exceeds(worse, change.limit):
        if policy.policy != "fixed" and not primary and change.noise == "within":
            needed = fewest_units(ALPHA_FALL / change.tests)
            unproven = replace(change, verdict=Verdict.INVESTIGATE, code="worse_unproven")
            return replace(unproven, doubt="few_units", units_needed=needed) if change.moved < needed else unproven
        return replace(change, verdict=Verdict.BLOCK, code="worse", unconfirmed=not (beyond or final))
    fell = reaches(worse, policy.investigate) if gated else exceeds(worse, change.limit)
    blind = change.noise == "unknown" and exceeds(worse, change.limit)
    if fell and (beyond or primary or blind):
        return replace(change, verdict=Verdict.INVESTIGATE, code="worse")
    return change


def _by_interval(
    change: MetricChange, moves: Differences, policy: GatePolicy, margin: float, *, must_show: bool
) -> MetricChange:
    """Judge by non-inferiority: a metric blocks if its whole interval lies beyond the limit.

    The primary metric has its own test and must be shown to be within its limit (`must_show`), also for rare losses
    that few cases can hide. The others share one error rate by Holm: a loss beyond the limit blocks if it is shown, and
    needs a look if it is only seen.
    """
    worse, plain = change.worse_by or 0.0, replace(change, verdict=Verdict.PROCEED, code="")
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
    interval = moves.interval(1.0 - 2.0 * ALPHA, unseen=False)
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


def _interval(moves: Differences | None, metric: Metric, level: float, intervals: Intervals) -> Interval | None:
    """Return the interval of current minus baseline; `moves` are oriented so that up is better."""
    if moves is None or intervals == "none":
        return None
    interval = moves.interval(level, unseen=intervals == "all")
    return interval if interval is None or metric.higher_is_better else interval.negated()
