"""The scorecard on a terminal: aggregate, companions, what is missing, cases, usage, warnings."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from row3.domain.metrics import Metric, Zone
from row3.reports import numbers
from row3.reports.bounds_text import bounds_lines
from row3.reports.cases.case_items import items_block
from row3.reports.headline import (
    ELSEWHERE,
    declines_line,
    fail_zones,
    shown_metrics,
    shown_model,
    skipped_lines,
    some,
    usage_lines,
)
from row3.reports.match_counts import counts_block
from row3.reports.model import CaseView, RunView
from row3.reports.quarantine_text import quarantine_block
from row3.reports.style import BOLD, MARKS, RED, WIDTH, YELLOW, ZONE_COLOURS, Style, plain, shorten, visible
from row3.reports.terminal import table

SHOWN_CASES = 30
SHOWN_PROBLEMS = 10
SHOWN_REASONS = 5
PLACE = re.compile(r"recordings/\S+:\d+|^.+?:\d+(?=: the answer )")
"""Of a recording or an output, by which alone two reasons may differ."""
LONGEST_ID, LONGEST_EVER = 26, 60
"""Columns that a case's id may take at 80 columns, and at any width."""
TITLE_AND_COUNT = 29
"""Columns that the first and the last column of the aggregate table share."""
SHORT = {
    "precision": "prec.",
    "f1": "F1",
    "relationshipAccuracy": "rel.",
    "provenanceCoverage": "prov.",
    "hallucinationRate": "halluc.",
    "entity_f1": "F1",
    "mrr": "MRR",
    "ndcg_at_10": "NDCG@10",
    "connection_precision": "prec.",
    "false_positive_rate": "false+",
    "hop_accuracy": "hops",
}
"""Column headers of the table of cases; another metric's is the last word of its title."""

WARNS = "(a minimum in brackets warns and does not block)"


