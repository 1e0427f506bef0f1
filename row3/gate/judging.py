"""Scores of both sides → reasons → verdict (docs/gate.md). Pure: no file, clock or sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from row3.domain.judgements import Code, CriteriaChange, Judgement, Reason, Verdict
from row3.domain.requests import digest_listed
from row3.domain.runs import Approval
from row3.domain.scores import SLACK, Zone, zones_of
from row3.gate.exact import holm
from row3.gate.policy import ALPHA, figure_reasons
from row3.gate.scores import Context, Effect, Scores
from row3.kinds.demands import SOURCE

SIGNATURE_DIGITS = 16
MOST_INCOMPARABLE = 0.5
"""Largest share of incomparable cases; with more, the comparison blocks."""
CODES = {code.value: code for code in Code}
NO_APPROVALS: Mapping[str, Approval] = {}
UNCALIBRATED: dict[str, Any] = {"uncalibrated": True}
"""Figure of a reason that does not block because the judge is not calibrated."""


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
    change does to the scores of the same answers. `answers` has both sides' digests by case, sorted, for the signature.
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
    return digest_listed([suite, listed], answers, [grounds])[:SIGNATURE_DIGITS]


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
            counts = reason.verdict is Verdict.BLOCK and reason.code is not Code.INCOMPARABLE
            if not each.by_head or counts or reason.code is Code.CLEARED:
                yield replace(reason, after=each.by_head)
    yield from _criteria_reasons(changes, effect, merged=context.merged)
    yield from _context_reasons(suite, context)
    yield from (Reason(Code.LOCK_BROKEN, Verdict.BLOCK, ref) for ref in context.broken_locks)
    if context.baseline_removed:
        yield Reason(Code.CRITERIA_REMOVED, Verdict.BLOCK, "baseline")
    if context.baseline_differs:
        yield Reason(Code.BASELINE_DIFFERS, Verdict.BLOCK, "baseline")
    yield from (Reason(Code.NO_ANSWER, Verdict.BLOCK, case, after=True) for case in context.unanswered)


def unconfirmed(scores: Scores) -> list[str]:
    """Return the metrics and critical cases that block although more answers could clear them."""
    return [reason.subject for reason in _measured(scores) if reason.code is Code.UNCONFIRMED]


def blocks_for_good(scores: Scores) -> bool:
    """Return whether the scores block for a reason that no further answer can clear."""
    subjects = unconfirmed(scores)
    return any(each.verdict is Verdict.BLOCK and each.subject not in subjects for each in _score_reasons(scores))


def _score_reasons(scores: Scores) -> Iterator[Reason]:
    """Yield the reasons that follow from scores: moves, zones, forbidden answers, broken and incomparable cases."""
    if not scores.cases:
        yield Reason(Code.NO_CASE, Verdict.BLOCK)
    measured = sorted(_measured(scores), key=lambda reason: reason.code is Code.UNCONFIRMED)
    yield from measured
    yield from figure_reasons(scores.figures)
    if scores.once is not None:
        blocked = {reason.subject for reason in measured if reason.verdict is Verdict.BLOCK}
        for subject in unconfirmed(scores.once):
            if subject not in blocked:
                yield Reason(Code.CLEARED, Verdict.PROCEED, subject, _cleared(scores, scores.once, subject))
    for metric in scores.metrics:
        now, before = scores.after.get(metric.key, 0.0), scores.before.get(metric.key, 0.0)
        if metric.alarm and now > before + SLACK:
            yield Reason(Code.CANARY, Verdict.INVESTIGATE, metric.key, {"before": before, "after": now})
    others = [case for case in scores.broke if case not in scores.critical]
    yield from (Reason(Code.CASE_BROKE, Verdict.INVESTIGATE, case) for case in others)
    yield from (Reason(Code.QUARANTINED_FELL, Verdict.INVESTIGATE, case) for case in scores.quarantined)
    many = len(scores.incomparable) > MOST_INCOMPARABLE * scores.cases
    verdict = Verdict.BLOCK if many else Verdict.INVESTIGATE
    figures = {"count": len(scores.incomparable), "cases": scores.cases}
    yield from (Reason(Code.INCOMPARABLE, verdict, case, figures) for case in scores.incomparable)


def _measured(scores: Scores) -> Iterator[Reason]:
    """Yield the reasons that noise may explain, each with `unconfirmed` where more answers could clear it."""
    for change in sorted(scores.changes, key=lambda change: change.key != scores.primary):
        if change.code:
            figures: dict[str, Any] = {"before": change.baseline, "after": change.current}
            held = change.key in scores.policy.held
            yield Reason(CODES[change.code], change.verdict, change.key, figures | UNCALIBRATED if held else figures)
            if change.unconfirmed:
                yield _unconfirmed(scores, change.key)
    yield from _zone_reasons(scores)
    # half of `ALPHA_FALL`, because each confirmation looks twice
    tested = holm({case: 1.0 if p is None else p for case, p in scores.critical.items()}, ALPHA)
    for case, p in scores.critical.items():
        if p == 1.0:
            continue
        beyond, held = tested[case][0] <= ALPHA, scores.primary in scores.policy.held and case not in scores.broke
        blocks = not held and (beyond or not scores.final or p is None or not scores.policy.confirm)
        verdict = Verdict.BLOCK if blocks else Verdict.INVESTIGATE
        yield Reason(Code.CRITICAL_BROKE, verdict, case, UNCALIBRATED if held else {})
        if blocks and not beyond and not scores.final:
            yield _unconfirmed(scores, case)


def _unconfirmed(scores: Scores, subject: str) -> Reason:
    return Reason(Code.UNCONFIRMED, Verdict.BLOCK, subject, {"answers": scores.confirmed})


def _cleared(scores: Scores, once: Scores, subject: str) -> dict[str, Any]:
    """Return a cleared metric's change at first and over all answers; a case has no figures."""
    figures: dict[str, Any] = {"answers": scores.confirmed}
    if subject in once.before and subject in scores.before:
        figures |= {"once": (once.before[subject], once.after[subject])}
        figures |= {"before": scores.before[subject], "after": scores.after[subject]}
    return figures


