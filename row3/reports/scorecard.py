"""A run as a document: metrics with their zones, missing answers, cases, usage, warnings; no verdict."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

from row3.domain import numbers
from row3.domain.printable import plain, shorten, visible
from row3.domain.runs import ELSEWHERE
from row3.domain.scores import CaseScore, Metric, Zone, zones_of
from row3.domain.words import words_of
from row3.gate.results import Run
from row3.metrics.ratios import best_score
from row3.reports.document import Block, Document, Fold, Items, Note, Span, Table, Text, Title, more, strong
from row3.reports.judges import judge_blocks
from row3.reports.match_counts import bounds_lines, run_counts
from row3.reports.sentences import (
    declines_line,
    fail_zones,
    quarantine_note,
    shown_metrics,
    shown_model,
    skipped_lines,
    some,
    usage_lines,
    what_runs,
)
from row3.reports.spans import ZONE_TONES, zone_span
from row3.reports.terminal import MARKS

SHOWN_CASES = 30
SHOWN_PROBLEMS, SHOWN_REASONS = 10, 5
NAMED_ITEMS, LONGEST_ITEM = 40, 120
COLUMNS = 5
PLACE = re.compile(r"recordings/\S+:\d+|^.+?:\d+(?=: the answer )")
"""The place of a recording or an output; problems that differ only in it are shown once."""
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
"""Headers in the table of cases; others use the last word of the metric's title."""
WARNS = "(a minimum in brackets warns and does not block)"


def scorecard_document(run: Run, *, declines: int = 0, verbose: bool = False, headed: bool = True) -> Document:
    """Return a scorecard: every case if verbose; if headed, begin with the suite and the versions."""
    blocks: list[Block] = [Title(f"row3 · {run.suite.name}"), Note([what_runs(run)])] if headed else []
    blocks += [*_metrics(run), *judge_blocks(run), run_counts(run, every=verbose), missing_note(run)]
    blocks += [quarantine_note(run.quarantine), *problem_blocks(run, verbose=verbose), *_cases(run, verbose=verbose)]
    blocks += _items(run) if verbose else []
    return Document([*blocks, usage_note(run, verbose=verbose), _warnings(run, declines)])


def brief_scorecard(run: Run) -> Document:
    """Return the metrics and the warnings alone."""
    return Document(
        [*_metrics(run), *judge_blocks(run), quarantine_note(run.quarantine), *problem_blocks(run), _warnings(run, 0)]
    )


def _metrics(run: Run) -> list[Block]:
    headline, companions = (
        [metric for metric in shown_metrics(run.suite, companion=which) if metric.key in run.header.metrics]
        for which in (False, True)
    )
    if not headline and not companions:
        return [Note(["No case was scored."])]
    between, align = (("95% CI",), "lrrlrrrr") if run.rates else ((), "lrlrrrr")
    headers = ("metric", "value", *between, "zone", "minimum", "target", "excellent", "n")
    blocks: list[Block] = [Table(headers, [_metric_row(metric, run) for metric in headline], align)]
    if companions:
        blocks.append(Table(("companions", *headers[1:]), [_metric_row(m, run) for m in companions], align))
    shown = {metric.key for metric in headline + companions} & run.zones.keys()
    notes = [WARNS] if any(not run.suite.rules.thresholds[key].blocking for key in shown) else []
    best = best_score(run.suite.rules.weights)
    if best < 1 and "overall" in run.header.metrics:
        notes.append(f"{numbers.percent(best)} is the highest Overall: the positive weights sum to {best:.2f}")
    return [*blocks, Note(notes, "quiet")] if notes else blocks


def _metric_row(metric: Metric, run: Run) -> list[Text]:
    threshold = run.suite.rules.thresholds.get(metric.key)
    value = numbers.percent(run.header.metrics[metric.key], limits=numbers.limits_of(threshold))
    primary = metric.key == run.suite.kind.primary
    limits = ["", "", ""] if threshold is None else numbers.limit_texts(threshold, metric)
    n = f"{run.header.denominators.get(metric.key, 0):,}"
    texts: list[Text] = [strong(metric.title), strong(value)] if primary else [metric.title, value]
    if run.rates:
        texts.append(numbers.ends(rate) if (rate := run.rates.get(metric.key)) else "")
    return [*texts, zone_span(run.zones.get(metric.key)), *(Span(text, "quiet") for text in limits), n]


def missing_note(run: Run) -> Note:
    """Return the metrics skipped for some cases, and the upper bounds of rates of forbidden items."""
    return Note([*(f"skipped: {text}" for text in skipped_lines(run)), *bounds_lines(run)], "quiet")


def problem_blocks(run: Run, *, verbose: bool = False) -> list[Block]:
    """Return cases without an answer and bad answers, each problem once unless verbose."""
    why = dict(run.problems)
    blocks: list[Block] = []
    for ids, mark, text in (
        (run.failed, Span("? ", "bad"), f"without {run.without}: the run is incomplete; they do not count as 0"),
        (run.bad, Span("✗ ", "warning"), "with a bad answer: 0 on every metric"),
    ):
        if ids:
            found = [(case_id, why.get(case_id, "")) for case_id in ids]
            blocks.append(Title([mark, f"{numbers.count(len(ids), 'case')} {text}"], 4))
            blocks.append(Items([_problem(*each) for each in found] if verbose else _by_problem(found)))
    return blocks


