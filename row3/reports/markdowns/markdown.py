"""`--format markdown`: a comment on a pull request that fits one screen; the rest unfolds."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.metrics import Metric, Zone
from row3.domain.verdicts import CaseChange, Verdict
from row3.reports import numbers
from row3.reports.advice import looks_like, summary, verdict_word, what_next
from row3.reports.bounds_text import bounds_lines
from row3.reports.cases.case_changes import after_values, count_line, flips, moved_cases, movement
from row3.reports.cases.fell_elsewhere import Elsewhere, fell_elsewhere
from row3.reports.headline import (
    baseline_origin,
    declines_line,
    fail_zones,
    shown_metrics,
    shown_model,
    skipped_lines,
    usage_lines,
    what_runs,
)
from row3.reports.markdown import code, fenced, fold, grid, inline
from row3.reports.match_counts import counts_markdown
from row3.reports.model import ComparisonView, RunView
from row3.reports.quarantine_text import quarantine_markdown
from row3.reports.style import MARKS
from row3.reports.told_reasons import told_reasons

SIGNS = {Verdict.PROCEED: "✅", Verdict.INVESTIGATE: "⚠️", Verdict.BLOCK: "⛔"}
SHOWN_CASES = 25
SHOWN_REASONS = 8
SHOWN_DIFF = 200


def markdown_report(
    run: RunView,
    comparison: ComparisonView | None = None,
    *,
    declines: int = 0,
    details: bool = True,
    named: bool = False,
) -> str:
    """A whole report; without details nothing unfolds, with `named` its commands name their suite."""
    parts = [[_heading(run, comparison)], [_what_runs(run)]]
    if comparison is not None:
        parts += [[f"**{inline(summary(comparison))}**"], _compared(comparison), _reasons(comparison)]
    else:
        parts += [_scorecard(run, companion=False), _warnings(run, declines)]
    parts.append(_missing(run))
    if details:
        parts += _details(run, comparison)
    if comparison is not None:
        parts.append([f"> {'<br>'.join(inline(text) for text in what_next(comparison, named=named))}"])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _heading(run: RunView, comparison: ComparisonView | None) -> str:
    if comparison is None:
        return f"### row3 · {inline(run.suite.name)}"
    sign = "❔" if run.collected.failed else SIGNS[looks_like(comparison)]
    return f"### {sign} {verdict_word(comparison)} · row3 · {inline(run.suite.name)}"


def _what_runs(run: RunView) -> str:
    return inline(what_runs(run))


def _value(metric: Metric, run: RunView, value: float | None) -> str:
    limits = numbers.limits_of(run.suite.rules.thresholds.get(metric.key))
    text = "–" if value is None else numbers.percent(value, beside=limits)
    return f"**{text}**" if metric.key == run.suite.kind.primary else text


def _zone(zone: Zone | None) -> str:
    return "" if zone is None else f"{MARKS[zone]} {zone.word}"


def _scorecard(run: RunView, *, companion: bool) -> list[str]:
    rows = []
    for metric in shown_metrics(run.suite, companion=companion):
        if metric.key not in run.header.metrics:
            continue
        threshold = run.suite.rules.thresholds.get(metric.key)
        limits = ["", "", ""] if threshold is None else numbers.limit_texts(threshold, metric)
        value, n = run.header.metrics[metric.key], run.header.denominators.get(metric.key, 0)
        zone = _zone(run.zones.get(metric.key))
        rows.append([inline(metric.title), _value(metric, run, value), zone, *limits, f"{n:,}"])
    headers = ("Metric", "Value", "Zone", "Minimum", "Target", "Excellent", "n")
    return grid(headers, "lrlrrrr", rows) if rows else []


def _compared(comparison: ComparisonView, *, companion: bool = False) -> list[str]:
    run = comparison.run
    changes = {change.key: change for change in comparison.metrics}
    rows = []
    for metric in shown_metrics(run.suite, companion=companion):
        if (change := changes.get(metric.key)) is None:
            continue
        judged = "" if change.verdict is Verdict.PROCEED else f"{SIGNS[change.verdict]} {change.verdict.word}"
        rows.append(
            [
                inline(metric.title),
                _value(metric, run, change.baseline).replace("**", ""),
                _value(metric, run, change.current),
                "–" if change.delta is None else numbers.points(change.delta),
                "–" if change.interval is None else numbers.interval(change.interval.low, change.interval.high),
                _zone(run.zones.get(metric.key)),
                judged,
                f"{change.cases:,}",
            ]
        )
    headers = ("Metric", "Before", "Now", "Points", "95% interval", "Zone", "Verdict", "n")
    return grid(headers, "lrrrrllr", rows) if rows else []


def _reasons(comparison: ComparisonView) -> list[str]:
    told = told_reasons(comparison)
    lines = [f"- {SIGNS[reason.verdict]} {inline(reason.text)}" for reason in told[:SHOWN_REASONS]]
    left = len(told) - SHOWN_REASONS
    lines += [f"- and {left:,} more"] if left > 0 else []
    if (approval := comparison.approval) is not None:
        lines.append(f"- Approved by {inline(approval.by)}, {inline(approval.at)}: {inline(approval.reason)}")
    return lines


def _warnings(run: RunView, declines: int) -> list[str]:
    lines = [f"- fail zone: {inline(', '.join(failing))}"] if (failing := fail_zones(run)) else []
    text = declines_line(declines, run)
    return [*lines, f"- {inline(text)}"] if text else lines


def _missing(run: RunView) -> list[str]:
    why = dict(run.problems)
    lines = [f"- skipped: {inline(text)}" for text in skipped_lines(run)]
    lines += [f"- {inline(text)}" for text in bounds_lines(run)]
    lines += quarantine_markdown(run.quarantine)
    for ids, word in ((run.collected.failed, "no answer"), (run.collected.bad, "bad answer, 0 on every metric")):
        named = [(code(case_id), inline(why.get(case_id, ""))) for case_id in ids[:SHOWN_REASONS]]
        lines += [f"- {word}: {case} {problem}".rstrip() for case, problem in named]
        if len(ids) > SHOWN_REASONS:
            lines.append(f"- {word}: {len(ids) - SHOWN_REASONS:,} more")
    return lines


def _details(run: RunView, comparison: ComparisonView | None) -> list[list[str]]:
    usage = [f"- {inline(line)}" for line in usage_lines(run.usage, shown_model(run.suite, run.header.model))]
    if comparison is None:
        parts = [fold("Cases, worst first", _worst(run))] if run.rows else []
        beside = _scorecard(run, companion=True)
        return [*parts, counts_markdown(run), _beside(beside, usage)]
    moved = [change for change in comparison.cases if change.move != "unchanged"]
    elsewhere = fell_elsewhere(comparison)
    cases = [*_cases(moved, comparison), *_elsewhere(elsewhere)] if moved or elsewhere else []
    parts = [fold(f"Cases: {count_line(comparison.moves)}", cases)] if cases else []
    parts.append(fold("What changed", _what_changed(comparison)))
    beside = _compared(comparison, companion=True)
    return [*parts, counts_markdown(run, comparison), _beside(beside, usage)]


def _beside(beside: list[str], usage: list[str]) -> list[str]:
    between = [""] if beside and usage else []
    return fold("Beside these", [*beside, *between, *usage]) if beside or usage else []


def _worst(run: RunView) -> list[str]:
    primary = run.suite.kind.primary
    ordered = sorted(run.rows, key=lambda row: (row.status != "failed", row.metrics.get(primary, 0.0), row.case_id))
    lines = []
    for row in ordered[:SHOWN_CASES]:
        value = row.metrics.get(primary)
        zone = row.zones.get(primary)
        shown = "no answer" if row.status == "failed" else "–" if value is None else numbers.percent(value)
        word = " bad answer" if row.status == "bad_answer" else "" if zone is None else f" {zone.word}"
        lines.append(f"- {code(row.case_id)} {shown}{word}")
    left = run.cases - min(len(ordered), SHOWN_CASES)
    return [*lines, f"- and {left:,} more"] if left > 0 else lines


def _cases(moved: Sequence[CaseChange], comparison: ComparisonView) -> list[str]:
    after = after_values(comparison.run)
    lines = []
    for change in moved[:SHOWN_CASES]:
        between, delta = movement(change, after)
        text = f"{between} ({delta})" if delta else between
        lines.append(f"- {code(change.case_id)} {inline(text)}".rstrip())
        lines += [f"  - {inline(flip.what)}: {_named(flip.items, flip.named)}" for flip in flips(change)]
    left = moved_cases(comparison.moves) - min(len(moved), SHOWN_CASES)
    return [*lines, f"- and {left:,} more"] if left > 0 else lines


def _elsewhere(fell: Sequence[Elsewhere]) -> list[str]:
    lines = []
    for one in fell[:SHOWN_CASES]:
        lines.append(f"- {code(one.change.case_id)} {inline(one.metric.title)} {numbers.points(one.delta)}")
        lines += [f"  - {inline(flip.what)}: {_named(flip.items, flip.named)}" for flip in flips(one.change)]
    return lines


def _named(items: Sequence[str], most: int) -> str:
    text = ", ".join(code(item) for item in items[:most])
    return text if len(items) <= most else f"{text} and {len(items) - most:,} more"


def _what_changed(comparison: ComparisonView) -> list[str]:
    baseline = comparison.baseline
    ref = f", from git {comparison.against}" if comparison.against else ""
    origin = f"{baseline_origin(baseline, comparison.run.suite)}{ref}"
    lines = [f"- baseline: {inline(origin)}"]
    lines += [f"- {inline(text)}" for text in comparison.differs]
    for name, diff in comparison.prompt_diffs.items():
        source = diff.split("\n")
        lines += ["", f"{code(name)}", "", *fenced("\n".join(source[:SHOWN_DIFF]), "diff")]
        if len(source) > SHOWN_DIFF:
            lines += ["", f"and {numbers.count(len(source) - SHOWN_DIFF, 'more line')}"]
    return lines
