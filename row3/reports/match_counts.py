"""What became of the extracted items, counted over a run: which kinds of error the prompts make (STANDARDS 6.3)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from row3.domain.counts import count
from row3.domain.scores import Tally
from row3.matching.predicates import fold_predicate
from row3.metrics.tallies import PAIR, split
from row3.reports.markdown import fold, inline
from row3.reports.model import ComparisonView, RunView
from row3.reports.style import Style, cells, plain, shorten

SHOWN_NAMES = 3
"""Names shown of one kind of error; with -v all."""
LONGEST_NAME = 20
HEADING = "How the items matched"
UNKNOWN = "unknownPredicates"
NOTHING: Mapping[str, int] = {}


class Group(NamedTuple):
    """One line: a group of a tally by state."""

    key: str
    title: str
    noun: str
    words: Mapping[str, str]
    """States in their order, as they are called here."""
    names: Mapping[str, str]
    """By state, the group that says what was said for what."""


GROUPS = (
    Group(
        "concepts",
        "Concepts",
        "extracted",
        {state: state for state in ("exact", "alias", "fuzzy", "semantic", "duplicate", "canary", "unmatched")},
        {},
    ),
    Group(
        "events",
        "Events",
        "extracted",
        {
            "match": "right",
            "wrong-category": "wrong category",
            "wrong-actor": "wrong actor",
            "wrong-both": "wrong category and actor",
            "duplicate": "duplicate",
            "unmatched": "unmatched",
        },
        {},
    ),
    Group(
        "categories",
        "Categories",
        "compared",
        {**{state: state for state in ("exact", "normalised", "wrong")}, "missing": "not given"},
        {},
    ),
    Group(
        "entities",
        "Entities",
        "extracted",
        {state: state for state in ("exact", "alias", "fuzzy", "duplicate", "unmatched")},
        {},
    ),
    Group(
        "results",
        "Results",
        "in the first ten",
        {"relevant": "relevant", "not-relevant": "not relevant", "not-judged": "not judged"},
        {},
    ),
    Group(
        "connections",
        "Connections",
        "returned",
        {
            "connected": "right",
            "wrong-path": "right over a wrong path",
            "not-connected": "to what is unrelated",
            "not-judged": "not judged",
            "duplicate": "duplicate",
            "seed": "to the seed itself",
        },
        {},
    ),
    Group(
        "types",
        "Types",
        "matched",
        {**{state: state for state in ("exact", "normalised", "wrong")}, "missing": "not given"},
        {"normalised": "normalisedTypes", "wrong": "wrongTypes"},
    ),
    Group(
        "relationships",
        "Relationships",
        "extracted",
        {
            **{state: state for state in ("exact", "inverse", "fuzzy", "inverse-fuzzy")},
            "wrong-predicate": "wrong predicate",
            "reversed": "reversed",
            "wrong-end": "with one wrong end",
            "duplicate": "duplicate",
            "forbidden": "forbidden",
            "unmatched": "nowhere near",
        },
        {"wrong-predicate": "wrongPredicates"},
    ),
)


class Piece(NamedTuple):
    """`10 wrong predicate (CAUSES for PRECEDES 6, IS_A for CAUSES 4)`: a count, and what it is made of."""

    text: str
    names: tuple[str, ...] = ()


class Line(NamedTuple):
    """`Relationships`, `612 extracted`, pieces."""

    title: str
    """Empty where it goes on with the line above."""
    head: str
    pieces: tuple[Piece, ...]


def run_lines(run: RunView, *, names: int | None = SHOWN_NAMES) -> list[Line]:
    """How the items of a run matched, a line a group; none where nothing was extracted or the kind counts nothing."""
    tally, repeats = run.collected.tally, run.header.repeats
    lines = []
    for group in GROUPS:
        counts = tally.get(group.key, NOTHING)
        if total := sum(counts.values()):
            often = f" in {repeats:,} repeats" if repeats > 1 else ""
            pieces = tuple(
                Piece(f"{counts[state]:,} {word}", _names(tally.get(group.names.get(state, ""), NOTHING), names))
                for state, word in _words(group, counts).items()
                if counts.get(state)
            )
            lines.append(Line(group.title, f"{total:,} {group.noun}{often}", pieces))
    return lines + _unknown({}, tally, run, names)


def moved_lines(comparison: ComparisonView, *, names: int | None = SHOWN_NAMES) -> list[Line]:
    """Which of these counts moved, over the cases that both runs have; none where none did or it is not known."""
    before, after = comparison.tallies
    lines = []
    for group in GROUPS:
        old, new = before.get(group.key, NOTHING), after.get(group.key, NOTHING)
        pieces = []
        for state, word in _words(group, {**old, **new}).items():
            key = group.names.get(state, "")
            moved = _moved_names(before.get(key, NOTHING), after.get(key, NOTHING), names)
            if moved or old.get(state, 0) != new.get(state, 0):
                pieces.append(Piece(f"{word} {_from_to(old.get(state, 0), new.get(state, 0))}", moved))
        if pieces:
            total = _from_to(sum(old.values()), sum(new.values()))
            lines.append(Line(group.title, f"{total} {group.noun}", tuple(pieces)))
    return lines + _unknown(before, after, comparison.run, names)


def counts_block(run: RunView, style: Style, *, verbose: bool = False) -> list[str]:
    """The lines of a scorecard on a terminal."""
    return list(_filled(run_lines(run, names=None if verbose else SHOWN_NAMES), style))


def moved_block(comparison: ComparisonView, style: Style, *, verbose: bool = False) -> list[str]:
    """The lines of a comparison on a terminal."""
    lines = moved_lines(comparison, names=None if verbose else SHOWN_NAMES)
    return [style.bold(f"{HEADING}, before → now"), *_filled(lines, style, "  ")] if lines else []


def counts_markdown(run: RunView, comparison: ComparisonView | None = None) -> list[str]:
    """The same, to unfold; of a comparison with what moved. Nothing where nothing was counted."""
    lines = [_item(line) for line in run_lines(run)]
    moved = [] if comparison is None else [_item(line) for line in moved_lines(comparison)]
    if moved:
        lines += ["", "Moved, over the cases that both runs have:", "", *moved]
    return fold(HEADING, lines) if lines else []


def tally_json(tally: Tally, predicates: Sequence[str]) -> dict[str, Any]:
    """Counts by state; what was said for what as objects, the most frequent first."""
    value: dict[str, Any] = {}
    for group, counts in tally.items():
        if group == UNKNOWN:
            value[group] = [
                {"said": name, "count": counts[name], "nearest": _nearest(name, predicates)} for name in _often(counts)
            ]
        elif any(PAIR in label for label in counts):
            value[group] = [
                dict(zip(("said", "expected"), split(label), strict=True)) | {"count": counts[label]}
                for label in _often(counts)
            ]
        else:
            value[group] = dict(counts)
    return value


def _words(group: Group, counts: Mapping[str, int]) -> dict[str, str]:
    """The group's states and whatever else was counted, as they are called."""
    return {**group.words, **{state: plain(state) for state in counts if state not in group.words}}


