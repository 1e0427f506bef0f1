"""`row3 diff` as a document and as plain values: runs, differences, metrics, cases; no verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from row3.comparing.diff import Diff
from row3.comparing.named_sides import Side
from row3.domain import numbers
from row3.domain.scores import Metric
from row3.gate.moves import Loss
from row3.reports.case_changes import cases_table, moved_cases
from row3.reports.comparison import change_cells
from row3.reports.differences import differences, figure_row, prompt_folds
from row3.reports.document import Block, Document, Facts, Note, Table, Text, Title, more
from row3.reports.json_values import interval_json, json_fields
from row3.reports.sentences import interval_head

SHOWN_CASES = 15
SAME = "prompts, model, parameters, cases and rules are the same"


def diff_document(view: Diff, metrics: Sequence[Metric], *, verbose: bool = False) -> Document:
    """Return the two runs side by side; every case when verbose."""
    title = f"row3 diff · {view.suite}: {_named(view.before)} → {_named(view.after)}"
    changed: list[tuple[str, Text]] = [*_differs(view)]
    shown = view.cases if verbose else view.cases[:SHOWN_CASES]
    moves = ", ".join(f"{count:,} {move}" for move, count in view.moves.items()) or "none"
    left = moved_cases(view.moves) - len(shown)
    blocks: list[Block] = [
        Title(title),
        Facts([("before", _side(view.before)), ("after", _side(view.after)), *changed]),
        *([Note([_outcome(view, metrics)])] if view.settings_differ and view.metrics else []),
        _metrics(view, metrics),
        Note(_compared(view)),
        Title(f"Cases: {moves}", 4),
    ]
    if shown:
        blocks.append(cases_table(shown, {}, {}, every=verbose, more=more(left)))
    return Document([*blocks, *prompt_folds(view.prompt_diffs)])


def _named(side: Side) -> str:
    return f"{side.name} ({side.where})"


def _side(side: Side) -> str:
    """Return `decompose-concepts v1.0 → map-ontology v1.0 · reference-llm · 15 cases`."""
    header = side.run.header
    prompts = " → ".join(f"{name} {version}" for name, version in header.prompts.items())
    what = [part for part in (prompts, header.model) if part] or ["outputs made elsewhere"]
    return " · ".join([*what, numbers.count(len(side.run.cases), "case")])


def _differs(view: Diff) -> list[tuple[str, str]]:
    before, after = view.before.run.header, view.after.run.header
    rows = list(differences(before, after, view.prompt_diffs))
    if before.scorer != after.scorer:
        rows.append(("scorer", f"{before.scorer} → {after.scorer}; their scores are not comparable"))
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
    rows += [[*figure_row(one, None, one.cases, verbose=True)[:6], f"{one.cases:,}"] for one in view.figures]
    heads = ("metric", "before", "after", "points", interval_head(view.metrics), "p", "cases")
    return Table(heads, rows, "lrrrrrr") if rows else Note(["No metric could be compared."])


WORDS = {"cost": ("cheaper", "dearer"), "latency": ("faster", "slower")}
"""If a figure falls, and if it rises."""


OUTCOMES: Mapping[Loss, str] = {
    "none": "No worse ({} is ruled out)",
    "small": "A little worse ({} is ruled out)",
    "beyond": "Worse ({} is shown)",
    "open": "Whether it is worse is open ({} is neither shown nor ruled out)",
}


def _outcome(view: Diff, metrics: Sequence[Metric]) -> str:
    """Return `No worse, and cheaper by 40%`, with the loss that is ruled out."""
    metric = next(each for each in metrics if each.key == view.primary)
    change = next(each for each in view.metrics if each.key == view.primary)
    limit = f"a loss of more than {change.limit:g}{'%' if view.unit == 'relative' else ' points'}"
    said = OUTCOMES[view.loss].format(f"{metric.title}: {limit}")
    moves = {one.key: one.rise for one in view.figures if one.key in WORDS and isfinite(one.rise)}
    more = [f"{WORDS[key][by > 0]} by {abs(by):.0f}%" for key, by in moves.items() if round(by)]
    link = ", and " if view.loss == "none" else ", "
    return said + link.join(["", *more][:2]) + "".join(f", {each}" for each in more[1:])


def _compared(view: Diff) -> list[str]:
    lines = []
    if any(len(side.run.cases) != view.compared for side in (view.before, view.after)):
        lines.append(f"Over the {numbers.count(view.compared, 'case')} that both runs have and that can be compared.")
    lines += [
        f"{side.name}: {numbers.count(len(side.missing), 'case')} without an answer, not counted above. "
        f"First: {side.problem}"
        for side in view.unanswered
    ]
    return lines


def diff_json(view: Diff) -> dict[str, Any]:
    """Return the comparison as plain values: `row3 diff --format json`."""
    return {
        "schemaVersion": 1,
        **json_fields(view, "suite", "primary", "compared", "moves", "prompt_diffs"),
        "before": _side_json(view.before),
        "after": _side_json(view.after),
        "differs": [f"{name}: {text}" for name, text in differences(view.before.run.header, view.after.run.header)]
        + list(view.notes),
        "unanswered": [
            {"name": side.name, "cases": len(side.missing), "problem": side.problem} for side in view.unanswered
        ],
        "metrics": {
            one.key: {"before": one.baseline, "after": one.current, "delta": one.delta, "cases": one.cases}
            for one in view.metrics
        },
        "loss": view.loss,
        "figures": {one.key: one.as_json() for one in view.figures},
        "intervals": {one.key: interval_json(one.single) for one in view.metrics if one.single is not None},
        "cases": [
            {"id": change.case_id, "change": change.move}
            | json_fields(change, "delta", "deltas", "gained", "lost", "note")
            for change in view.cases
        ],
    }


def _side_json(side: Side) -> dict[str, Any]:
    header = side.run.header
    return {
        "name": side.name,
        "place": side.where,
        **json_fields(header, "run_id", "at", "mode", "prompts", "prompt_digests", "model", "parameters", "repeats"),
        "scorer": header.scorer,
        "commit": side.commit or header.commit,
        "cases": len(side.run.cases),
    }
