"""Draws a document as text for a terminal or a file: wrapped, aligned, in colour if asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from row3.domain.judgements import Verdict
from row3.domain.printable import cells, shorten, visible
from row3.domain.scores import Zone
from row3.reports.document import (
    Document,
    Facts,
    Fold,
    Items,
    Lines,
    Note,
    Plot,
    Span,
    Table,
    Task,
    Text,
    Title,
    Tone,
    spans,
)

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
        wide = any(char >= "\u2e80" or "\u1100" <= char <= "\u115f" for char in text)
        pieces = re.findall(_PIECES if wide else r"\S+|\s+", text)
        return _filled(pieces, self.width, first, rest, split=True)

    def paint(self, text: str, *codes: str) -> str:
        """Return the text in these colours."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour and text.strip() else text


PLAIN = Style()
"""No colour, and a file's width."""


def arrow(good: bool | None) -> str:
    """Return ▲ for better and ▼ for worse, whichever way the number went."""
    return " " if good is None else "▲" if good else "▼"


COLOURS: dict[Tone, str] = {
    "quiet": DIM,
    "strong": BOLD,
    "code": CYAN,
    "good": GREEN,
    "bad": RED,
    "warning": YELLOW,
    "excellent": CYAN,
}


def terminal_text(document: Document, style: Style = PLAIN) -> str:
    """Return the document in lines of at most `style.width` columns, with an empty line between blocks."""
    lines: list[str] = []
    after_title = True
    for block in document.blocks:
        drawn = _block(block, style)
        if drawn:
            lines += drawn if after_title else ["", *drawn]
            after_title = isinstance(block, Title)
    return "\n".join(lines) + "\n"


def _block(block: object, style: Style) -> list[str]:
    match block:
        case Title(level=2):
            head = f"── {shorten(visible(_raw(block.text)), style.width - 8)} "
            return [style.paint(head + "─" * (style.width - cells(head)), BOLD)]
        case Title():
            return _wrapped([Span(part.text, "strong") for part in spans(block.text)], style)
        case Facts():
            return _facts(block, style)
        case Note():
            return [line for text in block.texts for line in _wrapped(text, style, tone=block.tone)]
        case Items():
            return _items(block, style)
        case Table():
            return _table(block, style)
        case Lines(language="diff") if style.terminal:
            return [line for text in block.lines for line in style.wrap(visible(text), first="    ", then="      ")]
        case Lines():
            return [f"    {visible(line)}".rstrip() for line in block.lines]
        case Fold():
            inner = terminal_text(Document(block.blocks), style).rstrip("\n").split("\n")
            return [style.paint(visible(block.title), BOLD), *inner]
        case Plot():
            return []
    raise TypeError(f"not a document block: {block!r}")


def _facts(block: Facts, style: Style) -> list[str]:
    room = max((cells(visible(name)) for name, _ in block.rows), default=0)
    lines = []
    for name, text in block.rows:
        head = visible(name)
        first = head + " " * (room - cells(head) + 2)
        lines += _wrapped(text, style, first=first, then=" " * (room + 2))
    return lines


def _items(block: Items, style: Style) -> list[str]:
    lines = []
    for number, item in enumerate(block.items, 1):
        if isinstance(item, Task):
            lines += _wrapped(item.text, style, first=f"- [{'x' if item.done else ' '}] ", then=" " * 6)
        else:
            first = f"{number}. " if block.numbered else "- "
            lines += _wrapped(item, style, first=first, then=" " * len(first))
    return lines


def _table(block: Table, style: Style) -> list[str]:
    """Return the table without empty columns; a name too long to leave room for numbers gets its own line."""
    kept = [i for i in range(len(block.headers)) if not block.rows or any(_raw(row[i]) for row in block.rows)]
    headers = [block.headers[i] for i in kept]
    align = "".join(block.align[i] for i in kept)
    rows = [["".join(_painted(part, style) for part in _pieces(row[i], style)) for i in kept] for row in block.rows]
    widths = [max(cells(visible(row[i])) for row in (headers, *rows)) for i in range(len(kept))]
    gap = next((gap for gap in (2, 1) if sum(widths) + gap * (len(widths) - 1) <= style.width), 2)
    room = style.width - sum(widths[1:]) - gap * (len(widths) - 1)
    named = [cells(visible(row[0])) > room for row in (headers, *rows)]
    short = [["", *row[1:]] if own else list(row) for row, own in zip((headers, *rows), named, strict=True)]
    head, rule, *drawn = table(short[0], short[1:], align, style, gap=gap)
    lines = [*([style.paint(headers[0], DIM)] if named[0] else []), head, rule]
    for i, line in enumerate(drawn):
        lines += [rows[i][0], line] if named[i + 1] else [line]
        for text in block.under[i] if block.under else ():
            lines += _wrapped(text, style, first="    ", then="    ", tone="quiet")
    return [*lines, style.paint(f"  {block.more}", DIM)] if block.more else lines


def table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], align: str, style: Style, *, gap: int = 2
) -> list[str]:
    """Return a table's lines: quiet headers, a thin rule, one line per row. `align` has `l` or `r` for each column."""
    from tabulate import simple_separated_format, tabulate

    form = simple_separated_format(" " * gap)
    sides = ["right" if side == "r" else "left" for side in align]
    drawn = tabulate([headers, *rows], (), form, disable_numparse=True, preserve_whitespace=True, colalign=sides)
    head, *lines = [line.rstrip() for line in drawn.split("\n")]
    rule = "─" * max(cells(visible(line).rstrip()) for line in (head, *lines))
    return [style.paint(head, DIM), style.paint(rule, DIM), *lines]


def _raw(text: Text) -> str:
    return "".join(part.text for part in spans(text))


def _pieces(text: Text, style: Style, tone: Tone = "plain") -> list[Span]:
    """Return the parts made safe for a terminal, with code in backticks if there is no colour."""
    parts = []
    for part in spans(text):
        shown = visible(part.text)
        if part.tone == "code" and not style.colour and shown:
            shown = f"`{shown}`"
        parts.append(Span(shown, tone if part.tone == "plain" else part.tone))
    return parts


def _painted(part: Span, style: Style) -> str:
    """Return a part in its tone's colour, without painting trailing blanks."""
    core = part.text.rstrip()
    return (style.paint(core, COLOURS[part.tone]) if part.tone != "plain" else core) + part.text[len(core) :]


def _wrapped(text: Text, style: Style, *, first: str = "", then: str = "  ", tone: Tone = "plain") -> list[str]:
    """Return the lines of a text. Wrapping moves only blanks, so the other characters keep their order and tones."""
    parts = _pieces(text, style, tone)
    lines = style.wrap("".join(part.text for part in parts), first=first, then=then)
    if not style.colour:
        return lines
    tones = iter([part.tone for part in parts for char in part.text if not char.isspace()])
    painted = []
    for number, line in enumerate(lines):
        start = len(first) if number == 0 else len(line) - len(line.lstrip())
        last: Tone = "plain"
        coded = [(char, last := last if char.isspace() else next(tones, "plain")) for char in line[start:]]
        runs = [Span("".join(char for char, _ in run), one) for one, run in groupby(coded, key=lambda pair: pair[1])]
        painted.append(line[:start] + "".join(_painted(run, style) for run in runs))
    return painted
