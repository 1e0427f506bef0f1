"""What became of the extracted items, counted over a run: which kinds of error the prompts make (STANDARDS 6.3)."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from row3.domain.counts import count
from row3.domain.scores import Tally
from row3.gate.results import Comparison, Run
from row3.matching.predicates import fold_predicate
from row3.metrics.aggregate import PAIR, split
from row3.reports.document import Facts, Text
from row3.reports.style import plain, shorten

SHOWN_NAMES = 3
"""Names shown of one kind of error; all where every one is wanted."""
LONGEST_NAME = 20
UNKNOWN = "unknownPredicates"
NOTHING: Mapping[str, int] = {}


class Group(NamedTuple):
    """One line: the items of one group, counted by state."""

    key: str
    title: str
    noun: str
    states: str
    """In the order in which they are shown."""
    names: Mapping[str, str] = {}
    """By state, the group of the tally that counts what was said for what."""


WORDS = {
    "match": "right",
    "wrong-both": "wrong category and actor",
    "missing": "not given",
    "connected": "right",
    "wrong-path": "right over a wrong path",
    "not-connected": "to what is unrelated",
    "seed": "to the seed itself",
    "wrong-end": "with one wrong end",
    "inverse-fuzzy": "inverse-fuzzy",
    "relationships unmatched": "nowhere near",
}
"""What a state, or a state of one group, is called where its name does not say it."""
GROUPS = (
    Group("concepts", "Concepts", "extracted", "exact alias fuzzy semantic duplicate canary unmatched"),
    Group("events", "Events", "extracted", "match wrong-category wrong-actor wrong-both duplicate unmatched"),
    Group("categories", "Categories", "compared", "exact normalised wrong missing"),
    Group("entities", "Entities", "extracted", "exact alias fuzzy duplicate unmatched"),
    Group("results", "Results", "in the first ten", "relevant not-relevant not-judged"),
    Group("connections", "Connections", "returned", "connected wrong-path not-connected not-judged duplicate seed"),
    Group(
        "types",
        "Types",
        "matched",
        "exact normalised wrong missing",
        {"normalised": "normalisedTypes", "wrong": "wrongTypes"},
    ),
    Group(
        "relationships",
        "Relationships",
        "extracted",
        "exact inverse fuzzy inverse-fuzzy wrong-predicate reversed wrong-end duplicate forbidden unmatched",
        {"wrong-predicate": "wrongPredicates"},
    ),
)


def run_counts(run: Run, *, every: bool = False) -> Facts:
    """Return how the items of a run matched, a line a group; no lines where nothing was extracted or counted.

    Args:
        every: name every error, not only the most frequent of each kind.
    """
    tally, most = run.tally, None if every else SHOWN_NAMES
    often = f" in {run.header.repeats:,} repeats" if run.header.repeats > 1 else ""
    rows: list[tuple[str, Text]] = []
    for group in GROUPS:
        counts = tally.get(group.key, NOTHING)
        if total := sum(counts.values()):
            pieces = [
                _piece(f"{counts[state]:,} {word}", _names(tally.get(group.names.get(state, ""), NOTHING), most))
                for state, word in _words(group, counts).items()
                if counts.get(state)
            ]
            rows.append((group.title, f"{total:,} {group.noun}{often}: {' · '.join(pieces)}"))
    return Facts([*rows, *_unknown({}, tally, run, most)])


def moved_counts(comparison: Comparison, *, every: bool = False) -> Facts:
    """Return which of these counts moved over the cases that both sides answer, before → now."""
    (before, after), most = comparison.tallies, None if every else SHOWN_NAMES
    rows: list[tuple[str, Text]] = []
    for group in GROUPS:
        old, new = before.get(group.key, NOTHING), after.get(group.key, NOTHING)
        pieces = []
        for state, word in _words(group, {**old, **new}).items():
            key = group.names.get(state, "")
            moved = _moved_names(before.get(key, NOTHING), after.get(key, NOTHING), most)
            if moved or old.get(state, 0) != new.get(state, 0):
                pieces.append(_piece(f"{word} {_from_to(old.get(state, 0), new.get(state, 0))}", moved))
        if pieces:
            total = _from_to(sum(old.values()), sum(new.values()))
            rows.append((f"{group.title} moved", f"{total} {group.noun}: {' · '.join(pieces)}"))
    return Facts([*rows, *_unknown(before, after, comparison.run, most)] if before or after else [])


def _piece(text: str, names: Sequence[str]) -> str:
    return f"{text} ({', '.join(names)})" if names else text


def tally_json(tally: Tally, predicates: Sequence[str]) -> dict[str, Any]:
    """Return counts by state; what was said for what as objects, the most frequent first."""
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
    """The group's states, and whatever else was counted, with what they are called."""
    names = {state: WORDS.get(state, plain(state).replace("-", " ")) for state in (*group.states.split(), *counts)}
    return {state: WORDS.get(f"{group.key} {state}", name) for state, name in names.items()}


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


def _unknown(before: Tally, after: Tally, run: Run, most: int | None) -> list[tuple[str, Text]]:
    """Predicates that the suite does not know, each with the one it may be a slip of."""
    old, new = before.get(UNKNOWN, NOTHING), after.get(UNKNOWN, NOTHING)
    ranked = [label for label in _often({**old, **new}) if not before or old.get(label, 0) != new.get(label, 0)]
    pieces = []
    for label in ranked[:most]:
        number = _from_to(old.get(label, 0), new.get(label, 0)) if before else f"{new[label]:,}"
        near = _nearest(label, run.suite.rules.predicates)
        hint = "" if near is None else f" (near {shorten(plain(near), LONGEST_NAME)})"
        pieces.append(f"{_said(label)} {number}{hint}")
    left = len(ranked) - len(pieces)
    pieces += [f"{left:,} more"] if left else []
    return [("Unknown predicates", " · ".join(pieces))] if pieces else []


def _nearest(name: str, predicates: Sequence[str]) -> str | None:
    known = {fold_predicate(predicate): predicate for predicate in predicates}
    near = difflib.get_close_matches(fold_predicate(name), known, n=1, cutoff=0.7)
    return known[near[0]] if near else None
