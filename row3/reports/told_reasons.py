"""The grounds of a verdict as a person is told them: answers that cannot be used first, and in a line what follows."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.verdicts import Reason, Verdict
from row3.reports.model import ComparisonView

NAMED = 3
"""Cases that are named each in a line of its own."""


def told_reasons(comparison: ComparisonView) -> list[Reason]:
    """The reasons, those that follow from broken cases in a line a verdict after these, and at their place."""
    reasons = comparison.reasons
    broke, follow = [each for each in reasons if each.broke], [each for each in reasons if each.follows]
    if not broke:
        return list(reasons)
    these = {id(each) for each in (*broke, *follow)}
    first = next(place for place, each in enumerate(reasons) if id(each) in these)
    rest = [each for each in reasons[first:] if id(each) not in these]
    return [*reasons[:first], *_broke(broke), *_follow(comparison, follow, broke), *rest]


def _broke(broke: Sequence[Reason]) -> list[Reason]:
    """Those that block by themselves each, and the first others."""
    told = [each for each in broke if each.verdict is Verdict.BLOCK]
    others = [each for each in broke if each.verdict is not Verdict.BLOCK]
    told += others[:NAMED]
    left = len(others) - NAMED
    if left > 0:
        told.append(Reason(Verdict.INVESTIGATE, f"{left:,} more broke: no answer can be used", broke=True))
    return told


def _follow(comparison: ComparisonView, follow: Sequence[Reason], broke: Sequence[Reason]) -> list[Reason]:
    told = []
    cause = f"{broke[0].case_id} alone" if len(broke) == 1 else f"the {len(broke):,} cases that broke"
    for verdict in sorted({each.verdict for each in follow}, reverse=True):
        keys = {each.metric for each in follow if each.verdict is verdict}
        names = [metric.title for metric in comparison.run.suite.kind.metrics if metric.key in keys]
        named = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        are = "is" if len(names) == 1 else "are"
        told.append(Reason(verdict, f"follows from {cause}: {named} {are} worse", follows=True))
    return told
