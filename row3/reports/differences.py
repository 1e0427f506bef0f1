"""How two sides differ in prompts, model and parameters, and the diffs of their prompts' texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from row3.domain.parameters import EXTRA, changed_keys
from row3.domain.runs import Header
from row3.domain.words import spoken
from row3.reports.document import Fold, Lines, Note, more

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
