"""Cases whose composite is as before, and that fell in a metric for which the gate stops or is to be looked into."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from row3.domain.metrics import Metric
from row3.domain.verdicts import CaseChange, Verdict
from row3.reports.model import ComparisonView


class Elsewhere(NamedTuple):
    """A case with the metric in which it fell most, of those that a reason names."""

    change: CaseChange
    metric: Metric

    @property
    def delta(self) -> float:
        """Current minus baseline, a fraction."""
        return self.change.deltas[self.metric.key]


def fell_elsewhere(comparison: ComparisonView) -> list[Elsewhere]:
    """These cases, worst first; none where the comparison kept none, or no reason names a metric."""
    named = {reason.metric for reason in comparison.reasons if reason.verdict is not Verdict.PROCEED}
    metrics = [metric for metric in comparison.run.suite.kind.metrics if metric.key in named]
    if not metrics:
        return []
    found = [
        Elsewhere(one, max(metrics, key=partial(_worse, one))) for one in comparison.cases if one.move == "unchanged"
    ]
    fell = [one for one in found if _worse(*one) > 0]
    return sorted(fell, key=lambda one: (-_worse(*one), one.change.case_id))


def _worse(change: CaseChange, metric: Metric) -> float:
    delta = change.deltas.get(metric.key, 0.0)
    return -delta if metric.higher_is_better else delta
