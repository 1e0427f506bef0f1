"""Scores of both sides → reasons → verdict (docs/gate.md). Pure: no file, clock or sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from row3.domain.changes import MetricChange
from row3.domain.judgements import Approval, Code, CriteriaChange, Judgement, Reason
from row3.domain.metrics import SLACK, Metric, Threshold, Zone, zones_of
from row3.domain.requests import digest_json
from row3.domain.verdicts import Verdict
from row3.gate.figures import FigureChange, figure_reasons
from row3.gate.policy import GatePolicy
from row3.kinds.demands import SOURCE

SIGNATURE_DIGITS = 16
MOST_INCOMPARABLE = 0.5
"""Largest share of incomparable cases; with more, the comparison blocks."""
CODES = {code.value: code for code in Code}
NO_APPROVALS: Mapping[str, Approval] = {}
UNCALIBRATED: dict[str, Any] = {"uncalibrated": True}
"""Figure of a reason that does not block because the judge is not calibrated."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Candidate and base scored by one set of criteria; metric values are fractions."""

    policy: GatePolicy
    metrics: Sequence[Metric]
    thresholds: Mapping[str, Threshold]
    changes: Sequence[MetricChange] = ()
    """How each metric moved over the cases that both sides answer."""
    before: Mapping[str, float] = field(default_factory=dict)
    """Means of the base over those cases."""
    after: Mapping[str, float] = field(default_factory=dict)
    """Means of the candidate over those cases; over all its cases for a metric that the base never has."""
    cases: int = 0
    failed: Sequence[str] = ()
    """Cases without an answer from the candidate."""
    incomparable: Sequence[str] = ()
    """Cases that only the base cannot answer."""
    broke: Sequence[str] = ()
    critical: Sequence[str] = ()
    """Critical cases that broke, or fell beyond both the limit and their own noise."""
    quarantined: Sequence[str] = ()
    """Quarantined cases that broke or fell beyond the limit."""
    primary: str = ""
    """Metric by which cases fall."""
    by_head: bool = False
    """The criteria are the head's, if they differ from the base's."""
    unchanged: bool = False
    """Equal to the base's own draft in prompts, settings and answers: not judged again."""
    figures: Sequence[FigureChange] = ()
    """How cost, tokens and latency moved, as far as known."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The same answers scored by the old and by the new criteria."""

    figures: Mapping[str, Any]
    """Primary metric before and after, as fractions, for `base` and `candidate`."""
    raises: bool


@dataclass(frozen=True, slots=True)
class Context:
    """Further facts that the verdict depends on."""

    declines: int = 0
    """Consecutive declining runs, including this one."""
    merged: bool = False
    """Cases that share a `source` leave too few independent ones to see a fall that the base's cases could show."""
    partial: bool = False
    flags: Sequence[CriteriaChange] = ()
    """Rules that the command line loosens; only reported, because such a comparison is never saved."""
    recorded_again: Sequence[str] = ()
    """Cases, and texts with an embedding, whose answer to an identical request differs from the base's."""
    recorded: int = 0
    """How many of the candidate's answers the change itself records."""
    model: tuple[str, str] | None = None
    """Model and parameters of base and candidate, if they differ."""
    served: tuple[str, str] | None = None
    history_removed: int = 0
    rolling: Sequence[Reason] = ()
    """The mean of the latest runs, if the suite's gate uses it."""
    added: str = ""
    """What the change adds and is judged by: `suite NAME` or `baseline`."""
    suite_removed: bool = False
    project_changes: Sequence[CriteriaChange] = ()
    """Default suite, protected branch."""
    broken_locks: Sequence[str] = ()
    """References of promoted versions whose lock, file or digest differs from the base's."""
    baseline_removed: bool = False
    baseline_differs: bool = False
    """The head's baseline differs from what its promoted versions would write."""
    unanswered: Sequence[str] = ()
    """Cases without an answer from the head's promoted versions."""


