"""A comparison as a document: verdict, differences, metrics, reasons, the cases that moved most, next steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from row3.domain import numbers
from row3.domain.judgements import Code, MetricChange, Verdict
from row3.domain.printable import shorten
from row3.domain.scores import Metric
from row3.domain.words import part
from row3.gate.power import Sensitivity
from row3.gate.results import Comparison, Run
from row3.reports.case_changes import GOOD, case_line, cases_table, count_line, moved_cases, other_declines
from row3.reports.differences import CRITERIA, differences, figure_row, prompt_folds
from row3.reports.document import Block, Document, Facts, Fold, Note, Span, Table, Text, Title, more, strong
from row3.reports.judges import judge_blocks
from row3.reports.match_counts import moved_counts, run_counts
from row3.reports.reason_text import METRICS, MOVES, Ground, grounds_of
from row3.reports.scorecard import missing_note, problem_blocks, usage_note
from row3.reports.sentences import (
    baseline_origin,
    drift_line,
    interval_head,
    quarantine_note,
    shown_metrics,
    some,
    title_of,
    what_runs,
)
from row3.reports.spans import TONES, moved_span, zone_span
from row3.reports.terminal import PLAIN, VERDICT_MARKS, Style, terminal_text
from row3.reports.verdict_text import Steps, approval_line, behind_line, summary, verdict_label

SHOWN_CASES, SHOWN_REASONS, NAMED_CASES = 5, 8, 3
FEW_CASES, PAGES = 5, (35, 39)
"""Most lines on a screen, heading included: for at most `FEW_CASES` cases, and for more."""


def comparison_page(comparison: Comparison, style: Style = PLAIN) -> Document:
    """Return a comparison that fits on a screen, with as many reasons and cases as there is room for."""
    lines = PAGES[comparison.run.cases > FEW_CASES] - 3  # the heading above
    for most in (SHOWN_REASONS, *range(SHOWN_REASONS, 0, -1)):
        width = style.width if most < SHOWN_REASONS else 0
        document = comparison_document(comparison, headed=False, most=most, width=width)
        if terminal_text(document, style).count("\n") <= lines:
            break
    return document


def comparison_document(
    comparison: Comparison,
    *,
    verbose: bool = False,
    folded: bool = False,
    headed: bool = True,
    most: int = SHOWN_REASONS,
    width: int = 0,
) -> Document:
    """Return a comparison; all of it if verbose, or in sections that unfold if folded.

    Otherwise at most `most` reasons, each on one line of `width` columns if given, and half as many cases.
    """
    run = comparison.run
    blocks: list[Block] = [
        *heading(comparison, headed=headed),
        facts(comparison),
        metrics_table(comparison, verbose=verbose),
        legend(comparison, verbose=verbose),
        *judge_blocks(run),
        *reason_blocks(grounds_of(comparison, brief=width > 0, noise=True), verbose=verbose, most=most, width=width),
        *problem_blocks(run, verbose=verbose),
        quarantine_note(run.quarantine),
        *case_blocks(comparison, verbose=verbose, most=(most + 1) // 2),
    ]
    if folded and not verbose:
        blocks += [
            Fold("All metrics", [metrics_table(comparison, verbose=True)]),
            Fold("All cases that moved", case_blocks(comparison, verbose=True)[1:]),
        ]
    if verbose or folded:
        counts = [run_counts(run, every=True), moved_counts(comparison, every=True)]
        blocks += [Fold("How the items matched", [each for each in counts if each.rows])] if counts[0].rows else []
        blocks += [*prompt_folds(comparison.prompt_diffs), missing_note(run)]
    spent = verbose or folded or run.usage.replayed < run.usage.requests
    return Document([*blocks, usage_note(run, verbose=verbose) if spent else Note([]), next_note(comparison)])


def brief_comparison(comparison: Comparison, *, level: int = 0) -> list[Block]:
    """Return verdict, metrics, reasons and next steps; with a heading level also the versions and the cases."""
    return [
        *heading(comparison, headed=level > 0, level=level or 3),
        metrics_table(comparison),
        *judge_blocks(comparison.run),
        *reason_blocks(grounds_of(comparison, noise=True)),
        quarantine_note(comparison.run.quarantine),
        *(case_blocks(comparison) if level else []),
        next_note(comparison),
    ]


def heading(comparison: Comparison, *, headed: bool, level: int = 3) -> list[Block]:
    """Return the verdict with the primary metric, the approval and the versions."""
    shown = verdict_label(comparison)
    approved = [Span(text, "warning")] if (text := approval_line(comparison)) else []
    if not headed:
        return [Title([shown.span, "  ", summary(comparison)], level), Note(approved)]
    title = Title([shown.span, f" · row3 · {comparison.run.suite.name}"], level)
    return [title, Note([strong(summary(comparison)), what_runs(comparison.run), *approved])]


def facts(comparison: Comparison) -> Facts:
    """Return the baseline and everything but the answers that differs from it."""
    baseline, run = comparison.baseline, comparison.run
    ref = f", from git {comparison.against}" if comparison.against else ""
    rows: list[tuple[str, Text]] = [("baseline", f"{baseline_origin(baseline, run.suite)}{ref}")]
    if comparison.own_baseline and comparison.against:
        rows.append(("new suite", f"{comparison.against} has no baseline for it, so its own baseline judges"))
    if comparison.compared != run.cases:
        rows.append(("compared", part(comparison.compared, run.cases, "case")))
    changed = list(differences(baseline, run.header, comparison.prompt_diffs))
    rows += [(name.removeprefix("prompt "), text) for name, text in changed]
    golden = "; ".join(f"{how}: {some(ids, NAMED_CASES)}" for how, ids in comparison.golden.items())
    rows += [("changed", f"golden cases {golden}")] if golden else []
    rules = [each.subject[5:] for each in comparison.reasons if each.code in CRITERIA and each.subject[:5] == "rule "]
    rows += [("changed", f"rules {some(rules, NAMED_CASES)}")] if rules else []
    rows += [] if changed or golden or rules else [("changed", _nothing(comparison))]
    if comparison.interleaved:
        rows.append(("asked", "the baseline's prompts were asked again, interleaved: provider changes cancel out"))
    if comparison.saved and (comparison.drift is None or comparison.drift.state != "steady"):
        rows.append(
            ("asked", "not interleaved: the saved baseline's answers, so a provider change looks like a prompt change")
        )
    if comparison.drift is not None:
        rows.append(("provider", drift_line(comparison.drift, run.suite.kind.metrics)))
    if comparison.behind and comparison.against:
        rows.append(("behind", behind_line(comparison.behind, comparison.against)))
    return Facts(rows)


def _nothing(comparison: Comparison) -> str:
    if comparison.prompt_diffs:
        return "the text of the prompts"
    unchanged = set(comparison.moves) <= {"unchanged"} and not any(change.delta for change in comparison.metrics)
    if unchanged and not comparison.run.suite.prompted and comparison.run.header.mode in ("auto", "replay"):
        return "nothing: the answers are recorded. If the system changed, raise its `version` in row3.toml"
    return "nothing" if unchanged else "nothing but the answers"


def metrics_table(comparison: Comparison, *, verbose: bool = False) -> Block:
    """Return the headline metrics and the companions that decide the verdict; all of them if verbose."""
    suite = comparison.run.suite
    changes = {change.key: change for change in comparison.metrics}
    metrics = [metric for metric in shown_metrics(suite, companion=False) if metric.key in changes]
    companions = [metric for metric in shown_metrics(suite, companion=True) if metric.key in changes]
    gate: dict[str, Verdict] = {}
    for reason in comparison.reasons:
        if reason.code in METRICS and not reason.of_figure:
            gate[reason.subject] = max(reason.verdict, gate.get(reason.subject, Verdict.PROCEED))
    deciding = {key for key, verdict in gate.items() if verdict and verdict is comparison.verdict}
    shown = [metric for metric in companions if verbose or metric.key in deciding]
    rows = [
        _metric_row(metric, changes[metric.key], gate.get(metric.key, Verdict.PROCEED), comparison.run, verbose=verbose)
        for metric in (*metrics, *shown)
    ]
    beyond = {reason.subject: reason.verdict for reason in comparison.reasons if reason.of_figure}
    rows += [figure_row(one, beyond.get(one.key), comparison.compared, verbose=verbose) for one in comparison.figures]
    if not rows:
        return Note(["No case can be compared."])
    heads = [
        "metric",
        "before",
        "now",
        "points",
        interval_head(comparison.metrics),
        *(["p"] if verbose else []),
        "zone",
        "gate",
    ]
    left = len(companions) - len(shown)
    hidden = f"{numbers.count(left, 'companion metric')} (-v shows all)" if left else ""
    return Table(heads, rows, "lrrrr" + "r" * verbose + "ll", more=hidden)


def _metric_row(metric: Metric, change: MetricChange, gate: Verdict, run: Run, *, verbose: bool) -> list[Text]:
    limits = numbers.limits_of(run.suite.rules.thresholds.get(metric.key))
    cells = change_cells(metric, change, primary=metric.key == run.suite.kind.primary, limits=limits)
    return [
        *cells[: None if verbose else -1],
        zone_span(run.zones.get(metric.key)),
        Span(VERDICT_MARKS[gate], TONES[gate]) if gate else "",
    ]


def change_cells(metric: Metric, change: MetricChange, *, primary: bool, limits: Sequence[float] = ()) -> list[Text]:
    """Return title, before, now, points, interval and p-value of a metric that may have moved."""
    before, now = (
        "–" if value is None else numbers.percent(value, limits=limits) for value in (change.baseline, change.current)
    )
    known = change.single
    return [
        strong(metric.title) if primary else metric.title,
        before,
        strong(now) if primary else now,
        moved_span(metric, change.delta),
        "–" if known is None else numbers.interval(known.low, known.high),
        "–" if known is None else numbers.p_value(known.p_value),
    ]


def legend(comparison: Comparison, *, verbose: bool = False) -> Note:
    """Return one line on what the verdict is based on and how small a drop it detects."""
    suite = comparison.run.suite
    counts = {change.key: change.cases for change in comparison.metrics if change.delta is not None}
    if not counts:
        return Note([])
    primary = suite.kind.primary
    cases = counts.get(primary, max(counts.values()))
    fewer = [f"{title_of(suite, key)} {n:,}" for key, n in counts.items() if n != cases]
    over = f"{numbers.count(cases, 'case')}{f' ({some(fewer, 3)})' if fewer else ''}"
    now, before = comparison.run.header.repeats, comparison.baseline.repeats
    noun = "answer" if comparison.run.header.mode == "live" else "recorded answer"
    draws = f"{numbers.count(now, noun)} per case" + ("" if now == before else f" ({before:,} at the base)")
    detection = _detection_text(comparison.sensitivity)
    lines = [f"Based on {title_of(suite, primary)}, {over}, {draws} on each side; {detection}."]
    return Note([*lines, "Points are percentage points; ▲ better, ▼ worse."] if verbose else lines, "quiet")


def _detection_text(seen: Sensitivity | None) -> str:
    if seen is None or seen.smallest_drop is None:
        return "too few cases moved to say how small a drop it detects"
    needed = seen.needs_cases.count
    detected = f"detects a drop of {numbers.drop_points(seen.smallest_drop)} points"
    if seen.smallest_drop <= seen.wanted or needed is None:
        return detected
    return f"{detected}, {numbers.count(needed, 'case')} would detect {100 * seen.wanted:.3g}"


def reason_blocks(
    grounds: Sequence[Ground], *, verbose: bool = False, most: int = SHOWN_REASONS, width: int = 0
) -> list[Block]:
    """Return the reasons under a heading, each cut to the width if one is given."""
    lines = reason_lines(grounds, len(grounds) if verbose else most, how=" (-v shows all)", width=width)
    return [Title("Why", 4), Note(lines)] if grounds else []


def reason_lines(grounds: Sequence[Ground], most: int, *, how: str = "", width: int = 0) -> list[Text]:
    """Return the first reasons, each cut to the width if one is given, and how many more there are.

    Those that lead come first and are not cut.
    """
    most += sum(ground.leads for ground in grounds)
    most += bool(width) and len(grounds) == most + 1  # a line that says so would be as long
    left = more(len(grounds) - most, how=how)
    return [*(ground_text(ground, width) for ground in grounds[:most]), *([f"  {left}"] if left else [])]


def ground_text(ground: Ground, width: int = 0) -> Text:
    """Return `✗ block: Recall is worse …`; a note begins with a dot."""
    head = "· note" if ground.note else f"{VERDICT_MARKS[ground.verdict]} {ground.verdict.word}"
    head = "? incomplete" if any(each.code is Code.NO_ANSWER for each in ground.reasons) else head
    text = f": {ground.text}"
    whole = ground.leads or any(each.code in MOVES for each in ground.reasons)
    if width and not whole and len(head + text) > width:  # first drop a final earlier value, which the table has
        text = shorten(re.sub(r"( \([^()]+\)|, was [^,()]+)$", "", text), width - len(head))
    return f"{head}{text}" if ground.note else [Span(head, TONES[ground.verdict]), text]


def case_blocks(comparison: Comparison, *, verbose: bool = False, most: int = SHOWN_CASES) -> list[Block]:
    """Return how many cases moved each way, and the largest moves, one per line; a table of all if verbose."""
    moved = [change for change in comparison.cases if change.move not in ("unchanged", "failed")]
    elsewhere, counts = other_declines(comparison), f"Cases: {count_line(comparison.moves)}"
    some_left = moved_cases(comparison.moves) - comparison.moves.get("failed", 0) + len(elsewhere)
    run, primary = comparison.run, comparison.run.suite.kind.primary
    if verbose and (moved or elsewhere):
        values = {row.case_id: row.metrics[primary] for row in run.rows if primary in row.metrics}
        rest = more(some_left - len(moved) - len(elsewhere), how=" (--format json has all)")
        return [Title(counts, 4), cases_table(moved, values, dict(run.problems), elsewhere=elsewhere, more=rest)]
    worse_first = sorted(moved, key=lambda change: GOOD.get(change.move) is not False)
    lines = [*(case_line(change) for change in worse_first), *(case_line(*pair) for pair in elsewhere)][:most]
    left = more(some_left - len(lines))
    # A title would leave no empty line below it.
    return [Title(counts, 4), Note([*lines, *([f"  {left}"] if left else [])])] if lines else [Note([strong(counts)])]


def next_note(comparison: Comparison) -> Note:
    """Return the next steps, one per line."""
    steps = [f"{'Then' if i else 'Next'}: {step}" for i, step in enumerate(Steps(comparison).all())]
    return Note(steps, "strong" if comparison.complete else "plain")
