"""Sentences about how a metric moved and what the gate makes of it."""

from __future__ import annotations

from row3.domain.changes import Interval, MetricChange, cut
from row3.domain.counts import count
from row3.domain.metrics import Metric
from row3.gate.policy import GatePolicy


def move_text(change: MetricChange, metric: Metric, policy: GatePolicy, *, brief: bool = False) -> str:
    """Return why a metric's verdict is not `proceed`, without a full stop; empty if it is.

    `brief` leaves out intervals and p-values, and the limit before a remark on noise.
    """
    if not change.code:
        return ""
    if change.code == "no_longer_measured":
        return f"{metric.title} is no longer measured"
    if change.rounds is not None:
        return _after_rounds(change, metric, policy)
    shown = "" if brief else _shown(change, policy)
    if change.code == "inconclusive":
        return _inconclusive(change, metric, policy, shown)
    worse = f"{metric.title} is worse by {change.worse_by or 0.0:.1f}{unit_text(policy)}"
    p = "" if brief or change.p is None else f"; p = {change.p:.2g}"
    noise = f"; it may be noise{shown}" if _may_be_noise(change.interval) else ""
    limit = f" (more than {change.limit:g})" if change.beyond_limit else f" (at least {policy.investigate:g})"
    full = worse if brief and (noise or change.p is not None) else f"{worse}{limit}"
    if not change.beyond_limit:
        return f"{full}{shown if policy.policy == 'paired' else ''}{noise}"
    if change.code == "worse_unproven":
        return f"{full}, which may be noise{shown}"
    if policy.policy == "paired" and change.p is not None:
        return f"{worse}, and by more than {change.limit:g} beyond noise{shown}{p}"
    return f"{full}{noise}" if change.p is None else f"{full}, beyond noise{shown}{p}"


def unit_text(policy: GatePolicy) -> str:
    """Return the unit of `worse_by`, to follow the number: ` points`, `% of the baseline`."""
    return " points" if policy.unit == "points" else "% of the baseline"


def level_text(policy: GatePolicy) -> str:
    """Return the level of the intervals that a comparison under this policy shows: `90%`, `95%`."""
    return f"{100.0 * policy.level:.3g}%"


def _inconclusive(change: MetricChange, metric: Metric, policy: GatePolicy, shown: str) -> str:
    loss = f"loss of more than {change.limit:g}{unit_text(policy)}"
    if change.doubt != "rare_loss":
        return f"{metric.title} is inconclusive: a {loss} is neither shown nor ruled out{shown}"
    units = count(change.units, "independent case cannot", "independent cases cannot")
    needed = f"; about {change.units_needed} would" if change.units_needed > change.units else ""
    return (
        f"{metric.title} is inconclusive: no {loss} is seen{shown}, but {units} rule out a rare and large one{needed}"
    )


def _after_rounds(change: MetricChange, metric: Metric, policy: GatePolicy) -> str:
    rounds = change.rounds
    assert rounds is not None
    after = count(rounds.asked, "round") if rounds.asked > 1 else "one round"
    limit = f"{change.limit:g}{unit_text(policy)}"
    worse = f"{metric.title} is worse by {change.worse_by or 0.0:.1f}{unit_text(policy)}"
    if change.code == "worse" and rounds.outcome == "loss" and change.beyond_limit:
        return f"{worse}, and by more than {change.limit:g} beyond the noise of answers ({after})"
    if rounds.outcome == "loss":
        return f"{metric.title} fell by more than {limit} on these cases ({after}); other cases may differ"
    if rounds.outcome == "within":
        return f"{worse} (more than {change.limit:g}), but {after} rule out a loss of that size on these cases"
    text = f"{metric.title} is inconclusive after {after}: a loss of more than {limit} is neither shown nor ruled out"
    if rounds.cases_needed is not None:
        return f"{text}; {count(rounds.cases, 'case is', 'cases are')} too few, about {rounds.cases_needed} would do"
    return f"{text}; it is too close to the limit" if rounds.outcome == "open" else text


def _may_be_noise(interval: Interval | None) -> bool:
    """Return whether chance alone could explain a drop that only the means decide."""
    return interval is not None and not interval.degenerate and interval.low <= 0.0 <= interval.high


def _shown(change: MetricChange, policy: GatePolicy) -> str:
    interval = change.interval
    if interval is None:
        return "; an interval needs at least two independent cases"
    if change.doubt == "few_units":
        moved = f"only {change.moved} of {count(change.units, 'independent case')} moved"
        return f" ({moved}, and fewer than {change.units_needed} cannot show a drop)"
    if interval.degenerate:
        alike = f"all {interval.units} independent cases changed by the same amount"
        return f" ({alike}, which happens by chance once in 2^{interval.units})"
    adjusted = f", adjusted for {change.tests} metrics" if change.tests > 1 else ""
    return f" ({level_text(policy)}{adjusted}: {_ends(interval)} points)"


def _ends(interval: Interval) -> str:
    low, high = (f"{100.0 * end:+.1f}".replace("-", "−") for end in cut(interval.low, interval.high))
    return f"{low} to {high}"
