"""A comparison on a terminal: what changed, the metrics, the cases, why, and the verdict last, where it is seen."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.changes import MetricChange
from row3.domain.counts import part
from row3.domain.metrics import Metric, Zone
from row3.domain.verdicts import CaseChange, Reason, Verdict
from row3.reports import numbers
from row3.reports.advice import looks_like, summary, verdict_word, what_next
from row3.reports.cases.case_changes import GOOD, after_values, count_line, flip_text, flips, moved_cases, movement
from row3.reports.cases.fell_elsewhere import fell_elsewhere
from row3.reports.headline import baseline_origin, shown_metrics, some, title_of
from row3.reports.match_counts import moved_block
from row3.reports.model import ComparisonView
from row3.reports.prompt_diff import diff_lines
from row3.reports.quarantine_text import quarantine_block
from row3.reports.scorecard_table import LONGEST_ID, problems_block, room_for_ids, skipped_block, usage_block
from row3.reports.sensitivity_text import sensitivity_sentence
from row3.reports.style import (
    BOLD,
    GREEN,
    MARKS,
    RED,
    VERDICT_COLOURS,
    VERDICT_MARKS,
    WIDTH,
    YELLOW,
    ZONE_COLOURS,
    Style,
    arrow,
    cells,
    plain,
    shorten,
    visible,
)
from row3.reports.terminal import table
from row3.reports.told_reasons import told_reasons

SHOWN_CASES = 8
LONGEST_TITLE = 22
ALIGN = "lrrrrrll"
WITH_WORDS = 92
"""Columns from which on zones are named and not only marked."""


def comparison_table(
    comparison: ComparisonView,
    *,
    colour: bool = False,
    verbose: bool = False,
    width: int = WIDTH,
    named: bool = False,
) -> str:
    """A whole comparison, at most `width` columns wide; with `named` its commands name their suite."""
    style, run = Style(colour, width), comparison.run
    blocks = [
        _what_changed(comparison, style, verbose=verbose),
        _aggregate(comparison, style),
        moved_block(comparison, style, verbose=verbose),
        [*skipped_block(run, style), *problems_block(run, style, verbose=verbose)],
        quarantine_block(run.quarantine, style),
        _cases(comparison, style, verbose=verbose),
        usage_block(run, style, verbose=verbose),
        reason_lines(comparison, style),
        verdict_block(comparison, style, named=named),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def brief_comparison(comparison: ComparisonView, *, colour: bool = False, width: int = WIDTH) -> str:
    """The headline metrics and the verdict with its grounds: for somebody who has seen the whole before."""
    style = Style(colour, width)
    blocks = [
        _aggregate(comparison, style, companions=False),
        quarantine_block(comparison.run.quarantine, style),
        reason_lines(comparison, style),
        verdict_block(comparison, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _what_changed(comparison: ComparisonView, style: Style, *, verbose: bool) -> list[str]:
    baseline = comparison.baseline
    ref = f", from git {plain(comparison.against)}" if comparison.against else ""
    origin = f"{baseline_origin(baseline, comparison.run.suite)}{ref}"
    lines = [style.dim(line) for line in style.wrap(origin, first="Baseline  ")]
    if comparison.compared != comparison.run.cases:
        lines.append(style.dim(f"          compared over {part(comparison.compared, comparison.run.cases, 'case')}"))
    if comparison.rescored:
        again = numbers.count(comparison.rescored, "baseline answer")
        lines.append(style.dim(f"          {again} scored again by today's rules and expectations"))
    lines += ["", style.bold("What changed")]
    lines += [line for text in comparison.differs for line in style.wrap(plain(text), first="  ", then="    ")]
    if not comparison.differs:
        same = set(comparison.moves) <= {"unchanged"} and not any(change.delta for change in comparison.metrics)
        what = "the prompts' text" if comparison.prompt_diffs else "nothing" if same else "nothing but the answers"
        lines.append(style.dim(f"  {what}"))
    for name, diff in comparison.prompt_diffs.items():
        lines += ["", *diff_lines(name, diff, style, verbose=verbose)]
    return lines


def _aggregate(comparison: ComparisonView, style: Style, *, companions: bool = True) -> list[str]:
    suite = comparison.run.suite
    changes = {change.key: change for change in comparison.metrics}
    metrics = [[m for m in shown_metrics(suite, companion=which) if m.key in changes] for which in (False, True)]
    metrics = metrics if companions else [metrics[0], []]
    wide = style.width >= WITH_WORDS
    rows = [_row(metric, changes[metric.key], comparison, style, wide=wide) for metric in (*metrics[0], *metrics[1])]
    if not rows:
        return ["No case could be compared."]
    heads = ("metric", "before", "now", "points ", "95% interval", "p", "zone", "gate")
    lines = _fitted(heads, rows, style)
    cut = 2 + len(metrics[0])
    quiet = [style.dim(line) for line in lines[cut:]]
    texts = [*_legend(comparison, wide=wide), sensitivity_sentence(comparison.sensitivity) if companions else ""]
    legend = [line for text in texts if text for line in style.wrap(text)]
    return [*lines[:cut], *([""] if quiet else []), *quiet, "", *map(style.dim, legend)]


def _fitted(heads: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> list[str]:
    """The table with its columns close together where it would not fit otherwise: intervals may be of any width."""
    lines = table(heads, rows, ALIGN, style)
    return lines if cells(visible(lines[1])) <= style.width else table(heads, rows, ALIGN, style, gap=1)


def _legend(comparison: ComparisonView, *, wide: bool) -> list[str]:
    """What the columns mean, and over how many cases."""
    counts = {change.key: change.cases for change in comparison.metrics if change.delta is not None}
    most = max(counts.values(), default=0)
    fewer = [f"{title_of(comparison.run.suite, key)} {n:,}" for key, n in counts.items() if n != most]
    over = f"n = {numbers.count(most, 'case')} that both runs have" + (f" ({', '.join(fewer)})" if fewer else "")
    zones = "" if wide else "; " + " ".join(f"{MARKS[zone]} {zone.word}" for zone in sorted(Zone, reverse=True))
    return [f"▲ better  ▼ worse{zones}", f"percentage points; paired intervals; {over}"]


def better(metric: Metric, delta: float | None) -> bool | None:
    """Whether a metric moved for the better; None where it did not move."""
    if delta is None or abs(delta) < 5e-4:
        return None
    return (delta > 0) is metric.higher_is_better


def _row(metric: Metric, change: MetricChange, comparison: ComparisonView, style: Style, *, wide: bool) -> list[str]:
    good = better(metric, change.delta)
    primary = metric.key == comparison.run.suite.kind.primary
    limits = numbers.limits_of(comparison.run.suite.rules.thresholds.get(metric.key))
    now = "–" if change.current is None else numbers.percent(change.current, beside=limits)
    title = shorten(metric.title, LONGEST_TITLE)
    if primary:
        title, now = style.bold(title), style.bold(now)
    delta = "–  " if change.delta is None else f"{numbers.points(change.delta)} {arrow(good)}"
    known = change.interval
    zone = comparison.run.zones.get(metric.key)
    mark = "" if zone is None else style.paint(MARKS[zone], ZONE_COLOURS[zone])
    return [
        title,
        "–" if change.baseline is None else numbers.percent(change.baseline, beside=limits),
        now,
        delta if metric.companion else style.moved(delta, good),
        "–" if known is None else numbers.interval(known.low, known.high),
        "–" if known is None else numbers.p_value(known.p_value),
        style.zone(zone) if wide else mark,
        style.paint(VERDICT_MARKS[change.verdict], VERDICT_COLOURS[change.verdict])
        if change.verdict is not Verdict.PROCEED
        else ("" if metric.companion else style.dim("·")),
    ]


def _cases(comparison: ComparisonView, style: Style, *, verbose: bool) -> list[str]:
    # Those without an answer have been named above, each with its reason.
    quiet = ("unchanged",) if verbose else ("unchanged", "failed")
    moved = [change for change in comparison.cases if change.move not in quiet]
    elsewhere = fell_elsewhere(comparison)
    shown = moved if verbose else moved[:SHOWN_CASES]
    lines = [f"{style.bold('Cases')}  {count_line(comparison.moves)}"]
    after = after_values(comparison.run)
    room = room_for_ids(style)
    shown_ids = [change.case_id for change in (*shown, *(one.change for one in elsewhere[:SHOWN_CASES]))]
    column = max([LONGEST_ID, *(min(room, cells(plain(case_id))) for case_id in shown_ids)])
    for change in shown:
        lines += _case(change, *movement(change, after), style, column, good=GOOD.get(change.move))
    worse = [change for change in moved[len(shown) :] if GOOD.get(change.move) is False and change.move != "failed"]
    if worse:
        deltas = [numbers.points(change.delta) for change in worse]
        named = [
            # What got worse elsewhere than in the composite has no number here.
            shorten(plain(change.case_id), room) + ("" if delta == numbers.points(0.0) else f" {delta}")
            for change, delta in zip(worse, deltas, strict=True)
        ]
        text = f"▼ also worse (-v shows why): {some(named, SHOWN_CASES)}"
        lines += [style.paint(line, RED) for line in style.wrap(text, first="  ", then="    ")]
    named_above = 0 if verbose else comparison.moves.get("failed", 0)
    left = moved_cases(comparison.moves) - named_above - len(shown) - len(worse)
    if left > 0:
        how = "-v shows them" if not verbose else "--format json has all"
        lines.append(style.dim(f"  and {left:,} more ({how})"))
    told = elsewhere if verbose else elsewhere[:SHOWN_CASES]
    for one in told:
        lines += _case(one.change, one.metric.title, numbers.points(one.delta), style, column, good=False)
    if len(elsewhere) > len(told):
        lines.append(style.dim(f"  and {len(elsewhere) - len(told):,} more that fell there (-v shows them)"))
    return lines


def _case(change: CaseChange, between: str, delta: str, style: Style, column: int, *, good: bool | None) -> list[str]:
    name = shorten(plain(change.case_id), column)
    head = f"{style.moved(arrow(good) if good is not None else '·', good)} {style.bold(name)}"
    pad = " " * (column - cells(name))
    lines = [f"  {head}{pad}  {style.moved(f'{delta:>6}', good) if delta else ' ' * 6}   {between}".rstrip()]
    for flip in flips(change):
        mark, colour = ("+", GREEN) if flip.good else ("−", RED)
        label = f"{mark} {flip.what}: "
        text = label + flip_text(flip, 2 * (style.width - 14) - len(label))
        first, *rest = style.wrap(text, first="      ", then="        ")
        lines += [first.replace(label.rstrip(), style.paint(label.rstrip(), colour), 1), *rest]
    if change.note:
        lines += style.wrap(plain(change.note), first="      ")
    return lines


def reason_lines(comparison: ComparisonView, style: Style) -> list[str]:
    """The grounds of the verdict under a heading; nothing where there are none."""
    return reason_block(told_reasons(comparison), style)


def reason_block(reasons: Sequence[Reason], style: Style) -> list[str]:
    """As `reason_lines`, of what was judged without a comparison too."""
    lines = [style.bold("Why")] if reasons else []
    for reason in reasons:
        label = f"{VERDICT_MARKS[reason.verdict]} {reason.verdict.word}"
        first, *rest = style.wrap(plain(reason.text), first=f"  {label:<15}")
        painted = style.paint(label, VERDICT_COLOURS[reason.verdict])
        lines += [first.replace(label, painted, 1), *rest]
    return lines


def verdict_block(comparison: ComparisonView, style: Style, *, named: bool = False) -> list[str]:
    """The verdict with a summary in a line, the approval, and what to do next."""
    word = verdict_word(comparison)
    incomplete = bool(comparison.run.collected.failed)
    mark = "?" if incomplete else VERDICT_MARKS[looks_like(comparison)]
    colour = RED if incomplete else VERDICT_COLOURS[looks_like(comparison)]
    head = style.paint(f"{mark} {word}", colour, BOLD)
    lines = [style.dim("─" * style.width)]
    first, *rest = style.wrap(summary(comparison), first=f"{mark} {word}  ", then="  ")
    lines += [first.replace(f"{mark} {word}", head, 1), *rest]
    if (approval := comparison.approval) is not None:
        text = f"approved by {plain(approval.by)}, {numbers.moment(plain(approval.at))} UTC: {plain(approval.reason)}"
        lines += [style.paint(line, YELLOW) for line in style.wrap(text, first="  ")]
    return [*lines, *(line for text in what_next(comparison, named=named) for line in style.wrap(text, first="  "))]
