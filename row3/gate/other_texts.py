"""Cases whose text is another than when the baseline was made: no pair to compare, and yet no place to hide a fall."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.counts import count
from row3.domain.metrics import Metric
from row3.domain.verdicts import Reason, Verdict
from row3.gate.comparison import judge_move, worse_by
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy


def other_text_reasons(pairs: Pairs, others: Pairs, metrics: Sequence[Metric], policy: GatePolicy) -> list[Reason]:
    """A block for each gated metric that is worse by more than the limit once these cases are counted too.

    Their new text may be the harder one, so that they move no delta; but whoever edits texts first and the prompt later
    would have it judged by the other cases alone.

    Args:
        pairs: both sides of the cases that can be compared.
        others: what the baseline says of the others with their text of then, and what they have now.
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
        if judge_move(worse, policy, limit=limit) is Verdict.BLOCK:
            what = f"{metric.title} fell from {before:.1%} to {after:.1%} (more than {limit:g})"
            texts = f"with {count(many[1], 'case')} whose text is another than the baseline's"
            reasons.append(Reason(Verdict.BLOCK, f"{what} {texts}", metric=key))
    return reasons
