"""The top of the page in the words of the other reports, and the diffs of the prompts; the template lays it out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric
from row3.domain.verdicts import Verdict
from row3.gate.results import Comparison
from row3.reports import numbers
from row3.reports.advice import approval_line, is_complete, look, summary, what_next
from row3.reports.bounds_text import bounds_lines
from row3.reports.differences import difference_lines
from row3.reports.headline import (
    baseline_origin,
    declines_line,
    shown_metrics,
    shown_model,
    skipped_lines,
    title_of,
    usage_lines,
    what_runs,
)
from row3.reports.html.charts import Whisker, ZoneScale, whisker, widest, zone_scale
from row3.reports.move_text import level_text, move_text
from row3.reports.quarantine_text import quarantine_sentences
from row3.reports.reason_text import Ground as ReasonLine
from row3.reports.reason_text import grounds_of
from row3.reports.sensitivity_text import sensitivity_sentence
from row3.reports.style import MARKS, VERDICT_MARKS

SHOWN_NOTES = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of the table."""

    title: str
    primary: bool
    before: str
    now: str
    points: str
    tone: str
    """`good`, `bad` or `even`."""
    interval: str
    whisker: Whisker | None
    zone: str
    mark: str
    limits: Sequence[tuple[str, str]]
    scale: ZoneScale | None
    verdict: str
    why: str
    cases: int


@dataclass(frozen=True, slots=True)
class Ground:
    """One reason of the verdict."""

    verdict: str
    mark: str
    text: str
    case_id: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything above the cases, and the facts below them."""

    title: str
    verdict: str
    mark: str
    word: str
    line: str
    what_runs: str
    baseline: str
    reasons: Sequence[Ground]
    approval: str
    next_steps: Sequence[str]
    rows: Sequence[Row]
    companions: Sequence[Row]
    level: str
    """Of the intervals: `90%`."""
    sensitivity: str
    facts: Sequence[tuple[str, Sequence[str]]]


def summary_of(comparison: Comparison) -> Summary:
    """The summary of a comparison."""
    run, shown = comparison.run, look(comparison)
    tones = {"good": "proceed", "warning": "investigate", "bad": "block"}
    return Summary(
        title=run.suite.name,
        verdict=tones[shown.tone] if is_complete(comparison) else "incomplete",
        mark=shown.mark,
        word=shown.word,
        line=summary(comparison),
        what_runs=what_runs(run),
        baseline=_baseline(comparison),
        reasons=[_ground(comparison, line) for line in grounds_of(comparison)],
        approval=approval_line(comparison),
        next_steps=what_next(comparison),
        rows=_rows(comparison, companion=False),
        companions=_rows(comparison, companion=True),
        level=level_text(run.suite.policy),
        sensitivity=sensitivity_sentence(comparison.sensitivity, title_of(run.suite, run.suite.kind.primary)),
        facts=_facts(comparison),
    )


def _ground(comparison: Comparison, line: ReasonLine) -> Ground:
    """A reason; one about a single case leads to that case."""
    subject = line.reasons[0].subject if len(line.reasons) == 1 else ""
    known = {change.case_id for change in comparison.cases}
    word = "note" if line.note else line.verdict.word
    return Ground(word, VERDICT_MARKS[line.verdict], line.text, subject if subject in known else "")


def _baseline(comparison: Comparison) -> str:
    baseline = comparison.baseline
    ref = f" · from git {comparison.against}" if comparison.against else ""
    return f"{baseline_origin(baseline, comparison.run.suite)}{ref}"


def _rows(comparison: Comparison, *, companion: bool) -> list[Row]:
    changes = {change.key: change for change in comparison.metrics}
    shown = [metric for metric in shown_metrics(comparison.run.suite, companion=companion) if metric.key in changes]
    intervals = [one for metric in shown if (one := changes[metric.key].interval) is not None]
    most = widest(intervals)
    return [_row(comparison, metric, changes[metric.key], most) for metric in shown]


def _row(comparison: Comparison, metric: Metric, change: MetricChange, most: float) -> Row:
    run = comparison.run
    limits = run.suite.rules.thresholds.get(metric.key)
    beside = numbers.limits_of(limits)
    zone = run.zones.get(metric.key)
    interval = change.interval
    worse = change.worse_by or 0.0
    names = ("minimum", "target", "excellent")
    return Row(
        title=metric.title,
        primary=metric.key == run.suite.kind.primary,
        before="–" if change.baseline is None else numbers.percent(change.baseline, beside=beside),
        now="–" if change.current is None else numbers.percent(change.current, beside=beside),
        points="–" if change.delta is None else numbers.points(change.delta),
        tone="even" if abs(worse) < 0.05 else "bad" if worse > 0 else "good",
        interval="" if interval is None else numbers.interval(interval.low, interval.high),
        whisker=None if interval is None else whisker(interval, most, higher_is_better=metric.higher_is_better),
        zone="" if zone is None else zone.word,
        mark="" if zone is None else MARKS[zone],
        limits=[
            (name, numbers.limit(each, metric))
            for name, each in zip(names, beside, strict=False)
            if name != "minimum" or limits is None or numbers.has_minimum(limits, metric)
        ],
        scale=zone_scale(metric, limits, change.current, change.baseline),
        verdict="" if change.verdict is Verdict.PROCEED else change.verdict.word,
        why=move_text(change, metric, run.suite.policy) if change.code else "",
        cases=change.cases,
    )


def _facts(comparison: Comparison) -> list[tuple[str, Sequence[str]]]:
    """What else there is to know of the run, under headings; empty ones are left out."""
    run = comparison.run
    why = dict(run.problems)
    unusable = [f"{case_id}: {why.get(case_id, '')}" for case_id in run.bad]
    failed = [f"{case_id}: {why.get(case_id, '')}" for case_id in run.failed]
    declines = declines_line(comparison.declines, run)
    facts: list[tuple[str, Sequence[str]]] = [
        ("Differs from the baseline", difference_lines(comparison)),
        ("No answer", _some(failed)),
        ("Bad answers, 0 on every metric", _some(unusable)),
        ("Declining", [declines] if declines else []),
        ("Quarantine", quarantine_sentences(run.quarantine)),
        ("Skipped", skipped_lines(run)),
        ("What may still happen", bounds_lines(run)),
        ("Notes", _some(run.notes)),
        ("Usage", usage_lines(run.usage, shown_model(run.suite, run.header.model))),
        ("Run", [f"{run.header.run_id} · {numbers.moment(run.header.at)} UTC · {numbers.count(run.cases, 'case')}"]),
    ]
    return [(title, lines) for title, lines in facts if lines]


def _some(lines: Sequence[str]) -> list[str]:
    left = len(lines) - SHOWN_NOTES
    return [*lines[:SHOWN_NOTES], *([f"and {left:,} more; the list of cases has them all"] if left > 0 else [])]


WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_WORDS = 400
"""Of a line, for which the words are compared; a longer one is marked as a whole."""
ALIKE = 0.35
"""Below this likeness two lines are other lines, and marking their words would be noise."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff."""

    part: str
    """`same`, `old`, `new` or `place` (where in the file)."""
    mark: str
    pieces: Sequence[tuple[str, bool]]
    """Text, and whether it is only on this side."""


