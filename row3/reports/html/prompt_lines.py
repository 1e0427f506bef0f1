"""The diff of a prompt for the page: lines with their part, and within a changed line the words that changed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_WORDS = 400
"""Of a line, for which the words are compared; a longer one is marked as a whole."""
ALIKE = 0.35
"""Below this likeness two lines are other lines, and marking their words would be noise."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff."""

    part: str
    """`same`, `old`, `new` or `place` (where in the file)."""
    mark: str
    pieces: Sequence[tuple[str, bool]]
    """Text, and whether it is only on this side."""


def prompt_lines(diff: str) -> list[DiffLine]:
    """The lines of a unified diff, without the names of the files."""
    source = [line for line in diff.split("\n") if not line.startswith(("--- ", "+++ "))]
    while source and not source[-1]:
        source.pop()
    lines: list[DiffLine] = []
    at = 0
    while at < len(source):
        old = _run(source, at, "-")
        new = _run(source, at + len(old), "+")
        if not old and not new:
            line = source[at]
            place = line.startswith("@@")
            text = line if place or not line.startswith(" ") else line[1:]
            lines.append(DiffLine("place" if place else "same", "", [(text, False)]))
            at += 1
            continue
        lines += _changed(old, new)
        at += len(old) + len(new)
    return lines


def _run(source: Sequence[str], start: int, sign: str) -> list[str]:
    end = start
    while end < len(source) and source[end].startswith(sign):
        end += 1
    return [line[1:] for line in source[start:end]]


def _changed(old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    before, after = [], []
    for i in range(max(len(old), len(new))):
        if i < len(old) and i < len(new):
            left, right = _words(old[i], new[i])
        else:
            left = [(old[i], False)] if i < len(old) else []
            right = [(new[i], False)] if i < len(new) else []
        if i < len(old):
            before.append(DiffLine("old", "−", left))
        if i < len(new):
            after.append(DiffLine("new", "+", right))
    return [*before, *after]


def _words(old: str, new: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both lines in pieces; none is marked where they have little in common."""
    one, other = WORDS.findall(old), WORDS.findall(new)
    if max(len(one), len(other)) > MOST_WORDS:
        return [(old, False)], [(new, False)]
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [(old, False)], [(new, False)]
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if a < b:
            left.append(("".join(one[a:b]), tag != "equal"))
        if c < d:
            right.append(("".join(other[c:d]), tag != "equal"))
    return left, right
