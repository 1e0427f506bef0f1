"""Sentences wrapped for a person's screen, with commands and paths left whole so that they can be copied."""

from __future__ import annotations

import re

from row3.reports.style import cells

_PIECES = re.compile(
    r"\s+"
    r"|(?<=: )(?:row3|git) (?:(?!; |\. ).)+"  # a command that a sentence ends in
    r"|(?:`[^`]*`|[^\s`])+"  # a word, with what stands in backticks
    r"|`"
)


def prose(text: str, width: int, *, then: str = "  ") -> list[str]:
    """Lines of at most `width` columns, broken between words; `then` begins those that go on.

    What stands in backticks, a command after a colon and a word are never broken: one that is too long has a line of
    its own, which the terminal breaks without a gap.
    """
    lines = []
    for part in text.split("\n"):
        line = gap = ""
        for piece in _PIECES.findall(part):
            if piece.isspace():
                gap = piece
            elif line and cells(line + gap + piece) > width:
                lines.append(line)
                line, gap = then + piece, ""
            else:
                line, gap = line + gap + piece, ""
        lines.append(line)
    return lines
