"""How two sides differ: in prompts, model, parameters, cost, latency and criteria, and the diffs of their prompts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from row3.domain import numbers
from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.requests import EXTRA, changed_keys
from row3.domain.runs import Header
from row3.domain.words import count, part, spoken
from row3.gate.policy import FigureChange
from row3.kinds.demands import DISARMED
from row3.reports.document import Fold, Lines, Note, Span, Text, Tone, more
from row3.reports.sentences import some
from row3.reports.spans import TONES
from row3.reports.terminal import VERDICT_MARKS, arrow

SHOWN_LINES = 200


def differences(before: Header, after: Header, diffs: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield the prompts, order, model, parameters and repeats that differ, with both values and diff sizes."""
    diffs = diffs or {}
    for name in dict.fromkeys((*before.prompts, *after.prompts)):
        old, new = (side.prompts.get(name, "not in the pipeline") for side in (before, after))
        size = f", {_size(diffs[name])}" if name in diffs else ""
        if old != new:
            yield f"prompt {name}", f"{old} → {new}{size}"
        elif before.prompt_digests.get(name) != after.prompt_digests.get(name):
            yield f"prompt {name}", f"{new}, same version, different text{size}"
    if set(before.prompts) == set(after.prompts) and list(before.prompts) != list(after.prompts):
        yield "pipeline order", f"was {' → '.join(before.prompts)}, is {' → '.join(after.prompts)}"
    if before.model != after.model:
        yield "model", f"{before.model} → {after.model}"
    unsent = {EXTRA.get(name, name) for name in {*(before.omitted or ())}.intersection(after.omitted or ())}
    for name in (name for name in after.parameters if name in before.parameters):
        values, now = before.parameters[name], after.parameters[name]
        for key in changed_keys(values, now):
            if key != "model":
                note = ", which neither side was sent" if key in unsent else ""
                yield f"{name} {key}", f"{spoken(values.get(key))} → {spoken(now.get(key))}{note}"
    if before.repeats != after.repeats:
        yield "repeats", f"{before.repeats} → {after.repeats}"


def prompt_folds(diffs: Mapping[str, str]) -> list[Fold]:
    """Return the text diff of each prompt."""
    folds = []
    for name, lines in ((name, _changes(diff)) for name, diff in diffs.items()):
        left = more(len(lines) - SHOWN_LINES, how=" lines")
        rest = [Note([left], "quiet")] if left else []
        folds.append(Fold(f"Text of {name}", [Lines(lines[:SHOWN_LINES], "diff"), *rest]))
    return folds


def _changes(diff: str) -> Sequence[str]:
    return [line for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]


def _size(diff: str) -> str:
    """Return `+12 −3 lines`."""
    lines = _changes(diff)
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"+{added} −{removed} lines"


TITLES = {"cost": "Cost per case", "tokens": "Tokens per case", "latency": "Latency per case"}


def cells_of(change: FigureChange) -> tuple[str, str, str, str]:
    """Return a figure's title, both values, and the rise in per cent: `+20%`."""
    rise = "from 0" if math.isinf(change.rise) else numbers.per_cent(change.rise)
    return TITLES[change.key], _value(change.before, change.unit), _value(change.now, change.unit), rise


def _value(value: float, unit: str) -> str:
    return numbers.money(value) if unit == "USD" else numbers.seconds(value) if unit == "s" else f"{value:,.0f}"


def figure_row(change: FigureChange, gate: Verdict | None, compared: int, *, verbose: bool) -> list[Text]:
    """Return the row of a figure in the table of the metrics; `gate` is the verdict on it, if it has a limit."""
    title, before, now, rise = cells_of(change)
    title += f" ({part(change.cases, compared, 'case')})" if change.cases < compared else ""
    tone: Tone = "plain" if gate is None else "bad"
    moved: Text = Span(f"{rise} {arrow(change.rise < 0)}", tone) if change.rise else rise
    mark: Text = "" if gate is None else Span(VERDICT_MARKS[gate], TONES[gate])
    return [title, before, now, moved, "–", *(["–"] if verbose else []), "", mark]


def figure_text(reason: Reason) -> str:
    """Return the sentence of a figure that rose beyond its limit."""
    found = reason.figures
    title, before, now, rise = cells_of(FigureChange(reason.subject, found["before"], found["after"], 0))
    return f"{title} went from {before} to {now} ({rise}, limit {found['limit']:g}%)"


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
