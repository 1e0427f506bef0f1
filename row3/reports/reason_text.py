"""Sentences for the reasons of a verdict; reasons with the same code share a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from row3.domain import numbers
from row3.domain.judgements import OMITTED, Code, MetricChange, Reason, Verdict
from row3.domain.scores import SLACK, Metric
from row3.domain.words import count, part, spoken
from row3.gate.policy import GatePolicy, is_ratio, reaches
from row3.gate.results import Comparison, Confirmation
from row3.reports.differences import CRITERIA, NAMED, criteria_text, figure_text
from row3.reports.sentences import move_text, some

NAMED_METRICS = 6
"""Metrics named in one line."""
MOVES = (Code.WORSE, Code.WORSE_UNPROVEN, Code.INCONCLUSIVE)
ALONE = (*MOVES, Code.ROLLING_DROP, Code.NO_LONGER_MEASURED, Code.ENTERED_FAIL_ZONE)
"""Codes with one line per metric."""
METRICS = frozenset({*ALONE, Code.IN_FAIL_ZONE, Code.CANARY})
"""Codes whose subject is a metric."""
LEADING = (Code.UNCONFIRMED, Code.PROVIDER_MOVED, Code.CLEARED)
"""Codes that tell how to take the others: their lines come first and are always shown."""
CONFIRMED = (Code.WORSE, Code.ENTERED_FAIL_ZONE, Code.CRITICAL_BROKE, Code.ROLLING_DROP)
"""Codes that further answers confirm."""
NOISE = {"within": "worse within noise", "unknown": "worse, in too few cases to tell from noise"}
HELD = "no block, as the judge is uncalibrated: "


@dataclass(frozen=True, slots=True)
class Words:
    """Context that sentences need besides a reason's own figures."""

    metrics: Mapping[str, Metric]
    moves: Mapping[str, MetricChange]
    policy: GatePolicy
    brief: bool = False
    """Whether to leave out intervals and p-values."""
    lacking: str = "answer"
    """What failed cases lack."""
    before: str = "before"
    """The side that the answers are compared with."""
    confirmation: Confirmation | None = None
    doubtful: frozenset[str] = frozenset()
    """Subjects of an unconfirmed block."""

    def confirmed(self, reason: Reason) -> bool:
        """Whether further answers confirm that the reason blocks."""
        further = self.confirmation is not None and self.confirmation.answers > 0
        blocks = reason.code in CONFIRMED and reason.verdict is Verdict.BLOCK
        return further and blocks and not reason.after and reason.subject not in self.doubtful


class Ground(NamedTuple):
    """One line of a verdict's reasons."""

    verdict: Verdict
    text: str
    reasons: tuple[Reason, ...]

    @property
    def note(self) -> bool:
        """Whether it leaves the verdict unchanged."""
        return self.verdict is Verdict.PROCEED

    @property
    def leads(self) -> bool:
        """Whether it comes first and is always shown."""
        return any(reason.code in LEADING for reason in self.reasons)


def words_of(comparison: Comparison, *, brief: bool = False) -> Words:
    """Return the context for the sentences of a comparison."""
    suite, metrics = comparison.run.suite, {metric.key: metric for metric in comparison.run.suite.kind.metrics}
    moves = {change.key: change for change in comparison.metrics}
    before = "the base asked again" if comparison.interleaved else "before"
    doubtful = frozenset(each.subject for each in comparison.reasons if each.code is Code.UNCONFIRMED)
    rest = comparison.run.lacking, before, comparison.confirmation, doubtful
    return Words(metrics, moves, suite.policy, brief, *rest)


def grounds_of(comparison: Comparison, *, brief: bool = False, noise: bool = False) -> list[Ground]:
    """Return the reasons of a comparison as lines, worst first and notes last.

    Approvals are left out, and doubts about a block beside one that stands for good. `noise` adds a
    note on metrics that fell within noise.
    """
    words = words_of(comparison, brief=brief)
    for_good = any(each.verdict is Verdict.BLOCK and each.subject not in words.doubtful for each in comparison.reasons)
    left_out = (Code.APPROVED, Code.UNCONFIRMED) if for_good else (Code.APPROVED,)
    reasons = [each for each in comparison.reasons if each.code not in left_out]
    found = [*grounds(reasons, words), *(_noise_notes(comparison) if noise else [])]
    return sorted(found, key=lambda ground: not ground.leads)


