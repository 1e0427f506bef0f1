"""`row3 diff` as text and as plain values for JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from row3.domain.metrics import Metric
from row3.domain.verdicts import CaseChange, MetricChange
from row3.reports import numbers
from row3.reports.result_json import interval_json
from row3.reports.style import PLAIN, Style, arrow, plain, table

SHOWN_CASES, SHOWN_ITEMS = 15, 6
NOUNS = {
    "missedConcepts": "concepts",
    "wrongConcepts": "invented concepts",
    "canaries": "canaries",
    "missedRelationships": "relationships",
    "wrongRelationships": "wrong relationships",
}


class DiffView(Protocol):
    """What is shown of a comparison of two runs."""

    @property
    def suite(self) -> str: ...
    @property
    def names(self) -> tuple[str, str]: ...
    @property
    def places(self) -> tuple[str, str]: ...
    @property
    def differs(self) -> Sequence[str]: ...
    @property
    def metrics(self) -> Sequence[MetricChange]: ...
    @property
    def moves(self) -> Mapping[str, int]: ...
    @property
    def cases(self) -> Sequence[CaseChange]: ...
    @property
    def compared(self) -> int: ...


def diff_text(view: DiffView, metrics: Sequence[Metric], *, cases: int = SHOWN_CASES, style: Style = PLAIN) -> str:
    """The comparison as a text of several lines, without a line end at the end."""
    before, after = (f"{name} ({place})" for name, place in zip(view.names, view.places, strict=True))
    lines = [*style.wrap(plain(f"{view.suite}: {before} → {after}"), then="  "), ""]
    if view.differs:
        differs = (line for text in view.differs for line in style.wrap(plain(text), first="  ", then="    "))
        lines += [style.bold("What differs"), *differs, ""]
    lines += [*_metric_table(view, metrics, style), ""]
    moves = ", ".join(f"{count:,} {move}" for move, count in view.moves.items()) or "none"
    lines.append(f"{style.bold('Cases')}: {moves}")
    shown = view.cases[:cases]
    for change in shown:
        lines += _case(change, style)
    left = sum(count for move, count in view.moves.items() if move != "unchanged") - len(shown)
    if left > 0:
        lines.append(f"  … and {left:,} more")
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
            # What is gained of a list of wrong items is that they are gone.
            missed = name.startswith("missed")
            verb = {"+": "found" if missed else "no longer", "−": "lost" if missed else "new"}[sign]
            more = f" and {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else ""
            text = f"{sign} {verb} {NOUNS.get(name) or _noun(name)}: {', '.join(items[:SHOWN_ITEMS])}{more}"
            yield from style.wrap(plain(text), first="    ", then="      ")


def _noun(name: str) -> str:
    """`events` for `missedEvents`, `wrong events` for `wrongEvents`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return words.removeprefix("missed ")


def diff_json(view: DiffView) -> dict[str, Any]:
    """The comparison as plain values: `row3 diff --format json`."""
    return {
        "schemaVersion": 1,
        "suite": view.suite,
        "before": {"name": view.names[0], "place": view.places[0]},
        "after": {"name": view.names[1], "place": view.places[1]},
        "differs": list(view.differs),
        "compared": view.compared,
        "metrics": {
            one.key: {"before": one.baseline, "after": one.current, "delta": one.delta, "cases": one.cases}
            for one in view.metrics
        },
        "intervals": {one.key: interval_json(one.interval) for one in view.metrics if one.interval is not None},
        "moves": dict(view.moves),
        "cases": [
            {
                "id": change.case_id,
                "change": change.move,
                "delta": change.delta,
                "deltas": dict(change.deltas),
                "gained": {name: list(items) for name, items in change.gained.items()},
                "lost": {name: list(items) for name, items in change.lost.items()},
                "note": change.note,
            }
            for change in view.cases
        ],
    }
