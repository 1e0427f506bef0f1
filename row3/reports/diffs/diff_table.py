"""`row3 diff` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric
from row3.domain.verdicts import CaseChange
from row3.reports import numbers
from row3.reports.diffs.diff_words import DiffView, compared_lines, differing, noun, side_lines, total_lines, verb
from row3.reports.prompt_diff import diff_lines
from row3.reports.style import PLAIN, Style, arrow, plain
from row3.reports.terminal import table

SHOWN_CASES, SHOWN_ITEMS = 15, 6


def diff_text(view: DiffView, metrics: Sequence[Metric], *, verbose: bool = False, style: Style = PLAIN) -> str:
    """The comparison as a text of several lines, without a line end at the end; all of it when verbose."""
    before, after = (f"{name} ({place})" for name, place in zip(view.names, view.places, strict=True))
    lines = [*style.wrap(plain(f"{view.suite}: {before} → {after}"), then="  "), ""]
    for head, text in zip(("Before  ", "After   "), side_lines(view), strict=True):
        lines += style.wrap(plain(text), first=head)
    lines += ["", style.bold("What differs")]
    lines += [line for text in differing(view) for line in style.wrap(plain(text), first="  ", then="    ")]
    lines += ["", *_metric_table(view, metrics, style)]
    lines += [line for text in compared_lines(view) for line in style.wrap(plain(text), then="  ")]
    moves = ", ".join(f"{count:,} {move}" for move, count in view.moves.items()) or "none"
    lines += ["", f"{style.bold('Cases')}: {moves}"]
    lines += [line for text in total_lines(view) for line in style.wrap(plain(text), first="  ", then="    ")]
    shown = view.cases if verbose else view.cases[:SHOWN_CASES]
    for change in shown:
        lines += _case(change, style)
    left = sum(count for move, count in view.moves.items() if move != "unchanged") - len(shown)
    if left > 0:
        lines.append(f"  … and {left:,} more")
    if view.prompt_diffs:
        lines += ["", style.bold("Prompts")]
    for name, text in view.prompt_diffs.items():
        lines += diff_lines(name, text, style, verbose=verbose)
    return "\n".join(lines)


def _metric_table(view: DiffView, metrics: Sequence[Metric], style: Style) -> list[str]:
    named = {metric.key: metric for metric in metrics}
    rows = [
        (
            named[c.key].title,
            _percent(c.baseline),
            _percent(c.current),
            _points(c, style),
            "–" if c.interval is None else numbers.interval(c.interval.low, c.interval.high),
            "–" if c.interval is None else numbers.p_value(c.interval.p_value),
            f"{c.cases:,}",
        )
        for c in view.metrics
        if c.key in named
    ]
    heads = ("metric", "before", "after", "points ", "95% interval", "p", "cases")
    return table(heads, rows, "lrrrrrr", style)


def _percent(value: float | None) -> str:
    return "–" if value is None else numbers.percent(value)


def _points(change: MetricChange, style: Style) -> str:
    if change.delta is None:
        return "–  "
    good = None if abs(change.delta) < 5e-4 or change.worse_by is None else change.worse_by <= 0
    return style.moved(f"{numbers.points(change.delta)} {arrow(good)}", good)


def _case(change: CaseChange, style: Style) -> Iterator[str]:
    delta = f" {numbers.points(change.delta)}" if change.move in ("improved", "regressed", "broke", "fixed") else ""
    note = f" ({change.note})" if change.note else ""
    yield from style.wrap(plain(f"{change.case_id}: {change.move}{delta}{note}"), first="  ", then="    ")
    for sign, lists in (("+", change.gained), ("−", change.lost)):
        for name, items in lists.items():
            more = f" and {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else ""
            text = f"{sign} {verb(sign, name)} {noun(name)}: {', '.join(items[:SHOWN_ITEMS])}{more}"
            yield from style.wrap(plain(text), first="    ", then="      ")
