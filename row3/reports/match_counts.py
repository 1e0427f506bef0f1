"""How extracted items matched, counted over a run: the kinds of error that prompts make (STANDARDS 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from row3.domain import numbers
from row3.domain.printable import plain, shorten
from row3.domain.requests import BAD_ANSWERS
from row3.domain.scores import Tally
from row3.gate.exact import upper_bound
from row3.gate.results import Comparison, Run
from row3.gate.suites import JudgedSuite
from row3.kinds.base import Group
from row3.metrics.aggregate import PAIR, UNKNOWN, Seen, nearest_predicate, split_label
from row3.reports.document import Facts, Text

SHOWN_NAMES = 3
"""Names shown of one kind of error, unless all are wanted."""
LONGEST_NAME = 20
NOTHING: Mapping[str, int] = {}
Number = Callable[[int, int], str]


WORDS = {
    "match": "right",
    "wrong-both": "wrong category and actor",
    "missing": "not given",
    "connected": "right",
    "wrong-path": "right over a wrong path",
    "not-connected": "to unrelated items",
    "seed": "to the seed itself",
    "wrong-end": "with one wrong end",
    "inverse-fuzzy": "inverse-fuzzy",
    "relationships unmatched": "nowhere near",
}
"""Text for a state, or a group's state, whose name is unclear."""
BAD_ANSWERS_GROUP = Group("badAnswers", "Bad answers", "without content", " ".join(BAD_ANSWERS))


def run_counts(run: Run, *, every: bool = False) -> Facts:
    """Return how the items of a run matched, a line a group; `every` names all errors, not only the first few."""
    often = f" in {run.header.repeats:,} repeats" if run.header.repeats > 1 else ""
    return Facts(list(_lines({}, run.tally, run.suite, f"{{}}{often}", every=every, moved=False)))


def moved_counts(comparison: Comparison, *, every: bool = False) -> Facts:
    """Return the counts that moved over the cases both sides answer, before → now."""
    before, after = comparison.tallies
    return Facts(list(_lines(before, after, comparison.run.suite, "{}", every=every, moved=True)))


def _lines(
    before: Tally, after: Tally, suite: JudgedSuite, often: str, *, every: bool, moved: bool
) -> Iterator[tuple[str, Text]]:
    """Yield title and counts of each group, limited to differences from `before`."""
    most = None if every else SHOWN_NAMES

    def number(old: int, new: int) -> str:
        return f"{old:,} → {new:,}" if moved and old != new else f"{new:,}"

    def named(key: str, known: Sequence[str] = ()) -> list[str]:
        return _named(before.get(key, NOTHING), after.get(key, NOTHING), number, most, known)

    for group in (*suite.kind.groups, BAD_ANSWERS_GROUP):
        old, new, pieces = before.get(group.key, NOTHING), after.get(group.key, NOTHING), []
        for state, word in _words(group, {**old, **new}).items():
            names, counts = named(group.names.get(state, "")), (old.get(state, 0), new.get(state, 0))
            if names or counts[0] != counts[1]:
                piece = f"{word} {number(*counts)}" if moved else f"{number(*counts)} {word}"
                pieces.append(f"{piece} ({', '.join(names)})" if names else piece)
        if pieces:
            total = f"{number(sum(old.values()), sum(new.values()))} {group.noun}"
            title = f"{group.title} moved" if moved else group.title
            yield title, f"{often.format(total)}: {' · '.join(pieces)}"
    if unknown := named(UNKNOWN, suite.rules.predicates):
        yield "Unknown predicates", " · ".join(unknown)


def _named(
    old: Mapping[str, int], new: Mapping[str, int], number: Number, most: int | None, known: Sequence[str]
) -> list[str]:
    """Return labels with their counts, largest moves first, each with the known name it may be a misspelling of."""
    moves = {label: abs(new.get(label, 0) - old.get(label, 0)) for label in {**old, **new}}
    labels = sorted((label for label in moves if moves[label]), key=lambda label: (-moves[label], label))
    shown = []
    for label in labels[:most]:
        near = nearest_predicate(label, known)
        hint = "" if near is None else f" (near {shorten(plain(near), LONGEST_NAME)})"
        shown.append(f"{_label_text(label)} {number(old.get(label, 0), new.get(label, 0))}{hint}")
    left = len(labels) - len(shown)
    return [*shown, *([f"{left:,} more"] if left else [])]


def _words(group: Group, counts: Mapping[str, int]) -> dict[str, str]:
    """Return the group's states and any others counted, with their texts."""
    names = {state: WORDS.get(state, plain(state).replace("-", " ")) for state in (*group.states.split(), *counts)}
    return {state: WORDS.get(f"{group.key} {state}", name) for state, name in names.items()}


def _label_text(label: str) -> str:
    """Return `CAUSES for PRECEDES`."""
    parts = [shorten(plain(part), LONGEST_NAME) or "nothing" for part in split_label(label)[: 1 + (PAIR in label)]]
    return " for ".join(parts)


LEVEL = 0.95
FORBIDDEN = {"hallucinationRate": "canaries", "forbiddenRelationshipRate": "forbidden relationships"}


def bounds_lines(run: Run) -> list[str]:
    """Return `canaries in 0 of 15 cases: at most 18.1% of cases have any, at 95%`; without a bound if all have some.

    It counts cases, or sources if cases share one: items, and such cases, are not independent.
    """
    lines = []
    for key, found in _seen(run).items():
        line = f"{FORBIDDEN[key]} in {found.seen:,} of {numbers.count(found.cases, 'case')}"
        if found.units != found.cases:
            line += f" ({found.units_seen:,} of {numbers.count(found.units, 'source')})"
        if found.units_seen < found.units:
            unit = "cases" if found.units == found.cases else "sources"
            line += f": at most {numbers.percent(_upper(found))} of {unit} have any, at {100 * LEVEL:.0f}%"
        lines.append(line)
    return lines


def bounds_json(run: Run) -> dict[str, Any]:
    """Return the rates as plain values."""
    return {
        key: {
            "seenIn": found.seen,
            "cases": found.cases,
            **({} if found.units == found.cases else {"sources": found.units}),
            "upper95": _upper(found),
        }
        for key, found in _seen(run).items()
    }


def _seen(run: Run) -> Mapping[str, Seen]:
    seen = run.seen_in
    return {key: seen[key] for key in FORBIDDEN if key in seen and seen[key].cases}


def _upper(found: Seen) -> float:
    return upper_bound(found.units_seen, found.units, LEVEL)