def prompt_lines(diff: str) -> list[DiffLine]:
    """The lines of a unified diff, without the names of the files."""
    source = [line for line in diff.split("\n") if not line.startswith(("--- ", "+++ "))]
    while source and not source[-1]:
        source.pop()
    lines: list[DiffLine] = []
    at = 0
    while at < len(source):
        old = _run(source, at, "-")
        new = _run(source, at + len(old), "+")
        if not old and not new:
            line = source[at]
            place = line.startswith("@@")
            text = line if place or not line.startswith(" ") else line[1:]
            lines.append(DiffLine("place" if place else "same", "", [(text, False)]))
            at += 1
            continue
        lines += _changed(old, new)
        at += len(old) + len(new)
    return lines


def _run(source: Sequence[str], start: int, sign: str) -> list[str]:
    end = start
    while end < len(source) and source[end].startswith(sign):
        end += 1
    return [line[1:] for line in source[start:end]]


def _changed(old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    before, after = [], []
    for i in range(max(len(old), len(new))):
        if i < len(old) and i < len(new):
            left, right = _words(old[i], new[i])
        else:
            left = [(old[i], False)] if i < len(old) else []
            right = [(new[i], False)] if i < len(new) else []
        if i < len(old):
            before.append(DiffLine("old", "−", left))
        if i < len(new):
            after.append(DiffLine("new", "+", right))
    return [*before, *after]


def _words(old: str, new: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both lines in pieces; none is marked where they have little in common."""
    one, other = WORDS.findall(old), WORDS.findall(new)
    if max(len(one), len(other)) > MOST_WORDS:
        return [(old, False)], [(new, False)]
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [(old, False)], [(new, False)]
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if a < b:
            left.append(("".join(one[a:b]), tag != "equal"))
        if c < d:
            right.append(("".join(other[c:d]), tag != "equal"))
    return left, right
