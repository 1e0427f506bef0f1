"""Text for a terminal: safe, wrapped to its width, coloured if asked; colour alone never carries meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from row3.domain.changes import Verdict
from row3.domain.metrics import Zone
from row3.domain.printable import cells

WIDTH = 80
"""Columns in a file or a pipe, whatever the terminal, so that output does not depend on it."""
MARKS = {Zone.FAIL: "✗", Zone.MARGINAL: "!", Zone.PASS: "✓", Zone.EXCELLENT: "★"}
VERDICT_MARKS = {Verdict.PROCEED: "✓", Verdict.INVESTIGATE: "!", Verdict.BLOCK: "✗"}
RED, GREEN, YELLOW, CYAN, BOLD, DIM = "31", "32", "33", "36", "1", "2"

# Compiled when first needed, which is rare: the ranges of wide characters take milliseconds.
_WIDE = "\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
_PIECES = rf"[{_WIDE}\U0001f000-\U0003fffd]|[^\s{_WIDE}\U0001f000-\U0003fffd]+|\s+"
"""A wide character (or one of their blocks), a word, or the space between."""


_WORDS = re.compile(
    r"\s+"
    r"|(?<=: )(?:row3|git) (?:(?!; |\. ).)+"  # a command that a sentence ends in
    r"|(?:`[^`]*`|[^\s`])+"  # a word, with text in backticks
    r"|`"
)


def prose(text: str, width: int, *, then: str = "  ") -> list[str]:
    """Return lines of at most `width` columns, broken between words; `then` begins those that continue.

    Text in backticks and a command after a colon are never broken, so that they can be copied.
    """
    parts = text.split("\n")
    return [line for part in parts for line in _filled(_WORDS.findall(part), width, "", then, split=False)]


def _filled(pieces: Iterable[str], width: int, line: str, then: str, *, split: bool) -> list[str]:
    """Return lines of pieces (words and the blanks between them); `line` begins the first one."""
    lines, gap, empty = [], "", True
    for piece in pieces:
        if piece.isspace():
            gap = " " * len(piece)
            continue
        if not empty and cells(line + gap + piece) > width:
            lines.append(line)
            line, gap = then, ""
        left = piece
        while split and len(left) > 1 and cells(line + gap + left) > width:
            most = next((n for n in range(len(left), 1, -1) if cells(line + gap + left[:n]) <= width), 1)
            lines.append(line + gap + left[:most])
            line, gap, left = then, "", left[most:]
        line, gap, empty = line + gap + left, "", False
    return [*lines, line.rstrip()]


@dataclass(frozen=True, slots=True)
class Style:
    """Whether to paint with ANSI colours, and how wide lines may be."""

    colour: bool = False
    width: int = WIDTH
    terminal: bool = False
    """Whether a terminal shows it: lines that programs want whole, such as a diff, are then wrapped too."""

    def wrap(self, text: str, *, first: str = "", then: str | None = None) -> list[str]:
        """Return lines of at most `width` columns, broken after words and wide characters; too long words are broken.

        `first` begins the first line, `then` (blanks by default) the others.
        """
        rest = " " * cells(first) if then is None else then
        pieces = re.findall(r"\S+|\s+" if text.isascii() else _PIECES, text)
        return _filled(pieces, self.width, first, rest, split=True)

    def paint(self, text: str, *codes: str) -> str:
        """Return the text in these colours."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour and text.strip() else text


PLAIN = Style()
"""No colour, and a file's width."""


def arrow(good: bool | None) -> str:
    """Return ▲ for better and ▼ for worse, whichever way the number went."""
    return " " if good is None else "▲" if good else "▼"
