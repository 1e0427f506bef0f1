"""Sentences for the reasons of a verdict; reasons with the same code share a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from row3.domain import numbers
from row3.domain.changes import MetricChange
from row3.domain.judgements import Code, Reason
from row3.domain.metrics import SLACK, Metric
from row3.domain.verdicts import Verdict
from row3.domain.words import count, part, spoken
from row3.gate.policy import GatePolicy
from row3.gate.results import Comparison
from row3.kinds.demands import DISARMED
from row3.reports.figures import figure_text
from row3.reports.sentences import move_text, some

NAMED, NAMED_METRICS = 3, 6
"""Cases, demands and rules named in one line, and metrics."""
MOVES = (Code.WORSE, Code.WORSE_UNPROVEN, Code.INCONCLUSIVE)
ALONE = (*MOVES, Code.ROLLING_DROP, Code.NO_LONGER_MEASURED, Code.ENTERED_FAIL_ZONE)
"""Codes with one line per metric."""
METRICS = frozenset({*ALONE, Code.IN_FAIL_ZONE, Code.CANARY})
"""Codes whose subject is a metric."""
HELD = "no block, as the judge is uncalibrated: "
CRITERIA = {
    Code.CRITERIA_ADDED: "new",
    Code.CRITERIA_TIGHTENED: "tightened",
    Code.CRITERIA_CHANGED: "changed",
    Code.CRITERIA_REMOVED: "removed",
    Code.CRITERIA_LOOSENED: "loosened",
}


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


@dataclass(frozen=True, slots=True)
class Ground:
    """One line of a verdict's reasons."""

    verdict: Verdict
    text: str
    reasons: tuple[Reason, ...]

    @property
    def note(self) -> bool:
        """Whether it leaves the verdict unchanged."""
        return self.verdict is Verdict.PROCEED


def words_of(comparison: Comparison, *, brief: bool = False) -> Words:
    """Return the context for the sentences of a comparison."""
    suite = comparison.run.suite
    metrics = {metric.key: metric for metric in suite.kind.metrics}
    moves = {change.key: change for change in comparison.metrics}
    return Words(metrics, moves, suite.policy, brief, comparison.run.lacking)


def grounds_of(comparison: Comparison, *, brief: bool = False) -> list[Ground]:
    """Return the reasons of a comparison as lines, worst first and notes last; approvals are left out."""
    return grounds(
        [each for each in comparison.reasons if each.code is not Code.APPROVED], words_of(comparison, brief=brief)
    )


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
    if reason.code in ALONE:
        about = reason.subject
    elif reason.code in CRITERIA:
        kind, *rest = reason.subject.split(" ", 2)
        about = "demand" if kind == "case" and len(rest) == 2 else kind
    return reason.code, reason.verdict, reason.after, about, reason.figures.get("uncalibrated"), reason.of_figure


def _sentence(group: Sequence[Reason], words: Words) -> str:
    code = group[0].code
    if code in CRITERIA:
        text = _criteria(group)
    else:
        sentence = SENTENCES[code]
        text = sentence(group, words) if callable(sentence) else _worded(group, sentence)
        text = f"{HELD}{text}" if group[0].figures.get("uncalibrated") else text
    if group[0].after and code is not Code.NO_ANSWER:
        return f"under this change's own criteria, {text}; that would stop the next change"
    return text


def _move(group: Sequence[Reason], words: Words) -> str:
    reason = group[0]
    if reason.of_figure:
        return figure_text(reason)
    change = words.moves.get(reason.subject)
    if change is not None and change.code == reason.code.value and not reason.after:
        return move_text(change, words.metrics[reason.subject], words.policy, brief=words.brief)
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
    fell = f"{numbers.percent(drop)} worse than the mean of the latest {runs:.0f} runs"
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
    before, metric = reason.figures.get("before"), words.metrics.get(reason.subject)
    zone = _zone(reason, words)
    if before is None:
        return f"{_title(reason, words)} is in its fail zone: {zone}"
    minimum = float(reason.figures.get("minimum", 0.0))
    higher = metric is None or metric.higher_is_better
    inside = before < minimum - SLACK if higher else before > minimum + SLACK
    how = "fell further inside" if inside else "entered"
    return f"{_title(reason, words)} {how} its fail zone: {zone}, was {numbers.percent(before, limits=[minimum])}"


def _in_fail_zone(group: Sequence[Reason], words: Words) -> str:
    if len(group) == 1:
        return f"{_title(group[0], words)} is in its fail zone{_still(group[0], words)}: {_zone(group[0], words)}"
    named = [f"{_title(reason, words)} {_zone(reason, words)}" for reason in group]
    return f"{len(group):,} metrics are in their fail zone: {some(named, NAMED_METRICS)}"


