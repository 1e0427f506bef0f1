"""`row3 diff --format markdown`: for a pull request; what is long unfolds."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric
from row3.domain.verdicts import CaseChange
from row3.reports import numbers
from row3.reports.diffs.diff_words import DiffView, compared_lines, differing, noun, side_lines, total_lines, verb
from row3.reports.markdown import code, fenced, fold, grid, inline
from row3.reports.style import arrow, plain, shorten

SHOWN_CASES, SHOWN_ITEMS, SHOWN_DIFF, SHOWN_DIFFERS, SHOWN_PROMPTS = 25, 6, 200, 20, 4
LONGEST_ITEM, LONGEST_LINE = 100, 300
"""Columns of an item and of a line: a model may write a label of megabytes."""


def diff_markdown(view: DiffView, metrics: Sequence[Metric]) -> str:
    """The comparison as Markdown, with a line end."""
    heads = ("Before", "After")
    runs = [
        f"- {head}: {code(name)} ({inline(place)}): {inline(text)}"
        for head, name, place, text in zip(heads, view.names, view.places, side_lines(view), strict=True)
    ]
    shown = list(view.prompt_diffs)[:SHOWN_PROMPTS]
    left = len(view.prompt_diffs) - len(shown)
    parts = [
        [f"### row3 diff · {inline(view.suite)}"],
        runs,
        ["**What differs**", "", *_differing(view)],
        _metrics(view, metrics),
        [inline(shorten(plain(line), LONGEST_LINE)) for line in compared_lines(view)],
        ["**Cases**: " + inline(", ".join(f"{count:,} {move}" for move, count in view.moves.items()) or "none")],
        [f"- {inline(line)}" for line in total_lines(view)],
        fold("Cases that moved most", _cases(view)) if view.cases else [],
        *(fold(f"Text of prompt {inline(name)}", _prompt(view.prompt_diffs[name])) for name in shown),
        [f"and the text of {numbers.count(left, 'more prompt')}"] if left > 0 else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _differing(view: DiffView) -> list[str]:
    lines = differing(view)
    left = len(lines) - SHOWN_DIFFERS
    shown = [f"- {inline(shorten(plain(line), LONGEST_LINE))}" for line in lines[:SHOWN_DIFFERS]]
    return [*shown, f"- and {left:,} more"] if left > 0 else shown


def _metrics(view: DiffView, metrics: Sequence[Metric]) -> list[str]:
    titles = {metric.key: metric.title for metric in metrics}
    rows = []
    for one in view.metrics:
        if one.key not in titles:
            continue
        title = inline(titles[one.key])
        span = "–" if one.interval is None else numbers.interval(one.interval.low, one.interval.high)
        p = "–" if one.interval is None else numbers.p_value(one.interval.p_value)
        rows.append(
            [
                f"**{title}**" if one.key == view.primary else title,
                "–" if one.baseline is None else numbers.percent(one.baseline),
                "–" if one.current is None else numbers.percent(one.current),
                _points(one),
                span,
                p,
                f"{one.cases:,}",
            ]
        )
    return grid(("Metric", "Before", "After", "Points", "95% interval", "p", "Cases"), "lrrrrrr", rows) if rows else []


def _points(change: MetricChange) -> str:
    if change.delta is None:
        return "–"
    good = None if abs(change.delta) < 5e-4 or change.worse_by is None else change.worse_by <= 0
    return f"{numbers.points(change.delta)} {arrow(good)}".rstrip()


def _cases(view: DiffView) -> list[str]:
    lines = []
    for change in view.cases[:SHOWN_CASES]:
        lines.append(f"- {_item(change.case_id)} {inline(shorten(plain(_moved(change)), LONGEST_LINE))}")
        for sign, lists in (("+", change.gained), ("−", change.lost)):
            for name, items in lists.items():
                named = ", ".join(_item(item) for item in items[:SHOWN_ITEMS])
                more = f" and {len(items) - SHOWN_ITEMS:,} more" if len(items) > SHOWN_ITEMS else ""
                lines.append(f"  - {verb(sign, name)} {inline(noun(name))}: {named}{more}")
    left = sum(count for move, count in view.moves.items() if move != "unchanged") - min(len(view.cases), SHOWN_CASES)
    return [*lines, f"- and {left:,} more"] if left > 0 else lines


def _item(text: str) -> str:
    return code(shorten(plain(text), LONGEST_ITEM))


def _moved(change: CaseChange) -> str:
    delta = f" {numbers.points(change.delta)}" if change.move in ("improved", "regressed", "broke", "fixed") else ""
    return f"{change.move}{delta}" + (f" ({change.note})" if change.note else "")


def _prompt(text: str) -> list[str]:
    lines = text.split("\n")
    shown = fenced("\n".join(shorten(line, LONGEST_LINE) for line in lines[:SHOWN_DIFF]), "diff")
    left = len(lines) - SHOWN_DIFF
    return [*shown, "", f"and {numbers.count(left, 'more line')}"] if left > 0 else shown
