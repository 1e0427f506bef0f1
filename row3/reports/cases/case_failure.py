"""One case in full, for a person who reads why its test failed: what moved, and what was lost item by item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from row3.domain.metrics import Metric, Zone
from row3.domain.verdicts import CaseChange
from row3.gate.zones import zones_of
from row3.reports import numbers
from row3.reports.cases.case_changes import MOST_RELATIONSHIPS, flips
from row3.reports.headline import title_of
from row3.reports.model import SuiteView
from row3.reports.style import MARKS, PLAIN, Style, cells, plain
from row3.reports.terminal import table

MOST_RAW = 300
"""Characters shown of an answer that could not be read."""
MOST_SHORT, MOST_LONG = 40, 8
"""Items of one list that are named: concepts; and what takes a line of its own, such as relationships."""
LEAST_MOVE = 5e-4
"""What rounds to 0.0 points did not move."""


def score_text(value: float | None, zone: Zone | None) -> str:
    """`81.3% ✓ pass`, narrow enough to stand beside a test's name; nothing where nothing was scored."""
    if value is None:
        return ""
    return numbers.percent(value) + (f" {MARKS[zone]} {zone.word}" if zone is not None else "")


def movement_line(suite: SuiteView, metrics: Mapping[str, float], change: CaseChange | None, why: str = "") -> str:
    """`regressed −10.9: Overall 85.0% → 74.1%`; the value alone where there is nothing to compare it with."""
    primary = suite.kind.primary
    title, now = title_of(suite, primary), metrics.get(primary)
    if now is None:
        text, moved = f"{title} unknown", ""
    elif change is None or change.move in ("new", "removed", "not comparable", "failed"):
        text, moved = f"{title} {numbers.percent(now)}", ""
    else:
        text = f"{title} {numbers.percent(now - change.delta)} → {numbers.percent(now)}"
        moved = numbers.points(change.delta)
    head = f"{why} {moved}".strip()
    return f"{head}: {text}" if head else text


def case_text(
    suite: SuiteView,
    case_id: str,
    status: str,
    metrics: Mapping[str, float],
    change: CaseChange | None,
    *,
    why: str = "",
    problem: str = "",
    raw: str = "",
    reasons: Sequence[str] = (),
    shortfall: Mapping[str, Sequence[str]] | None = None,
    advice: bool = False,
    style: Style = PLAIN,
) -> str:
    """Headline, what was lost and gained, the metrics that moved; the first line says it all in short.

    Args:
        why: the first word of the headline, such as `regressed`.
        raw: an answer that could not be read.
        reasons: of the gate's, those that name this case.
        shortfall: all that is wrong with the answer, in place of what changed against the baseline.
        advice: end with the command that looks into the case.
    """
    if status != "scored" and problem:
        head = f"{why}: {plain(problem)}" if why else plain(problem)
    else:
        head = movement_line(suite, metrics, change, why)
    lines = style.wrap(head, then="  ")
    lines += [line for reason in reasons for line in style.wrap(plain(reason), first="  ", then="    ")]
    if raw:
        shown = plain(raw)
        lines += ["", "The answer begins:"]
        lines += style.wrap(shown[:MOST_RAW] + ("…" if len(shown) > MOST_RAW else ""), first="  ")
    if shortfall is not None:
        lines += shortfall_lines(shortfall, style)
    if change is not None:
        lines += _flips(change, style) if shortfall is None else []
        lines += _moved(suite, metrics, change, style)
    if advice:
        named = "" if suite.flag else f" --suite {suite.name}"
        flags = plain(f"{named}{suite.flags('row3 investigate')}")
        lines += ["", *style.wrap(f"Next: row3 investigate {plain(case_id)} {flags}")]
    return "\n".join(lines)


def _flips(change: CaseChange, style: Style) -> list[str]:
    lines = []
    for flip in sorted(flips(change), key=lambda flip: flip.good):
        label = f"{'+' if flip.good else '−'} {flip.what}: "
        short = flip.named > MOST_RELATIONSHIPS
        text = _named(flip.items, MOST_SHORT if short else MOST_LONG, ", " if short else "; ")
        lines += style.wrap(label + text, first="  ", then="      ")
    return ["", *lines] if lines else []


def _named(items: Sequence[str], most: int, between: str) -> str:
    left = len(items) - most
    return between.join(items[:most]) + (f"{between}and {left:,} more" if left > 0 else "")


def shortfall_lines(found: Mapping[str, Sequence[str]], style: Style = PLAIN) -> list[str]:
    """What an answer missed and what it has that is not expected, list by list."""
    lines = []
    for key, items in found.items():
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()
        if items:
            names = [plain(item) for item in items]
            text = _named(names, MOST_SHORT if "relationships" not in words else MOST_LONG, "; ")
            lines += style.wrap(f"− {words}: {text}", first="  ", then="      ")
    return ["", *lines] if lines else []


def _moved(suite: SuiteView, metrics: Mapping[str, float], change: CaseChange, style: Style) -> list[str]:
    known: dict[str, Metric] = {metric.key: metric for metric in suite.kind.metrics}
    zones = zones_of(metrics, suite.kind.metrics, suite.rules.thresholds)
    rows = [
        [
            plain(known[key].title),
            numbers.percent(metrics[key] - delta),
            numbers.percent(metrics[key]),
            numbers.points(delta),
            zones[key].word if key in zones else "",
        ]
        for key, delta in change.deltas.items()
        if key in known and key in metrics and abs(delta) >= LEAST_MOVE
    ]
    if not rows:
        return []
    lines = table(("metric", "before", "now", "points", "zone"), rows, "lrrrl", style)
    fits = max(cells(line) for line in lines) + 2 <= style.width
    return ["", *(f"  {line}" if fits else line for line in lines)]
