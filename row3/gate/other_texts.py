"""Cases that cannot be compared, as their text is another than the baseline's: yet no place to hide a fall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from row3.domain.counts import count
from row3.domain.metrics import Metric
from row3.domain.verdicts import Reason, Verdict
from row3.gate.comparison import judge_move, worse_by
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy


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
    would have it judged by the other cases alone.

    Args:
        pairs: both sides of the cases that can be compared.
        others: what the baseline says of the others with their text of then, and what they have now.
        whose: what the others are, after "cases".
    """
    sides, counts = (pairs.means(), others.means()), (pairs.counts(), others.counts())
    reasons = []
    for metric in metrics:
        key, many = metric.key, [each.get(metric.key, 0) for each in counts]
        if key not in policy.metrics or not many[1]:
            continue
        before, after = (
            sum(number * side[when].get(key, 0.0) for number, side in zip(many, sides, strict=True)) / sum(many)
            for when in (0, 1)
        )
        worse = worse_by(before, after, higher_is_better=metric.higher_is_better, unit=policy.unit)
        limit = policy.limit(key)
        verdict = judge_move(worse, policy, limit=limit)
        # A smaller fall that is not theirs is told where the cases that can be compared are.
        if verdict is Verdict.BLOCK or (verdict is Verdict.INVESTIGATE and _fell(metric, sides[1])):
            beyond = f" (more than {limit:g})" if verdict is Verdict.BLOCK else ""
            what = f"{metric.title} fell from {before:.1%} to {after:.1%}{beyond}"
            reasons.append(Reason(verdict, f"{what} with {count(many[1], 'case')} {whose}", metric=key))
    return reasons


def _fell(metric: Metric, sides: tuple[Mapping[str, float], Mapping[str, float]]) -> bool:
    before, after = (side.get(metric.key, 0.0) for side in sides)
    return worse_by(before, after, higher_is_better=metric.higher_is_better, unit="points") > 0