def _noise_notes(comparison: Comparison) -> list[Ground]:
    """Return one note on the metrics beside the primary one that fell noticeably, within noise."""
    kind, policy, fallen = comparison.run.suite.kind, comparison.run.suite.policy, []
    metrics = {metric.key: metric for metric in kind.metrics if metric.key != kind.primary}
    for change in comparison.metrics:
        metric = metrics.get(change.key)
        if metric is None or change.code or change.noise != "within":
            continue
        if reaches(change.worse_by or 0.0, change.limit if metric.companion else policy.investigate):
            fallen.append(f"{metric.title} {numbers.points(change.delta or 0.0)}")
    text = f"{count(len(fallen), 'other metric')} moved within noise: {some(fallen, NAMED_METRICS)}"
    return [Ground(Verdict.PROCEED, text, ())] if fallen else []


def grounds(reasons: Sequence[Reason], words: Words) -> list[Ground]:
    """Return one line per group of reasons, in order of first appearance."""
    groups: dict[tuple[Any, ...], list[Reason]] = {}
    for reason in reasons:
        groups.setdefault(_group(reason), []).append(reason)
    return [Ground(each[0].verdict, _sentence(each, words), tuple(each)) for each in groups.values()]


def reason_text(reason: Reason, words: Words) -> str:
    """Return the sentence of one reason."""
    return _sentence([reason], words)


def _group(reason: Reason) -> tuple[Any, ...]:
    about = ""
    if reason.code in ALONE or (reason.code is Code.IN_FAIL_ZONE and reason.verdict is Verdict.BLOCK):
        about = reason.subject
    elif reason.code in CRITERIA:
        kind, *rest = reason.subject.split(" ", 2)
        about = "demand" if kind == "case" and len(rest) == 2 else kind
    return reason.code, reason.verdict, reason.after, about, reason.figures.get("uncalibrated"), reason.of_figure


def _sentence(group: Sequence[Reason], words: Words) -> str:
    code = group[0].code
    if code in CRITERIA:
        text = criteria_text(group)
    else:
        sentence = SENTENCES[code]
        text = sentence(group, words) if callable(sentence) else _worded(group, sentence)
        text = f"{HELD}{text}" if group[0].figures.get("uncalibrated") else text
        if words.confirmation is not None and all(map(words.confirmed, group)):
            text += f", confirmed by {further(words.confirmation.answers)}"
    if group[0].after and code is not Code.NO_ANSWER:
        return f"under this change's own criteria, {text}; that would stop the next change"
    return text


def _move(group: Sequence[Reason], words: Words) -> str:
    reason = group[0]
    if reason.of_figure:
        return figure_text(reason)
    change = words.moves.get(reason.subject)
    if change is not None and change.code == reason.code.value and not reason.after:
        metric, confirmed = words.metrics[reason.subject], words.confirmed(reason)
        return move_text(change, metric, words.policy, brief=words.brief, confirmed=confirmed)
    before, after = reason.figures.get("before"), reason.figures.get("after")
    if before is None or after is None:
        return f"{_title(reason, words)} is worse"
    moved = numbers.points(after - before)
    return f"{_title(reason, words)} went from {numbers.percent(before)} to {numbers.percent(after)} ({moved} points)"


def _rolling_drop(group: Sequence[Reason], words: Words) -> str:
    reason = group[0]
    if reason.verdict is Verdict.PROCEED:
        known = count(reason.figures["runs"], "comparable run")
        return f"no rolling baseline yet: the history has {known}, and 2 are needed"
    before, after, drop, runs = (float(reason.figures.get(name, 0)) for name in ("before", "after", "drop", "runs"))
    metric = words.metrics.get(reason.subject)
    ratio = metric is None or is_ratio(metric, before, "relative")
    by = numbers.percent(drop) if ratio else f"{numbers.drop_points(drop)} points"
    fell = f"{by} worse than the mean of the latest {runs:.0f} runs"
    return f"{_title(reason, words)} is {fell}: {numbers.percent(before)} → {numbers.percent(after)}"