def _often(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda label: (-counts[label], label))


def _said(label: str) -> str:
    """`CAUSES for PRECEDES`."""
    parts = [shorten(plain(part), LONGEST_NAME) or "nothing" for part in split(label)[: 1 + (PAIR in label)]]
    return " for ".join(parts)


def _names(counts: Mapping[str, int], most: int | None) -> tuple[str, ...]:
    shown = _often(counts)[:most]
    left = sum(counts.values()) - sum(counts[label] for label in shown)
    return (*(f"{_said(label)} {counts[label]:,}" for label in shown), *([f"{left:,} other"] if left else []))


def _moved_names(before: Mapping[str, int], after: Mapping[str, int], most: int | None) -> tuple[str, ...]:
    moves = {label: after.get(label, 0) - before.get(label, 0) for label in (*before, *after)}
    moved = sorted((label for label in moves if moves[label]), key=lambda label: (-abs(moves[label]), label))
    shown = [f"{_said(label)} {_from_to(before.get(label, 0), after.get(label, 0))}" for label in moved[:most]]
    left = len(moved) - len(shown)
    return (*shown, *([count(left, "other pair")] if left else []))


def _from_to(before: int, after: int) -> str:
    return f"{after:,}" if before == after else f"{before:,} → {after:,}"


def _unknown(before: Tally, after: Tally, run: RunView, most: int | None) -> list[Line]:
    """Predicates that the suite does not know, each with the one it may be a slip of."""
    old, new = before.get(UNKNOWN, NOTHING), after.get(UNKNOWN, NOTHING)
    ranked = [label for label in _often({**old, **new}) if not before or old.get(label, 0) != new.get(label, 0)]
    pieces = []
    for label in ranked[:most]:
        count = _from_to(old.get(label, 0), new.get(label, 0)) if before else f"{new[label]:,}"
        near = _nearest(label, run.suite.rules.predicates)
        hint = "" if near is None else f" (near {shorten(plain(near), LONGEST_NAME)})"
        pieces.append(Piece(f"{_said(label)} {count}{hint}"))
    left = len(ranked) - len(pieces)
    pieces += [Piece(f"{left:,} more")] if left else []
    return [Line("", "unknown predicates", tuple(pieces))] if pieces else []


def _nearest(name: str, predicates: Sequence[str]) -> str | None:
    known = {fold_predicate(predicate): predicate for predicate in predicates}
    near = difflib.get_close_matches(fold_predicate(name), known, n=1, cutoff=0.7)
    return known[near[0]] if near else None


def _filled(lines: Sequence[Line], style: Style, indent: str = "") -> Iterator[str]:
    """Broken between counts and names, not within them."""
    column = len(indent) + max((len(line.title) for line in lines), default=0) + 2
    for line in lines:
        text = f"{indent}{line.title}".ljust(column)
        empty = True
        for unit in _units(line):
            shown = shorten(unit, style.width - column)
            if not empty and cells(text) + 1 + cells(shown) > style.width:
                yield text
                text, empty = " " * column, True
            text += shown if empty else f" {shown}"
            empty = False
        yield text


def _units(line: Line) -> Iterator[str]:
    yield f"{line.head}:"
    last = len(line.pieces) - 1
    for i, (text, names) in enumerate(line.pieces):
        between = " ·" if i < last else ""
        if not names:
            yield f"{text}{between}"
            continue
        yield text
        for j, name in enumerate(names, 1):
            yield f"{'(' if j == 1 else ''}{name}{',' if j < len(names) else f'){between}'}"


def _item(line: Line) -> str:
    pieces = [f"{text} ({', '.join(names)})" if names else text for text, names in line.pieces]
    head = f"{line.title}: {line.head}" if line.title else line.head
    return f"- {inline(head)}: {inline(' · '.join(pieces))}"