def judge(
    suite: str,
    changes: Sequence[CriteriaChange],
    scores: Sequence[Scores],
    context: Context,
    *,
    effect: Callable[[CriteriaChange], Effect | None] = lambda _: None,
    answers: Iterable[Any] = (),
    approvals: Mapping[str, Approval] = NO_APPROVALS,
    added: bool = False,
) -> Judgement:
    """Return the verdict, which is that of the worst reason, with every reason once.

    `changes` is the inventory without promotion files. `scores` has the candidate's, and those of the head's promoted
    versions if they differ, each by the base's criteria and, if they differ, by the head's. `effect` returns what a
    change does to the scores of the same answers. `answers` has both sides' digests by case, for the signature.
    `approvals` has those missing at the base, by signature; `added` says that the change itself adds them.
    """
    given: dict[tuple[str, str], Reason] = {}
    for reason in _all(suite, changes, scores, context, effect):
        known = given.get(reason.key)
        if known is None or known.verdict < reason.verdict:
            given[reason.key] = reason
    reasons = sorted(given.values(), key=lambda reason: -reason.verdict)
    complete = Code.NO_ANSWER not in {reason.code for reason in reasons}
    verdict = max((reason.verdict for reason in reasons), default=Verdict.PROCEED)
    signed = signature(suite, changes, answers, reasons)
    approval = approvals.get(signed) if complete and verdict is not Verdict.PROCEED else None
    judgement = Judgement(verdict, tuple(reasons), complete, signed)
    if approval is not None:
        return approved(judgement, approval)
    if not (added and approvals and verdict is Verdict.BLOCK):
        return judgement
    newest = max(approvals.values(), key=lambda each: each.at)
    return replace(judgement, reasons=(*reasons, _note(Code.APPROVAL_STALE, newest)))


def approved(judgement: Judgement, approval: Approval) -> Judgement:
    """Return the judgement with an approval, which replaces an earlier one."""
    reasons = [each for each in judgement.reasons if each.code not in (Code.APPROVED, Code.APPROVAL_STALE)]
    return replace(judgement, reasons=(*reasons, _note(Code.APPROVED, approval)), approval=approval)


def _note(code: Code, approval: Approval) -> Reason:
    return Reason(code, Verdict.PROCEED, figures={"by": approval.by, "reason": approval.reason})


def signature(suite: str, changes: Sequence[CriteriaChange], answers: Iterable[Any], reasons: Iterable[Reason]) -> str:
    """Return the digest an approval is bound to: inventory, both sides' answers, codes and subjects; no sentences."""
    listed = [[each.effect, each.key, _plain(each.before), _plain(each.after)] for each in changes]
    grounds = sorted({reason.key for reason in reasons if reason.verdict is not Verdict.PROCEED})
    return digest_json([suite, listed, sorted(answers), grounds])[:SIGNATURE_DIGITS]


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


def _all(
    suite: str,
    changes: Sequence[CriteriaChange],
    scores: Sequence[Scores],
    context: Context,
    effect: Callable[[CriteriaChange], Effect | None],
) -> Iterator[Reason]:
    for each in scores:
        yield from (Reason(Code.NO_ANSWER, Verdict.BLOCK, case, after=each.by_head) for case in each.failed)
    for each in scores:
        for reason in () if each.unchanged else _score_reasons(each):
            # Cases that the base cannot answer do not affect the next change: its base is this head.
            if not each.by_head or (reason.verdict is Verdict.BLOCK and reason.code is not Code.INCOMPARABLE):
                yield replace(reason, after=each.by_head)
    yield from _criteria_reasons(changes, effect, merged=context.merged)
    yield from _context_reasons(suite, context)
    yield from (Reason(Code.LOCK_BROKEN, Verdict.BLOCK, ref) for ref in context.broken_locks)
    if context.baseline_removed:
        yield Reason(Code.CRITERIA_REMOVED, Verdict.BLOCK, "baseline")
    if context.baseline_differs:
        yield Reason(Code.BASELINE_DIFFERS, Verdict.BLOCK, "baseline")
    yield from (Reason(Code.NO_ANSWER, Verdict.BLOCK, case, after=True) for case in context.unanswered)


def _score_reasons(scores: Scores) -> Iterator[Reason]:
    """Yield the reasons that follow from scores: moves, zones, forbidden answers, broken and incomparable cases."""
    if not scores.cases:
        yield Reason(Code.NO_CASE, Verdict.BLOCK)
    for change in scores.changes:
        if change.code:
            figures: dict[str, Any] = {"before": change.baseline, "after": change.current}
            held = change.key in scores.policy.held
            yield Reason(CODES[change.code], change.verdict, change.key, figures | UNCALIBRATED if held else figures)
    yield from figure_reasons(scores.figures)
    yield from _zone_reasons(scores)
    for metric in scores.metrics:
        if metric.alarm and scores.after.get(metric.key, 0.0) > SLACK:
            yield Reason(Code.CANARY, Verdict.INVESTIGATE, metric.key, {"after": scores.after[metric.key]})
    critical = frozenset(scores.critical)
    for case in scores.critical:
        held = scores.primary in scores.policy.held and case not in scores.broke
        verdict = Verdict.INVESTIGATE if held else Verdict.BLOCK
        yield Reason(Code.CRITICAL_BROKE, verdict, case, UNCALIBRATED if held else {})
    yield from (Reason(Code.CASE_BROKE, Verdict.INVESTIGATE, case) for case in scores.broke if case not in critical)
    yield from (Reason(Code.QUARANTINED_FELL, Verdict.INVESTIGATE, case) for case in scores.quarantined)
    many = len(scores.incomparable) > MOST_INCOMPARABLE * scores.cases
    verdict = Verdict.BLOCK if many else Verdict.INVESTIGATE
    figures = {"count": len(scores.incomparable), "cases": scores.cases}
    yield from (Reason(Code.INCOMPARABLE, verdict, case, figures) for case in scores.incomparable)