def _zone_reasons(scores: Scores) -> Iterator[Reason]:
    """Yield fail-zone reasons: a gated metric blocks if it enters its zone (STANDARDS 4.3, 5.2), or falls further in it
    beyond noise. An entry that may be noise is cleared by the last look if the fall is within the metric's limit."""
    zones = zones_of(scores.after, scores.metrics, scores.thresholds)
    earlier = zones_of(scores.before, scores.metrics, scores.thresholds)
    saved = {key: change.baseline for key, change in scores.saved.items() if change.baseline is not None}
    saved_zones = zones_of(saved, scores.metrics, scores.thresholds)
    noises = {change.key: change.noise for change in scores.changes}
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
        enters, noise = earlier.get(key) is not Zone.FAIL, noises.get(key, "")
        # The base is in the zone too now that it was asked again, but its saved answers were not.
        moved = not enters and key in saved and saved_zones.get(key) is not Zone.FAIL
        if moved:
            figures["saved"] = before = saved[key]
            enters, noise = True, scores.saved[key].noise
        fell = before is not None and metric.drop(before, now) > SLACK
        beyond = before is None or (fell and noise == "beyond")
        further = before is None or scores.policy.beyond_limit(metric, before, now)
        stays = beyond or further or noise == "unknown" or not scores.policy.confirm
        if not warns and enters and (stays or not scores.final):
            yield Reason(Code.ENTERED_FAIL_ZONE, Verdict.BLOCK, key, figures)
            if moved:
                yield Reason(Code.PROVIDER_MOVED, Verdict.PROCEED, key, {"before": before, "after": scores.before[key]})
            if not beyond and not scores.final:
                yield _unconfirmed(scores, key)
        else:
            blocks, held = not warns and beyond and fell, (enters or fell) and threshold.held
            verdict = Verdict.BLOCK if blocks else Verdict.INVESTIGATE
            figures |= {"noise": noise or "unknown"} if fell and not (warns or blocks) else {}
            yield Reason(Code.IN_FAIL_ZONE, verdict, key, figures | UNCALIBRATED if held else figures)


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
    if context.decline.runs:
        verdict = Verdict.INVESTIGATE if context.decline.lasting else Verdict.PROCEED
        yield Reason(Code.DECLINING, verdict, figures={"runs": context.decline.runs, "fall": context.decline.fall})
    yield from (Reason(Code.RECORDED_AGAIN, Verdict.INVESTIGATE, case) for case in context.recorded_again)
    if context.recorded:
        yield Reason(Code.RECORDED, Verdict.PROCEED, figures={"answers": context.recorded})
    if context.history_removed:
        yield Reason(Code.HISTORY_REMOVED, Verdict.INVESTIGATE, figures={"entries": context.history_removed})
    if (moved := context.provider_moved) is not None:
        figures = {"before": moved.baseline, "after": moved.current}
        yield Reason(Code.PROVIDER_MOVED, Verdict.PROCEED, moved.key, figures)
    pairs = {Code.MODEL_CHANGED: context.model, Code.SERVED_MODEL_CHANGED: context.served}
    for code, pair in (pairs | {Code.OMITTED_CHANGED: context.omitted}).items():
        if pair is not None:
            yield Reason(code, Verdict.PROCEED, figures={"before": pair[0], "after": pair[1]})
