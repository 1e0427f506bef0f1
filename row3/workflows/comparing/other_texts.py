"""Cases that cannot be compared, as their text is another than the baseline's: yet no place to hide a fall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from row3.domain.counts import count
from row3.domain.metrics import Metric
from row3.domain.verdicts import Reason, Verdict
from row3.gate.comparison import judge_move, worse_by
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy


class Fall(NamedTuple):
    """How a metric moved over all cases, those included that cannot be compared."""

    before: float
    after: float
    worse: float
    """In the gate's unit; negative where it improved."""
    verdict: Verdict
    others: int
    """Cases among them that cannot be compared."""
    theirs: bool
    """These alone fell too."""


def falls(pairs: Pairs, others: Pairs, metrics: Sequence[Metric], policy: GatePolicy) -> dict[str, Fall]:
    """What the gate's rule says of each gated metric over both.

    Args:
        pairs: both sides of the cases that can be compared.
        others: what the baseline says of the others, and what they have now.
    """
    sides, counts = (pairs.means(), others.means()), (pairs.counts(), others.counts())
    found = {}
    for metric in metrics:
        key, many = metric.key, [each.get(metric.key, 0) for each in counts]
        if key not in policy.metrics or not sum(many):
            continue
        before, after = (
            sum(number * side[when].get(key, 0.0) for number, side in zip(many, sides, strict=True)) / sum(many)
            for when in (0, 1)
        )
        better = metric.higher_is_better
        worse = worse_by(before, after, higher_is_better=better, unit=policy.unit)
        own = worse_by(*(side.get(key, 0.0) for side in sides[1]), higher_is_better=better, unit="points")
        verdict = judge_move(worse, policy, limit=policy.limit(key))
        found[key] = Fall(before, after, worse, verdict, many[1], own > 0)
    return found


def other_text_reasons(
    pairs: Pairs,
    others: Pairs,
    metrics: Sequence[Metric],
    policy: GatePolicy,
    *,
    whose: str = "whose text is another than the baseline's",
) -> list[Reason]:
    """A ground for each gated metric that is worse, by as much as the gate's rule asks, once these cases count too.

    Their new text may be the harder one, so that they move no delta; but whoever edits texts first and the prompt later
    would have it judged by the other cases alone. `whose` says what they are, after "cases".
    """
    titles = {metric.key: metric.title for metric in metrics}
    reasons = []
    for key, fall in falls(pairs, others, metrics, policy).items():
        blocks = fall.verdict is Verdict.BLOCK
        # A smaller fall that is not theirs is told where the cases that can be compared are.
        if fall.others and (blocks or (fall.theirs and fall.verdict is Verdict.INVESTIGATE)):
            beyond = f" (more than {policy.limit(key):g})" if blocks else ""
            what = f"{titles[key]} fell from {fall.before:.1%} to {fall.after:.1%}{beyond}"
            reasons.append(Reason(fall.verdict, f"{what} with {count(fall.others, 'case')} {whose}", metric=key))
    return reasons
