"""How two sides differ in prompts, model, parameters, cost and latency, and the diffs of their prompts' texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from row3.domain import numbers
from row3.domain.changes import Verdict
from row3.domain.judgements import Reason
from row3.domain.requests import EXTRA, changed_keys
from row3.domain.runs import Header
from row3.domain.words import part, spoken
from row3.gate.policy import FigureChange
from row3.reports.document import Fold, Lines, Note, Span, Text, Tone, more
from row3.reports.sentences import TONES
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
