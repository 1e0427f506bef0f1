"""The diff of a prompt on a terminal: a screen of it, each line cut to where it differs."""

from __future__ import annotations

from row3.reports import numbers
from row3.reports.style import CYAN, GREEN, RED, Style, plain, shorten, visible

SHOWN_LINES = 20
COLOURS = {"+": GREEN, "-": RED, "@": CYAN}
INDENT = "    "
KEPT = 16
"""Characters kept before the place where two versions of a line part."""


def diff_lines(name: str, diff: str, style: Style, *, verbose: bool) -> list[str]:
    """The lines of a unified diff under the prompt's name; whole lines and all of them when verbose."""
    source = [visible(line).rstrip() for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]
    shown = source if verbose else _trimmed(source, style.width - len(INDENT))[:SHOWN_LINES]
    lines = [style.dim(f"  {shorten(plain(name), style.width - 4)}")]
    for text in shown:
        line = f"{INDENT}{text}".rstrip() if verbose else f"{INDENT}{shorten(text, style.width - len(INDENT))}".rstrip()
        colour = COLOURS.get(text[:1])
        lines.append(style.paint(line, colour) if colour else line)
    if len(source) > len(shown):
        lines.append(style.dim(f"{INDENT}… {numbers.count(len(source) - len(shown), 'more line')} (-v shows all)"))
    return lines


def _trimmed(source: list[str], room: int) -> list[str]:
    """Long beginnings that an old and a new line share become `…`, so that the change is in what is shown."""
    lines = list(source)
    start = 0
    while start < len(lines):
        removed = _run(source, start, "-")
        added = _run(source, start + removed, "+")
        for i in range(min(removed, added)):
            old, new = source[start + i], source[start + removed + i]
            pairs = enumerate(zip(old[1:], new[1:], strict=False))
            same = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)) - 1)
            if same > 2 * KEPT and max(len(old), len(new)) > room:
                for place, text in ((start + i, old), (start + removed + i, new)):
                    lines[place] = f"{text[0]}…{text[1 + same - KEPT :]}"
        start += max(1, removed + added)
    return lines


def _run(lines: list[str], start: int, sign: str) -> int:
    """How many lines from `start` on begin with the sign."""
    end = start
    while end < len(lines) and lines[end].startswith(sign):
        end += 1
    return end - start