def _unanswered(group: Sequence[Reason], words: Words) -> str:
    have = f"{'has' if len(group) == 1 else 'have'} no {words.lacking}"
    return _worded(group, (f"{{n}} case {have}{{whose}}: {{names}}", f"{{n}} cases {have}{{whose}}: {{names}}"))


def _unmeasured(group: Sequence[Reason], words: Words) -> str:
    before = group[0].figures.get("before")
    was = "" if before is None else f" (it was {numbers.percent(before)})"
    return f"{_title(group[0], words)} no longer has a value{was}"


def _entered(group: Sequence[Reason], words: Words) -> str:
    reason = group[0]
    saved = reason.figures.get("saved")
    before = reason.figures.get("before") if saved is None else saved
    if before is None:
        return f"{_title(reason, words)} is in its fail zone: {_zone(reason, words)}"
    how = "fell further inside" if reason.code is Code.IN_FAIL_ZONE else "entered"
    was = numbers.percent(before, limits=[float(reason.figures.get("minimum", 0.0))])
    side = "was" if words.before == "before" else words.before
    earlier = f"{side} {was}" if saved is None else f"was {was} when saved"
    return f"{_title(reason, words)} {how} its fail zone: {_zone(reason, words)}, {earlier}"


def _in_fail_zone(group: Sequence[Reason], words: Words) -> str:
    if group[0].verdict is Verdict.BLOCK:
        return _entered(group, words)
    if len(group) == 1:
        return f"{_title(group[0], words)} is in its fail zone{_still(group[0], words)}: {_zone(group[0], words)}"
    named = [f"{_title(reason, words)} {_zone(reason, words)}" for reason in group]
    return f"{len(group):,} metrics are in their fail zone: {some(named, NAMED_METRICS)}"


def _still(reason: Reason, words: Words) -> str:
    before, after = reason.figures.get("before"), reason.figures.get("after")
    metric = words.metrics.get(reason.subject)
    if before is None or after is None or metric is None:
        return ""
    if metric.drop(before, after) <= SLACK:
        return f", no worse than {words.before}"
    return f", {NOISE.get(reason.figures.get('noise', ''), 'which only warns')}"


def _unconfirmed(group: Sequence[Reason], words: Words) -> str:
    answers, known = int(group[0].figures.get("answers", 0)), words.confirmation
    after = f" after {further(answers)}" if answers else ""
    text = f"not confirmed{after}, may be noise: {some([_title(each, words) for each in group], NAMED_METRICS)}"
    if known is not None and known.stopped:
        asked, missing = known.asked, known.missing
        text += f"; asked {asked:,} of {count(asked + missing, 'more answer')}" if missing else ""
        text += f"; {known.stopped}"
    return text


def further(answers: int) -> str:
    """Return how many answers confirm a block."""
    return f"{count(answers, 'more answer')} a case and side"


def _cleared(group: Sequence[Reason], words: Words) -> str:
    parts = []
    for reason in group:
        figures, title = reason.figures, _title(reason, words)
        if "once" in figures:
            (old, first), before, after = figures["once"], figures["before"], figures["after"]
            title += f" {numbers.points(first - old)} points at first, {numbers.points(after - before)} with them"
        parts.append(title)
    return f"cleared by {further(int(group[0].figures.get('answers', 0)))}: {some(parts, NAMED_METRICS)}"


def _provider_moved(group: Sequence[Reason], words: Words) -> str:
    sides = [[numbers.percent(reason.figures.get(side, 0.0)) for side in ("before", "after")] for reason in group]
    moved = [f"{_title(reason, words)} {' → '.join(each)}" for reason, each in zip(group, sides, strict=True)]
    return f"the provider moved: the base's {', '.join(moved)}"


def _declining(group: Sequence[Reason], _: Words) -> str:
    runs, fall = (group[0].figures.get(name, 0) for name in ("runs", "fall"))
    lasting = ", more than its runs differ" if group[0].verdict is Verdict.INVESTIGATE else ""
    return f"{count(runs, 'consecutive run')} declined, by {numbers.drop_points(fall)} points in all{lasting}"


def _zone(reason: Reason, words: Words) -> str:
    """Return `58.0% (minimum 60%)`, with enough decimals to tell the two apart."""
    after, minimum = (float(reason.figures.get(name, 0.0)) for name in ("after", "minimum"))
    return f"{numbers.percent(after, limits=[minimum])} (minimum {numbers.compact(minimum)})"


