"""`row3 diff` as text and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from row3.domain.metrics import Metric
from row3.domain.verdicts import CaseChange, MetricChange
from row3.reports import numbers
from row3.reports.style import arrow

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


def diff_text(view: DiffView, metrics: Sequence[Metric], *, cases: int = SHOWN_CASES) -> str:
    """The comparison as a text of several lines, without a line end at the end."""
    before, after = view.names
    lines = [f"{view.suite}: {before} ({view.places[0]}) → {after} ({view.places[1]})", ""]
    if view.differs:
        lines += ["What differs", *(f"  {line}" for line in view.differs), ""]
    lines += [*_metric_table(view, metrics), ""]
    moves = ", ".join(f"{count:,} {move}" for move, count in view.moves.items()) or "none"
    lines.append(f"Cases: {moves}")
    shown = view.cases[:cases]
    for change in shown:
        lines += _case(change)
    left = sum(count for move, count in view.moves.items() if move != "unchanged") - len(shown)
    if left > 0:
        lines.append(f"  … and {left:,} more")
    return "\n".join(lines)


def _metric_table(view: DiffView, metrics: Sequence[Metric]) -> Iterator[str]:
    named = {metric.key: metric for metric in metrics}
    rows = [("Metric", "before", "after", "points", "cases")]
    for change in view.metrics:
        metric = named.get(change.key)
        if metric is None:
            continue
        rows.append(
            (metric.title, _percent(change.baseline), _percent(change.current), _points(change), f"{change.cases:,}")
        )
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join([row[0].ljust(widths[0]), *cells])


def _percent(value: float | None) -> str:
    return "–" if value is None else numbers.percent(value)


def _points(change: MetricChange) -> str:
    if change.delta is None:
        return "–"
    worse = None if abs(change.delta) < 5e-4 or change.worse_by is None else change.worse_by > 0
    return f"{numbers.points(change.delta)} {arrow(None if worse is None else not worse)}".rstrip()


def _case(change: CaseChange) -> Iterator[str]:
    delta = f" {numbers.points(change.delta)}" if change.move in ("improved", "regressed", "broke", "fixed") else ""
    note = f" ({change.note})" if change.note else ""
    yield f"  {change.case_id}: {change.move}{delta}{note}"
    for sign, lists in (("+", change.gained), ("−", change.lost)):
        for name, items in lists.items():
            # What is gained of a list of wrong items is that they are gone.
            missed = name.startswith("missed")
            verb = {"+": "found" if missed else "no longer", "−": "lost" if missed else "new"}[sign]
            more = f" and {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else ""
            yield f"    {sign} {verb} {NOUNS.get(name, name)}: {', '.join(items[:SHOWN_ITEMS])}{more}"


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