def _problem(case_id: str, problem: str) -> str:
    return f"{case_id}: {problem}" if problem else case_id


def _by_problem(problems: Sequence[tuple[str, str]]) -> list[str]:
    """Return each problem as in its first case, with the names of the other cases."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for case_id, problem in problems:
        groups.setdefault(PLACE.sub("", problem), []).append((case_id, problem))
    lines = []
    for group in list(groups.values())[:SHOWN_REASONS]:
        others = [case_id for case_id, _ in group[1:]]
        same = f" (the same: {some(others, SHOWN_PROBLEMS)})" if others else ""
        lines.append(f"{_problem(*group[0])}{same}")
    left = len(groups) - SHOWN_REASONS
    return [*lines, f"{numbers.count(left, 'more problem')} (-v shows all)"] if left > 0 else lines


def _cases(run: Run, *, verbose: bool) -> list[Block]:
    ordered = [row for row in worst_first(run) if row.status != "failed"]  # those are listed with their problems
    if not ordered:
        return []
    shown = ordered if verbose else ordered[:SHOWN_CASES]
    columns, spread = _columns(run, shown), run.header.repeats > 1
    names = [SHORT.get(metric.key, shorten(metric.title.split()[-1].lower(), 7)) for metric in columns]
    headers = ("case, worst first", *names, *(["±"] if spread else []))
    rows = [_case_row(row, columns, run, spread=spread) for row in shown]
    left = run.cases - len(run.failed) - len(shown)
    how = " (--format json has all)" if len(shown) == len(ordered) else " (-v shows all)"
    return [Table(headers, rows, "l" + "r" * (len(headers) - 1), more=more(left, how=how))]


def worst_first(run: Run) -> list[CaseScore]:
    """Return the cases by their primary metric, lowest first."""
    primary = run.suite.kind.primary
    return sorted(run.rows, key=lambda row: (row.metrics.get(primary, math.inf), row.case_id))


def _columns(run: Run, rows: Sequence[CaseScore]) -> list[Metric]:
    primary = run.suite.kind.primary
    known = [m for m in shown_metrics(run.suite, companion=False) if any(m.key in row.metrics for row in rows)]
    return sorted(known, key=lambda metric: metric.key != primary)[: COLUMNS + 1]


def _case_row(row: CaseScore, columns: Sequence[Metric], run: Run, *, spread: bool) -> list[Text]:
    bad = row.status != "scored"
    primary = run.suite.kind.primary
    zones = zones_of(row.metrics, columns, run.suite.rules.thresholds)
    zone = Zone.FAIL if bad else zones.get(primary)
    mark = Span("  ") if zone is None else Span(f"{MARKS[zone]} ", ZONE_TONES[zone])
    cells: list[Text] = [[mark, row.case_id, *([Span(" bad answer", "warning")] if bad else [])]]
    for i, metric in enumerate(columns):
        value = row.metrics.get(metric.key)
        if value is None or (bad and i):
            cells.append("" if bad else Span("–", "quiet"))
            continue
        failing = i > 0 and zones.get(metric.key) is Zone.FAIL
        text = numbers.bare(value)
        cells.append(strong(text) if i == 0 else Span(f"{MARKS[Zone.FAIL]} {text}", "bad") if failing else text)
    return [*cells, numbers.bare(row.spread[primary]) if primary in row.spread else ""] if spread else cells


def _items(run: Run) -> list[Block]:
    """Return the shortfall of each case still in memory, worst case first."""
    found = {record["id"]: record.get("found") or {} for record in map(json.loads, run.records)}
    blocks: list[Block] = []
    for row in worst_first(run):
        if lists := found.get(row.case_id):
            blocks += [Title(row.case_id, 4), Items([_list(key, items) for key, items in lists.items()])]
    return [Fold("What was missed or wrong", blocks)] if blocks else []


def _list(key: str, items: Sequence[str]) -> str:
    name = {"canaries": "canary extracted", "wrongConcepts": "unexpected"}.get(key) or words_of(key)
    return f"{name}: {some([shorten(plain(item), LONGEST_ITEM) for item in items], NAMED_ITEMS)}"


def usage_note(run: Run, *, verbose: bool = False) -> Note:
    """Return usage, and the repairs made to answers."""
    lines = [" · ".join(usage_lines(run.usage, shown_model(run.suite, run.header.model)))]
    if run.notes and verbose:
        lines += [f"note: {note}" for note in run.notes]
    elif run.notes:
        lines.append(f"{numbers.count(len(run.notes), 'note')} on answers (-v shows them)")
    return Note([line for line in lines if line], "quiet")


def _warnings(run: Run, declines: int) -> Note:
    lines: list[Text] = []
    if failing := fail_zones(run):
        flags = visible(run.suite.flags("row3 --compare"))
        judge = "" if run.header.mode == ELSEWHERE else f" (row3 --compare{flags} judges)"
        lines.append(Span(f"✗ fail zone: {', '.join(failing)}{judge}", "bad"))
    if text := declines_line(declines, run):
        lines.append(Span(f"▼ {text}", "warning"))
    return Note(lines)
