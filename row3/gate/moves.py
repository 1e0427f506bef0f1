"""How every aggregate moved, and what the gate's policy says of it: the fixed rule or the paired one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from row3.domain.counts import count
from row3.domain.intervals import Interval, cut
from row3.domain.metrics import Metric
from row3.domain.verdicts import MetricChange, Verdict
from row3.gate.comparison import judge_move, worse_by
from row3.gate.multiplicity import FamilyVerdict, block_p, judge_family
from row3.gate.pairs import Pairs
from row3.gate.policy import ALPHA, GatePolicy
from row3.gate.rare import ALPHA_RARE, ALPHA_RARE_BETTER, answers_needed
from row3.gate.zones import SLACK

POINT = 100.0


@dataclass(frozen=True, slots=True)
class Move:
    """One metric on both sides."""

    metric: Metric
    before: float
    after: float
    interval: Interval | None
    """Of after - before; fractions."""
    cases: int


def compare_metrics(
    baseline: Mapping[str, float],
    current: Mapping[str, float],
    metrics: Sequence[Metric],
    policy: GatePolicy,
    pairs: Pairs,
    *,
    primary: str = "overall",
) -> list[MetricChange]:
    """Every metric that either side has, in the kind's order, with its interval and what the policy says of it.

    Args:
        baseline, current: means over the cases that both runs have, fractions.
        pairs: those cases.
        primary: the metric that has to be shown to be within its limit for `paired` to pass.
    """
    counts = pairs.counts()
    family = _family(pairs, metrics, policy, primary, baseline) if policy.policy == "paired" else None
    changes = []
    for metric in metrics:
        before, after = baseline.get(metric.key), current.get(metric.key)
        if before is None and after is None:
            continue
        cases = counts.get(metric.key, 0)
        if before is None or after is None:
            changes.append(MetricChange(metric.key, before, after, None, None, Verdict.PROCEED, cases))
            continue
        move = Move(metric, before, after, pairs.interval(metric.key), cases)
        if family is None or metric.key not in policy.metrics:
            changes.append(_fixed(move, policy))
        else:
            # Where nothing moved the answers are the same, and there is nothing to be unclear about.
            asked = metric.key == primary and not pairs.still
            hidden = _hidden(move, policy, pairs) if asked else ""
            changes.append(_paired(move, policy, family, primary=asked, hidden=hidden))
    return changes


def _fixed(move: Move, policy: GatePolicy) -> MetricChange:
    """The rule of STANDARDS on the means as they are; the interval is told, and judges nothing."""
    key, worse = move.metric.key, _worse(move, policy)
    verdict = judge_move(worse, policy, limit=policy.limit(key), may_block=key in policy.metrics)
    why = ""
    if verdict is not Verdict.PROCEED:
        beyond = worse > policy.limit(key) + POINT * SLACK
        how = f"more than {policy.limit(key):g}" if beyond else f"at least {policy.investigate:g}"
        why = f"{move.metric.title} is worse by {worse:.1f} {_unit(policy)} ({how}){_noise(move)}"
    return _change(move, worse, verdict, policy, why)


def _paired(move: Move, policy: GatePolicy, family: FamilyVerdict, *, primary: bool, hidden: str) -> MetricChange:
    """Non-inferiority on the limit: block, pass or inconclusive, by what the interval shows.

    The primary metric has to be shown to be within its limit, also for losses that so few answers may have `hidden`.
    The others are guard rails: they block where a loss beyond the limit is shown, and are to be investigated where the
    loss was seen and not shown.
    """
    key, title, worse, limit = move.metric.key, move.metric.title, _worse(move, policy), policy.limit(move.metric.key)
    unit = _unit(policy)
    if key in family.blocked:
        why = f"{title} is worse by {worse:.1f} {unit}, and by more than {limit:g} beyond noise{_shown(move)}"
        return _change(move, worse, Verdict.BLOCK, policy, f"{why}; p = {family.block_p[key]:.2g}")
    if primary and (key in family.unclear or hidden):
        verdict = Verdict.BLOCK if policy.inconclusive == "block" else Verdict.INVESTIGATE
        why = f"a loss of more than {limit:g} {unit} is neither shown nor ruled out{_shown(move)}"
        return _change(
            move, worse, verdict, policy, f"{title} is inconclusive: {why if key in family.unclear else hidden}"
        )
    if worse > limit + POINT * SLACK:
        why = f"{title} is worse by {worse:.1f} {unit} (more than {limit:g}), which may be noise{_shown(move)}"
        return _change(move, worse, Verdict.INVESTIGATE, policy, why)
    interval = _oriented(move.metric, move.interval)
    if worse >= policy.investigate - POINT * SLACK and (interval is None or interval.high < -SLACK):
        why = f"{title} is worse by {worse:.1f} {unit} (at least {policy.investigate:g}){_shown(move)}"
        return _change(move, worse, Verdict.INVESTIGATE, policy, why)
    return _change(move, worse, Verdict.PROCEED, policy, "")


def _change(move: Move, worse: float, verdict: Verdict, policy: GatePolicy, why: str) -> MetricChange:
    delta = move.after - move.before
    limit = policy.limit(move.metric.key)
    return MetricChange(
        move.metric.key, move.before, move.after, delta, worse, verdict, move.cases, move.interval, limit, why
    )


def _worse(move: Move, policy: GatePolicy) -> float:
    return worse_by(move.before, move.after, higher_is_better=move.metric.higher_is_better, unit=policy.unit)


def _margin(metric: Metric, policy: GatePolicy, before: float) -> tuple[float, float]:
    """The limit as a fraction of 1 and as a share of the baseline, one of which is 0.

    Against a share of the baseline, which is itself an estimate, its noise belongs to the answer; a baseline of 0 has
    nothing to be relative to, and points are taken, as `comparison.worse_by` takes them.
    """
    limit = policy.limit(metric.key) / POINT
    if policy.unit == "points" or abs(before) <= SLACK:
        return limit, 0.0
    return 0.0, limit if metric.higher_is_better else -limit


def _hidden(move: Move, policy: GatePolicy, pairs: Pairs) -> str:
    """Why so few answers say nothing of losses that are rare and large; empty where they rule them out."""
    limit, share = _margin(move.metric, policy, move.before)
    up = move.metric.higher_is_better
    found = pairs.rare_loss(move.metric.key, limit, relative=share, higher_is_better=up)
    better = block_p(_oriented(move.metric, move.interval, up=False), 0.0) <= ALPHA
    alpha = ALPHA_RARE_BETTER if better else ALPHA_RARE
    if found is None or found.p_value <= alpha:
        return ""
    needed = answers_needed(found.room, found.depth, alpha)
    told = "; more can"
    if needed > found.answers:
        told = f" (one in {int(found.depth / found.room)} that fails is enough); {needed} or more can"
    return (
        f"no loss of more than {policy.limit(move.metric.key):g} {_unit(policy)} is seen{_shown(move)}, but "
        f"{count(found.answers, 'answer does', 'answers do')} not rule out one that is rare and large{told}"
    )


def _family(
    pairs: Pairs, metrics: Sequence[Metric], policy: GatePolicy, primary: str, baseline: Mapping[str, float]
) -> FamilyVerdict:
    """The gated metrics as one family, each oriented so that up is better."""
    counts = pairs.counts()
    family: dict[str, Interval | None] = {}
    limits: dict[str, float] = {}
    for metric in metrics:
        key = metric.key
        if key not in policy.metrics or key not in counts:
            continue
        limits[key], share = _margin(metric, policy, baseline.get(key, 0.0))
        family[key] = _oriented(metric, pairs.interval(key, relative=share))
    return judge_family(family, limits, alpha=ALPHA, primary=primary)


def _oriented(metric: Metric, interval: Interval | None, *, up: bool = True) -> Interval | None:
    """So that up is better; the other way round with `up` False."""
    return interval if interval is None or metric.higher_is_better is up else interval.negated()


def _unit(policy: GatePolicy) -> str:
    return "points" if policy.unit == "points" else "% of the baseline"


def _shown(move: Move) -> str:
    if move.interval is None:
        return "; fewer than two independent cases give no interval"
    if move.interval.degenerate:  # an interval of no width, which shows less than it seems to
        units = move.interval.units
        return f" (all of {units} independent cases moved alike, as chance does up to one time in 4^{units})"
    low, high = (f"{POINT * end:+.1f}".replace("-", "−") for end in cut(move.interval.low, move.interval.high))
    return f" (95%: {low} to {high} points)"


def _noise(move: Move) -> str:
    """What a reader should know of a move that the fixed rule judges: that chance alone could have made it."""
    interval = move.interval
    if interval is None or interval.low > 0.0 or interval.high < 0.0 or interval.degenerate:
        return ""
    return f"; it may be noise{_shown(move)}"
