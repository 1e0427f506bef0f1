"""How a case moved, in words: what was found, lost and unexpected."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from row3.domain.verdicts import CaseChange
from row3.reports import numbers
from row3.reports.headline import some
from row3.reports.model import RunView
from row3.reports.style import cells, plain, shorten

MOVES = {
    "improved": "improved",
    "fixed": "fixed",
    "regressed": "regressed",
    "broke": "broke",
    "failed": "without an answer",
    "removed": "removed",
    "new": "new",
    "not comparable": "not comparable",
    "unchanged": "unchanged",
}
"""In the order of the line that counts them."""
GOOD = {"improved": True, "fixed": True, "regressed": False, "broke": False, "failed": False, "removed": False}
MOST_NAMED = 12
MOST_RELATIONSHIPS = 3


class Flip(NamedTuple):
    """Items of one list that became right (`good`) or wrong."""

    good: bool
    what: str
    items: tuple[str, ...]
    named: int
    """How many of them to name."""


def count_line(moves: Mapping[str, int]) -> str:
    """`13 improved · 1 regressed · 1 unchanged`."""
    return " · ".join(f"{moves[move]:,} {word}" for move, word in MOVES.items() if moves.get(move)) or "no cases"


def moved_cases(moves: Mapping[str, int]) -> int:
    """How many cases moved at all."""
    return sum(number for move, number in moves.items() if move != "unchanged")


def flips(change: CaseChange) -> list[Flip]:
    """What a case gained and lost, list by list; found before lost before unexpected.

    Of an answer that cannot be used it is all that there was, and only how much.
    """
    if change.move == "broke":
        counts = [f"{len(items):,} {_noun(key, len(items))}" for key, items in change.lost.items() if items]
        return [Flip(False, "all lost", tuple(counts), MOST_NAMED)] if counts else []
    found = []
    for good, lists in ((True, change.gained), (False, change.lost)):
        for key, items in lists.items():
            if items:
                found.append(_flip(key, items, good=good))
    return sorted(found, key=lambda flip: (flip.named == MOST_RELATIONSHIPS, not flip.good))


def _flip(key: str, items: Sequence[str], *, good: bool) -> Flip:
    names = tuple(plain(item) for item in items)
    if key == "canaries":
        return Flip(good, "canary no longer extracted" if good else "canary extracted", names, MOST_NAMED)
    missed, noun = key.startswith("missed"), _noun(key, len(items))
    if noun.startswith("concept"):
        words = ("found", "lost") if missed else ("no longer unexpected", "unexpected")
        return Flip(good, words[not good], names, MOST_NAMED)
    words = (f"{noun} found", f"{noun} lost") if missed else (f"wrong {noun} gone", f"wrong {noun}")
    return Flip(good, f"{len(items):,} {words[not good]}", names, MOST_RELATIONSHIPS)


def _noun(key: str, number: int) -> str:
    """What stands in a list: `relationships`, or `relationship` where it is one."""
    noun = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.removeprefix("missed").removeprefix("wrong")).lower()
    return noun if number > 1 else "entity" if noun == "entities" else noun.removesuffix("s")


def flip_text(flip: Flip, room: int) -> str:
    """The items of a flip; concepts over several lines, relationships as many as `room` takes."""
    if flip.named > MOST_RELATIONSHIPS:
        return some(flip.items, flip.named)
    for named in range(min(flip.named, len(flip.items)), 0, -1):
        left = len(flip.items) - named
        text = "; ".join(flip.items[:named]) + (f"; and {left:,} more" if left else "")
        if cells(text) <= room:
            return text
    return shorten(flip.items[0], room - 16) + (f"; and {len(flip.items) - 1:,} more" if flip.items[1:] else "")


def after_values(run: RunView) -> dict[str, float]:
    """The composite of every case that the run still holds, by id."""
    primary = run.suite.kind.primary
    return {row.case_id: row.metrics[primary] for row in run.rows if primary in row.metrics}


def movement(change: CaseChange, after: Mapping[str, float]) -> tuple[str, str]:
    """`61.2 → 74.9` and `+13.7`; or the words for a case that has no two values."""
    now = after.get(change.case_id)
    if change.move in ("failed", "removed"):
        return MOVES[change.move], ""
    if change.move in ("new", "not comparable"):
        return f"{change.move}{'' if now is None else f', {numbers.bare(now)}'}", ""
    between = "" if now is None else f"{numbers.bare(max(0.0, now - change.delta))} → {numbers.bare(now)}"
    if change.move == "broke":
        between += " bad answer"
    if change.move == "fixed":
        between += " was a bad answer"
    return between.strip(), numbers.points(change.delta)