def _canary(group: Sequence[Reason], words: Words) -> str:
    rates = [f"{_title(reason, words)} {numbers.percent(reason.figures.get('after', 0.0))}" for reason in group]
    return f"answers contain what golden cases forbid: {', '.join(rates)}"


def _incomparable(group: Sequence[Reason], _: Words) -> str:
    of = group[0].figures.get("cases")
    share = part(len(group), of, "case") if of else count(len(group), "case")
    half = ", more than half" if group[0].verdict is Verdict.BLOCK else ""
    return f"the base cannot answer {share}{half}, so row3 cannot compare them: {_subjects(group)}"


def _subjects(group: Sequence[Reason]) -> str:
    return some([reason.subject for reason in group], NAMED)


SENTENCES: Mapping[Code, str | tuple[str, str] | Callable[[Sequence[Reason], Words], str]] = {
    **dict.fromkeys(MOVES, _move),
    Code.ROLLING_DROP: _rolling_drop,
    Code.NO_LONGER_MEASURED: _unmeasured,
    Code.ENTERED_FAIL_ZONE: _entered,
    Code.IN_FAIL_ZONE: _in_fail_zone,
    Code.UNCONFIRMED: _unconfirmed,
    Code.CLEARED: _cleared,
    Code.PROVIDER_MOVED: _provider_moved,
    Code.CANARY: _canary,
    Code.CASE_BROKE: (
        "the answer to a case is no longer usable: {names}",
        "the answers to {n} cases are no longer usable: {names}",
    ),
    Code.CRITICAL_BROKE: (
        "a critical case broke or fell beyond the limit: {names}",
        "{n} critical cases broke or fell beyond the limit: {names}",
    ),
    Code.QUARANTINED_FELL: (
        "a case in quarantine fell beyond the limit: {names}",
        "{n} cases in quarantine fell beyond the limit: {names}",
    ),
    Code.NO_ANSWER: _unanswered,
    Code.NO_CASE: "no case was scored",
    Code.INCOMPARABLE: _incomparable,
    Code.MODEL_CHANGED: "the model or its settings changed, so the prompts may not be the cause: {before} → {after}",
    Code.SERVED_MODEL_CHANGED: "the provider served {after}; the base's answers are from {before}",
    Code.OMITTED_CHANGED: OMITTED,
    Code.RECORDED_AGAIN: (
        "a case's answer was recorded again for an unchanged request: {names}",
        "the answers to {n} cases were recorded again for unchanged requests: {names}",
    ),
    Code.RECORDED: ("the change records {n} new answer", "the change records {n} new answers"),
    Code.BASELINE_DIFFERS: "the baseline differs from what the promoted versions would write",
    Code.LOCK_BROKEN: (
        "a promoted version was edited, or its lock or file is gone: {names}",
        "{n} promoted versions were edited, or their locks or files are gone: {names}",
    ),
    Code.HISTORY_REMOVED: (
        "{n} entry of metrics-history.json was removed",
        "{n} entries of metrics-history.json were removed",
    ),
    Code.DECLINING: _declining,
    Code.PARTIAL: "only part of the cases ran",
    Code.APPROVED: "approved by {by}: {reason}",
    Code.APPROVAL_STALE: "the approval was given for a different comparison",
}
"""By code, a function that writes the sentence, or templates for one reason and for `n`."""
COUNTED = {Code.RECORDED: "answers", Code.HISTORY_REMOVED: "entries"}
"""Codes that take `n` from this figure."""


def _worded(group: Sequence[Reason], sentence: str | tuple[str, str]) -> str:
    code, figures = group[0].code, group[0].figures
    number = int(figures.get(COUNTED.get(code, ""), len(group)))
    whose = " by the new golden cases, or from what this change promotes" if group[0].after else ""
    text = sentence if isinstance(sentence, str) else sentence[number != 1]
    said = {name: spoken(figures.get(name)) for name in ("before", "after", "by", "reason")}
    return text.format(n=f"{number:,}", names=_subjects(group), whose=whose, **said)


def _title(reason: Reason, words: Words) -> str:
    metric = words.metrics.get(reason.subject)
    return reason.subject if metric is None else metric.title