def _still(reason: Reason, words: Words) -> str:
    before, after = reason.figures.get("before"), reason.figures.get("after")
    metric = words.metrics.get(reason.subject)
    if before is None or after is None or metric is None:
        return ""
    return ", which only warns" if metric.drop(before, after) > SLACK else ", no worse than before"


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
    Code.DECLINING: ("{n} consecutive run declined", "{n} consecutive runs declined"),
    Code.PARTIAL: "only part of the cases ran",
    Code.APPROVED: "approved by {by}: {reason}",
    Code.APPROVAL_STALE: "the approval was given for a different comparison",
}
"""By code, a function that writes the sentence, or templates for one reason and for `n`."""
COUNTED = {Code.RECORDED: "answers", Code.HISTORY_REMOVED: "entries", Code.DECLINING: "runs"}
"""Codes that take `n` from this figure."""


def _worded(group: Sequence[Reason], sentence: str | tuple[str, str]) -> str:
    code, figures = group[0].code, group[0].figures
    number = int(figures.get(COUNTED.get(code, ""), len(group)))
    whose = " by the new golden cases, or from what this change promotes" if group[0].after else ""
    text = sentence if isinstance(sentence, str) else sentence[number != 1]
    said = {name: spoken(figures.get(name)) for name in ("before", "after", "by", "reason")}
    return text.format(n=f"{number:,}", names=_subjects(group), whose=whose, **said)


def _criteria(group: Sequence[Reason]) -> str:
    word = CRITERIA[group[0].code]
    kind, _, name = group[0].subject.partition(" ")
    if kind == "baseline":
        return f"the baseline was {word}"
    if kind == "suite" and len(group) == 1:
        return f"suite {name} is new, judged by its own baseline" if word == "new" else f"suite {name} was {word}"
    if kind == "case" and " " not in name:
        return (
            f"{_were(count(len(group), 'golden case'), len(group), word)}: {some(list(map(_after_kind, group)), NAMED)}"
        )
    if kind == "case":
        if len(group) == 1:
            case_id, _, demand = name.partition(" ")
            return f"golden case {case_id}: {_were(_demand(demand), 1, word)}{_effect(group)}"
        demands = f"{len(group):,} demands of golden cases"
        return f"{_were(demands, len(group), word)}: {_demands(group)}{_effect(group)}"
    one, many = {"rule": ("rule", "rules"), "quarantine": ("quarantine of", "quarantine entries")}.get(
        kind, ("setting", "settings")
    )
    if len(group) == 1:
        return f"{_were(f'{one} {name or kind}', 1, word)}: {_values(group[0])}{_effect(group)}"
    values = [f"{_after_kind(reason)} {_values(reason)}" for reason in group]
    return f"{_were(f'{len(group):,} {many}', len(group), word)}: {some(values, NAMED)}{_effect(group)}"


def _were(what: str, number: int, word: str) -> str:
    """Return `12 golden cases are new`, `rule x was loosened`, `2 demands changed`."""
    if word == "changed":
        return f"{what} changed"
    verb = ("is", "are") if word == "new" else ("was", "were")
    return f"{what} {verb[number != 1]} {word}"


def _after_kind(reason: Reason) -> str:
    return reason.subject.partition(" ")[2]


def _demands(group: Sequence[Reason]) -> str:
    """Return `ozone (concept halons, canary x), bank-runs (input)`."""
    by_case: dict[str, list[str]] = {}
    for reason in group:
        case_id, _, demand = _after_kind(reason).partition(" ")
        by_case.setdefault(case_id, []).append(_demand(demand))
    return some([f"{case_id} ({some(demands, NAMED)})" for case_id, demands in by_case.items()], NAMED)


def _demand(key: str) -> str:
    """Return `concept halons` for the key `concept:halons`."""
    armed = key.removeprefix(DISARMED)
    return armed.replace(":", " ", 1) + (" (expected now)" if armed != key else "")


def _values(reason: Reason) -> str:
    before, after = reason.figures.get("before"), reason.figures.get("after")
    return f"{spoken(before)} → {spoken(after)}"


def _effect(group: Sequence[Reason]) -> str:
    """Return the largest effect of the new criteria on the score of the same answers, if known."""
    parts = []
    for side in ("base", "candidate"):
        pairs = [pair for reason in group if (pair := reason.figures.get(side)) is not None]
        moves = [after - before for before, after in pairs if before is not None and after is not None]
        if moves:
            parts.append(f"{numbers.points(max(moves, key=abs))} ({side})")
    return f"; the same answers score {', '.join(parts)} points" if parts else ""


def _title(reason: Reason, words: Words) -> str:
    metric = words.metrics.get(reason.subject)
    return reason.subject if metric is None else metric.title
