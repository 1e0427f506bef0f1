"""One case in full, to explain a failed test: what moved, and what was lost item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from row3.domain import numbers
from row3.domain.judgements import CaseChange
from row3.domain.printable import plain, shorten
from row3.domain.scores import Zone
from row3.domain.words import words_of
from row3.gate.suites import JudgedSuite
from row3.reports.case_changes import flips
from row3.reports.document import Block, Document, Note
from row3.reports.sentences import title_of
from row3.reports.terminal import MARKS, PLAIN, terminal_text

MOST_RAW = 300
MOST_NAMED, LONGEST_ITEM = 40, 120


def score_text(value: float | None, zone: Zone | None) -> str:
    """Return `81.3% ✓ pass`, short enough to follow a test's name; empty if nothing was scored."""
    if value is None:
        return ""
    return numbers.percent(value) + (f" {MARKS[zone]} {zone.word}" if zone is not None else "")


def movement_line(suite: JudgedSuite, metrics: Mapping[str, float], change: CaseChange | None, why: str = "") -> str:
    """Return `regressed −10.9: Overall 85.0% → 74.1%`; the value alone if there is no baseline."""
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
    suite: JudgedSuite,
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
) -> str:
    """Return a headline, gains and losses, in lines of 80 columns.

    `why` begins the headline; `raw` is an unreadable answer; `reasons` are the gate's sentences about the case;
    `shortfall` lists all errors instead of the changes; `advice` adds the command that explains the case.
    """
    if status != "scored" and problem:
        head = f"{why}: {problem}" if why else problem
    else:
        head = movement_line(suite, metrics, change, why)
    blocks: list[Block] = [Note([head, *(f"- {reason}" for reason in reasons)])]
    if raw:
        shown = plain(raw)
        blocks.append(Note(["The answer begins:", shown[:MOST_RAW] + ("…" if len(shown) > MOST_RAW else "")]))
    if shortfall is not None:
        blocks.append(Note([f"− {words_of(key)}: {_named(items)}" for key, items in shortfall.items() if items]))
    elif change is not None:
        lines = [f"{'+' if flip.good else '−'} {flip.what}: {_named(flip.items)}" for flip in flips(change)]
        blocks.append(Note(lines))
    if advice:
        named = "" if suite.flag else f" --suite {suite.name}"
        blocks.append(Note([f"Next: row3 investigate {case_id}{named}{suite.flags('row3 investigate')}"]))
    return terminal_text(Document(blocks), PLAIN).rstrip("\n")


def _named(items: Sequence[str]) -> str:
    left = len(items) - MOST_NAMED
    shown = [shorten(plain(item), LONGEST_ITEM) for item in items[:MOST_NAMED]]
    return "; ".join(shown) + (f"; and {left:,} more" if left > 0 else "")
