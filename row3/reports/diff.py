"""`row3 diff` as a document and as plain values: runs, differences, metrics, cases; no verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.comparing.diff import Diff
from row3.domain import numbers
from row3.domain.metrics import Metric
from row3.reports.case_changes import cases_table, moved_cases
from row3.reports.comparison import change_cells, differences, prompt_folds
from row3.reports.document import Block, Document, Facts, Note, Table, Text, Title, more
from row3.reports.json_values import interval_json, json_fields

SHOWN_CASES = 15
SAME = "prompts, model, parameters, cases and rules are the same"


def diff_document(view: Diff, metrics: Sequence[Metric], *, verbose: bool = False) -> Document:
    """Return the two runs side by side; every case when verbose."""
    title = f"row3 diff · {view.suite}: {_named(view, 0)} → {_named(view, 1)}"
    changed: list[tuple[str, Text]] = [*_differs(view)]
    shown = view.cases if verbose else view.cases[:SHOWN_CASES]
    moves = ", ".join(f"{count:,} {move}" for move, count in view.moves.items()) or "none"
    left = moved_cases(view.moves) - len(shown)
    blocks: list[Block] = [
        Title(title),
        Facts([("before", _side(view, 0)), ("after", _side(view, 1)), *changed]),
        _metrics(view, metrics),
        Note(_compared(view)),
        Title(f"Cases: {moves}", 4),
    ]
    if shown:
        blocks.append(cases_table(shown, {}, {}, every=verbose, more=more(left)))
    return Document([*blocks, *prompt_folds(view.prompt_diffs)])


def _named(view: Diff, which: int) -> str:
    return f"{view.names[which]} ({view.places[which]})"


def _side(view: Diff, which: int) -> str:
    """Return `decompose-concepts v1.0 → map-ontology v1.0 · reference-llm · 15 cases`."""
    side = (view.before, view.after)[which]
    prompts = " → ".join(f"{name} {version}" for name, version in side.prompts.items())
    what = [part for part in (prompts, side.model) if part] or ["outputs made elsewhere"]
    return " · ".join([*what, numbers.count(view.sizes[which], "case")])


def _differs(view: Diff) -> list[tuple[str, str]]:
    rows = list(differences(view.before, view.after, view.prompt_diffs))
    if view.before.scorer != view.after.scorer:
        rows.append(("scorer", f"{view.before.scorer} → {view.after.scorer}; their scores are not comparable"))
    rows += [("also", note) for note in view.notes]
    if rows:
        return rows
    unchanged = set(view.moves) <= {"unchanged"}
    return [("changed", f"nothing: {SAME}, and no case moved" if unchanged else f"nothing but the answers: {SAME}")]


def _metrics(view: Diff, metrics: Sequence[Metric]) -> Block:
    known = {metric.key: metric for metric in metrics}
    rows = [
        [*change_cells(known[one.key], one, primary=one.key == view.primary), f"{one.cases:,}"]
        for one in view.metrics
        if one.key in known
    ]
    level = next((one.interval.level for one in view.metrics if one.interval is not None), None)
    interval = "interval" if level is None else f"{100 * level:.3g}% interval"
    heads = ("metric", "before", "after", "points", interval, "p", "cases")
    return Table(heads, rows, "lrrrrrr") if rows else Note(["No metric could be compared."])


def _compared(view: Diff) -> list[str]:
    lines = []
    if view.sizes != (view.compared, view.compared):
        lines.append(f"Over the {numbers.count(view.compared, 'case')} that both runs have and that can be compared.")
    lines += [
        f"{name}: {numbers.count(cases, 'case')} without an answer, not counted above. First: {problem}"
        for name, cases, problem in view.unanswered
    ]
    return lines


def diff_json(view: Diff) -> dict[str, Any]:
    """Return the comparison as plain values: `row3 diff --format json`."""
    return {
        "schemaVersion": 1,
        **json_fields(view, "suite", "primary", "compared", "moves", "prompt_diffs"),
        "before": _side_json(view, 0),
        "after": _side_json(view, 1),
        "differs": [f"{name}: {text}" for name, text in differences(view.before, view.after)] + list(view.notes),
        "unanswered": [{"name": name, "cases": cases, "problem": problem} for name, cases, problem in view.unanswered],
        "metrics": {
            one.key: {"before": one.baseline, "after": one.current, "delta": one.delta, "cases": one.cases}
            for one in view.metrics
        },
        "intervals": {one.key: interval_json(one.interval) for one in view.metrics if one.interval is not None},
        "cases": [
            {"id": change.case_id, "change": change.move}
            | json_fields(change, "delta", "deltas", "gained", "lost", "note")
            for change in view.cases
        ],
    }


def _side_json(view: Diff, which: int) -> dict[str, Any]:
    side = (view.before, view.after)[which]
    return {
        "name": view.names[which],
        "place": view.places[which],
        **json_fields(side, "run_id", "at", "mode", "prompts", "prompt_digests", "model", "parameters", "repeats"),
        "scorer": side.scorer,
        "commit": view.commits[which] or side.commit,
        "cases": view.sizes[which],
    }