def scorecard_table(
    run: RunView, *, declines: int = 0, colour: bool = False, verbose: bool = False, width: int = WIDTH
) -> str:
    """A whole scorecard, at most `width` columns wide. It judges nothing."""
    style = Style(colour, width)
    blocks = [
        _aggregate(run, style),
        counts_block(run, style, verbose=verbose),
        skipped_block(run, style),
        quarantine_block(run.quarantine, style),
        problems_block(run, style, verbose=verbose),
        _cases(run, style, verbose=verbose),
        items_block(run, _worst_first(run), style) if verbose else [],
        usage_block(run, style, verbose=verbose),
        _warnings(run, declines, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def brief_scorecard(run: RunView, *, declines: int = 0, colour: bool = False, width: int = WIDTH) -> str:
    """The metrics and what to be warned of."""
    style = Style(colour, width)
    blocks = [
        _aggregate(run, style),
        quarantine_block(run.quarantine, style),
        problems_block(run, style, verbose=False),
        _warnings(run, declines, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def room_for_ids(style: Style) -> int:
    """Columns that a case's id may take: a wide terminal has room for long ones."""
    return max(LONGEST_ID, min(LONGEST_EVER, LONGEST_ID + style.width - WIDTH))


def _aggregate(run: RunView, style: Style) -> list[str]:
    headers = ("metric", "value", "zone", "minimum", "target", "excellent", "n")
    headline, companions = (
        [metric for metric in shown_metrics(run.suite, companion=which) if metric.key in run.header.metrics]
        for which in (False, True)
    )
    longest = max((len(f"{n:,}") for n in run.header.denominators.values()), default=1)
    rows = [_row(metric, run, style, longest) for metric in (*headline, *companions)]
    if not rows:
        return ["No case was scored."]
    lines = table(headers, rows, "lrlrrrr", style)
    cut = 2 + len(headline)
    quiet = [style.dim(line) for line in lines[cut:]]
    if any(not run.suite.rules.thresholds[m.key].blocking for m in headline + companions if m.key in run.zones):
        quiet.append(style.dim(WARNS))
    return [*lines[:cut], *([""] if quiet else []), *quiet]


def _row(metric: Metric, run: RunView, style: Style, longest_count: int) -> list[str]:
    threshold = run.suite.rules.thresholds.get(metric.key)
    value = numbers.percent(run.header.metrics[metric.key], beside=numbers.limits_of(threshold))
    title = shorten(metric.title, TITLE_AND_COUNT - longest_count)
    if metric.key == run.suite.kind.primary:
        title, value = style.bold(title), style.bold(value)
    limits = ["", "", ""]
    if threshold is not None:
        limits = [style.dim(text) for text in numbers.limit_texts(threshold, metric)]
    n = f"{run.header.denominators.get(metric.key, 0):,}"
    return [title, value, style.zone(run.zones.get(metric.key)), *limits, n]


def skipped_block(run: RunView, style: Style) -> list[str]:
    """The metrics that do not apply to some cases, and what a rate of nought still leaves possible."""
    skipped = [line for text in skipped_lines(run) for line in style.wrap(text, first="skipped  ")]
    return [style.dim(line) for line in (*skipped, *(line for text in bounds_lines(run) for line in style.wrap(text)))]


def problems_block(run: RunView, style: Style, *, verbose: bool) -> list[str]:
    """Cases without an answer and bad answers, each with its problem."""
    why = dict(run.problems)
    lines: list[str] = []
    for ids, mark, colour, text in (
        (run.collected.failed, "?", RED, "without an answer: the run is incomplete, nothing counts as 0"),
        (run.collected.bad, "✗", YELLOW, "with a bad answer: 0 on every metric"),
    ):
        if not ids:
            continue
        lines.append(style.paint(f"{mark} {numbers.count(len(ids), 'case')} {text}", colour, BOLD))
        reasons = [(each, plain(why.get(each, ""))) for each in ids]
        lines += _one_by_one(reasons, style) if verbose else _by_reason(reasons, style)
    return lines


def _one_by_one(problems: Sequence[tuple[str, str]], style: Style) -> list[str]:
    texts = [f"{shorten(plain(case_id), room_for_ids(style))}  {reason}".rstrip() for case_id, reason in problems]
    return [line for text in texts for line in style.wrap(text, first="  ", then="    ")]


def _by_reason(problems: Sequence[tuple[str, str]], style: Style) -> list[str]:
    """Each reason once, as its first case has it, and the other cases it holds for by name."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for case_id, reason in problems:
        groups.setdefault(PLACE.sub("", reason), []).append((case_id, reason))
    lines: list[str] = []
    for group in list(groups.values())[:SHOWN_REASONS]:
        lines += _one_by_one(group[:1], style)
        if len(group) > 1:
            names = [shorten(plain(case_id), room_for_ids(style)) for case_id, _ in group[1:]]
            lines += style.wrap(f"the same: {some(names, SHOWN_PROBLEMS)}", first="    ", then="    ")
    if len(groups) > SHOWN_REASONS:
        lines.append(style.dim(f"  and {numbers.count(len(groups) - SHOWN_REASONS, 'more reason')} (-v shows all)"))
    return lines


def _cases(run: RunView, style: Style, *, verbose: bool) -> list[str]:
    # Those without an answer have been named above, each with its reason.
    ordered = [row for row in _worst_first(run) if row.status != "failed"]
    if not ordered:
        return []
    shown = ordered if verbose else ordered[:SHOWN_CASES]
    columns = _columns(run, shown, style)
    spread = run.header.repeats > 1
    names = [f"{_short(metric)} " for metric in columns]
    headers = ("  case, worst first ", *names, *(["±"] if spread else []))
    rows = [_case_row(row, columns, run, style, spread=spread) for row in shown]
    lines = table(headers, rows, "l" + "r" * (len(headers) - 1), style, gap=1)
    for i, row in enumerate(shown, 2):
        if row.status != "scored":
            lines[i] += "   " + style.paint("bad answer: 0 on every metric", YELLOW)
    left = run.cases - len(run.collected.failed) - len(shown)
    if left > 0:
        how = "--format json has all" if len(shown) == len(ordered) else "-v shows all"
        lines.append(style.dim(f"  and {left:,} more ({how})"))
    return lines


def _worst_first(run: RunView) -> list[CaseView]:
    primary = run.suite.kind.primary
    return sorted(run.rows, key=lambda row: (row.metrics.get(primary, math.inf), row.case_id))


def _columns(run: RunView, rows: Sequence[CaseView], style: Style) -> list[Metric]:
    """The composite, then the headline metrics, as many as there is room for."""
    primary = run.suite.kind.primary
    there = [m for m in shown_metrics(run.suite, companion=False) if any(m.key in row.metrics for row in rows)]
    there.sort(key=lambda metric: metric.key != primary)
    longest = max(min(room_for_ids(style), len(plain(row.case_id))) for row in rows)
    room = style.width - 2 - max(longest, 17) - (6 if run.header.repeats > 1 else 0)
    kept: list[Metric] = []
    for metric in there:
        room -= max(7, len(_short(metric)) + 2)
        if room < 0:
            break
        kept.append(metric)
    return kept


def _short(metric: Metric) -> str:
    return SHORT.get(metric.key, shorten(metric.title.split()[-1].lower(), 7))


def _case_row(row: CaseView, columns: Sequence[Metric], run: RunView, style: Style, *, spread: bool) -> list[str]:
    name = shorten(plain(row.case_id), room_for_ids(style))
    zone = row.zones.get(run.suite.kind.primary)
    if row.status != "scored":
        zone = Zone.FAIL
    mark = " " if zone is None else style.paint(MARKS[zone], ZONE_COLOURS[zone])
    cells = [f"{mark} {name}"]
    for i, metric in enumerate(columns):
        value = row.metrics.get(metric.key)
        if row.status != "scored":
            value = value if i == 0 else None
            cells.append("" if value is None else f"{numbers.bare(value)} ")
        elif value is None:
            cells.append(style.dim("– "))
        else:
            failing = i > 0 and row.zones.get(metric.key) is Zone.FAIL
            text = f"{numbers.bare(value)}{MARKS[Zone.FAIL] if failing else ' '}"
            cells.append(style.bold(text) if i == 0 else style.paint(text, RED) if failing else text)
    if spread:
        cells.append("" if row.spread is None else numbers.bare(row.spread))
    return cells


def usage_block(run: RunView, style: Style, *, verbose: bool) -> list[str]:
    """What the run took, and the repairs made to answers."""
    used = usage_lines(run.usage, shown_model(run.suite, run.header.model))
    lines = [style.dim(line) for text in used for line in style.wrap(text)]
    if run.notes and verbose:
        lines += [style.dim(line) for note in run.notes for line in style.wrap(plain(note), first="note  ")]
    elif run.notes:
        lines.append(style.dim(f"{numbers.count(len(run.notes), 'note')} on answers (-v shows them)"))
    return lines


def _warnings(run: RunView, declines: int, style: Style) -> list[str]:
    lines = []
    if failing := fail_zones(run):
        made_elsewhere = run.header.mode == ELSEWHERE  # which no comparison sees
        judge = "" if made_elsewhere else f" — row3 --compare{visible(run.suite.flags('row3 --compare'))} judges"
        text = f"fail zone: {', '.join(failing)}{judge}"
        lines += [style.paint(line, RED) for line in style.wrap(text, first="✗ ")]
    if text := declines_line(declines, run):
        lines += [style.paint(line, YELLOW) for line in style.wrap(text, first="▼ ")]
    return lines