def _zone_reasons(scores: Scores) -> Iterator[Reason]:
    """Yield fail-zone reasons: a gated metric blocks if it enters its zone or falls further (STANDARDS 4.3, 5.2)."""
    zones = zones_of(scores.after, scores.metrics, scores.thresholds)
    earlier = zones_of(scores.before, scores.metrics, scores.thresholds)
    for metric in scores.metrics:
        key = metric.key
        if zones.get(key) is not Zone.FAIL:
            continue
        gated, threshold = key in scores.policy.metrics, scores.thresholds[key]
        warns = not threshold.blocking or not (gated or metric.blocking)
        if not (gated or warns):
            continue
        now, before = scores.after[key], scores.before.get(key)
        figures: dict[str, Any] = {"before": before, "after": now, "minimum": threshold.minimum}
        drop = 0.0 if before is None else metric.drop(before, now)
        worse = earlier.get(key) is not Zone.FAIL or drop > SLACK
        if worse and not warns:
            yield Reason(Code.ENTERED_FAIL_ZONE, Verdict.BLOCK, key, figures)
        else:
            held = worse and threshold.held
            yield Reason(Code.IN_FAIL_ZONE, Verdict.INVESTIGATE, key, figures | UNCALIBRATED if held else figures)


def _criteria_reasons(
    changes: Iterable[CriteriaChange], effect: Callable[[CriteriaChange], Effect | None], *, merged: bool
) -> Iterator[Reason]:
    """Yield a reason for each changed criterion; an addition that raises the same answers' score counts as changed.

    A `source` loosens if cases are `merged`.
    """
    for change in changes:
        figures: dict[str, Any] = {"before": _plain(change.before), "after": _plain(change.after)}
        hides = merged and change.key == f"case {change.case_id} {SOURCE}"
        if hides or change.effect in ("removed", "loosened"):
            code = Code.CRITERIA_REMOVED if change.effect == "removed" else Code.CRITERIA_LOOSENED
            yield Reason(code, Verdict.BLOCK, change.key, figures)
            continue
        found = effect(change)
        if found is not None:
            figures |= found.figures
        if change.effect == "changed" or (found is not None and found.raises):
            yield Reason(Code.CRITERIA_CHANGED, Verdict.INVESTIGATE, change.key, figures)
        else:
            code = Code.CRITERIA_ADDED if change.effect == "added" else Code.CRITERIA_TIGHTENED
            yield Reason(code, Verdict.PROCEED, change.key, figures)


def _context_reasons(suite: str, context: Context) -> Iterator[Reason]:
    if context.suite_removed:
        yield Reason(Code.CRITERIA_REMOVED, Verdict.BLOCK, f"suite {suite}")
    if context.added:
        yield Reason(Code.CRITERIA_ADDED, Verdict.PROCEED, context.added)
    for code, verdict, changes in (
        (Code.CRITERIA_CHANGED, Verdict.INVESTIGATE, context.project_changes),
        (Code.CRITERIA_LOOSENED, Verdict.PROCEED, context.flags),
    ):
        for change in changes:
            yield Reason(code, verdict, change.key, {"before": change.before, "after": change.after})
    if context.partial:
        yield Reason(Code.PARTIAL, Verdict.INVESTIGATE)
    yield from context.rolling
    if context.declines:
        yield Reason(Code.DECLINING, Verdict.INVESTIGATE, figures={"runs": context.declines})
    yield from (Reason(Code.RECORDED_AGAIN, Verdict.INVESTIGATE, case) for case in context.recorded_again)
    if context.recorded:
        yield Reason(Code.RECORDED, Verdict.PROCEED, figures={"answers": context.recorded})
    if context.history_removed:
        yield Reason(Code.HISTORY_REMOVED, Verdict.INVESTIGATE, figures={"entries": context.history_removed})
    for code, pair in ((Code.MODEL_CHANGED, context.model), (Code.SERVED_MODEL_CHANGED, context.served)):
        if pair is not None:
            yield Reason(code, Verdict.PROCEED, figures={"before": pair[0], "after": pair[1]})
