"""Whether a critical case broke, which blocks whatever the mean does."""

from __future__ import annotations

from row3.domain.metrics import Zone
from row3.domain.verdicts import Compared, Verdict
from row3.gate.comparison import judge_move, worse_by
from row3.gate.silence import both_sides
from row3.gate.zones import zone_of
from row3.store.suites import Suite
from row3.workflows.pipeline.results import CaseResult


def how_it_broke(suite: Suite, result: CaseResult, compared: Compared) -> str:
    """How a critical case broke: no usable answer, worse by more than the limit, or newly in its fail zone."""
    kind, policy = suite.kind, suite.policy
    if compared.change.move == "broke":
        return "broke: its answer cannot be used"
    old = compared.saved if compared.before is None else compared.before
    if old is None:
        return ""
    before, after = (side.get(kind.primary) for side in both_sides(kind, old, result.metrics))
    if before is None or after is None:
        return ""
    metric = next(metric for metric in kind.metrics if metric.key == kind.primary)
    worse = worse_by(before, after, higher_is_better=metric.higher_is_better, unit=policy.unit)
    if judge_move(worse, policy, limit=policy.limit(kind.primary)) is Verdict.BLOCK:
        held = (
            "and its old answer cannot be scored again"
            if compared.unscored
            else "with another text than the baseline's"
        )
        text = "" if compared.saved is None else f", {held}"
        if kind.primary not in old:
            return f"broke: where nothing is to be found, something is invented{text}"
        return f"broke: {metric.title} fell from {before:.1%} to {after:.1%}{text}"
    limits = suite.rules.thresholds.get(kind.primary)
    if limits is not None and not limits.blocking:
        return ""
    failed_before = limits is None or zone_of(before, limits, higher_is_better=metric.higher_is_better) is Zone.FAIL
    if result.zones.get(kind.primary) is Zone.FAIL and not failed_before:
        return f"broke: {metric.title} {after:.1%} is in the fail zone"
    return ""
