"""Sentences for changes of the criteria, with their effect on the scores of the same answers."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain import numbers
from row3.domain.judgements import Code, Reason
from row3.domain.words import count, spoken
from row3.kinds.demands import DISARMED
from row3.reports.sentences import some

NAMED = 3
"""Cases, demands and rules named in one line."""
CRITERIA = {
    Code.CRITERIA_ADDED: "new",
    Code.CRITERIA_TIGHTENED: "tightened",
    Code.CRITERIA_CHANGED: "changed",
    Code.CRITERIA_REMOVED: "removed",
    Code.CRITERIA_LOOSENED: "loosened",
}


def criteria_text(group: Sequence[Reason]) -> str:
    """Return the sentence of reasons with one code and kind of criterion."""
    word = CRITERIA[group[0].code]
    kind, _, name = group[0].subject.partition(" ")
    if kind == "baseline":
        return f"the baseline was {word}"
    if kind == "suite" and len(group) == 1:
        return f"suite {name} is new, judged by its own baseline" if word == "new" else f"suite {name} was {word}"
    if kind == "case" and " " not in name:
        return (
            f"{_were(count(len(group), 'golden case'), len(group), word)}: {some(list(map(_after_kind, group)), NAMED)}"
        )
    if kind == "case":
        if len(group) == 1:
            case_id, _, demand = name.partition(" ")
            return f"golden case {case_id}: {_were(_demand(demand), 1, word)}{_effect(group)}"
        demands = f"{len(group):,} demands of golden cases"
        return f"{_were(demands, len(group), word)}: {_demands(group)}{_effect(group)}"
    one, many = {"rule": ("rule", "rules"), "quarantine": ("quarantine of", "quarantine entries")}.get(
        kind, ("setting", "settings")
    )
    if len(group) == 1:
        return f"{_were(f'{one} {name or kind}', 1, word)}: {_values(group[0])}{_effect(group)}"
    values = [f"{_after_kind(reason)} {_values(reason)}" for reason in group]
    return f"{_were(f'{len(group):,} {many}', len(group), word)}: {some(values, NAMED)}{_effect(group)}"


def _were(what: str, number: int, word: str) -> str:
    """Return `12 golden cases are new`, `rule x was loosened`, `2 demands changed`."""
    if word == "changed":
        return f"{what} changed"
    verb = ("is", "are") if word == "new" else ("was", "were")
    return f"{what} {verb[number != 1]} {word}"


def _after_kind(reason: Reason) -> str:
    return reason.subject.partition(" ")[2]


def _demands(group: Sequence[Reason]) -> str:
    """Return `ozone (concept halons, canary x), bank-runs (input)`."""
    by_case: dict[str, list[str]] = {}
    for reason in group:
        case_id, _, demand = _after_kind(reason).partition(" ")
        by_case.setdefault(case_id, []).append(_demand(demand))
    return some([f"{case_id} ({some(demands, NAMED)})" for case_id, demands in by_case.items()], NAMED)


def _demand(key: str) -> str:
    """Return `concept halons` for the key `concept:halons`."""
    armed = key.removeprefix(DISARMED)
    return armed.replace(":", " ", 1) + (" (expected now)" if armed != key else "")


def _values(reason: Reason) -> str:
    before, after = reason.figures.get("before"), reason.figures.get("after")
    return f"{spoken(before)} → {spoken(after)}"


def _effect(group: Sequence[Reason]) -> str:
    """Return the largest effect of the new criteria on the score of the same answers, if known."""
    parts = []
    for side in ("base", "candidate"):
        pairs = [pair for reason in group if (pair := reason.figures.get(side)) is not None]
        moves = [after - before for before, after in pairs if before is not None and after is not None]
        if moves:
            parts.append(f"{numbers.points(max(moves, key=abs))} ({side})")
    return f"; the same answers score {', '.join(parts)} points" if parts else ""
