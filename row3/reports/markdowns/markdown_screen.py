"""The Markdown that row3 writes, laid out for a screen: headings and names in bold, tables aligned, lines that fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from row3.reports.style import BOLD, CYAN, Style, cells, visible
from row3.reports.terminal import named_table, table

_INLINE = re.compile(r"\\(?P<literal>.)|(?P<fence>`+)(?P<code>.+?)(?P=fence)(?!`)|(?P<bold>\*\*)|(?P<other>.)")
_HEADING = re.compile(r"(#+) +(.*)")
_ITEM = re.compile(r" *(?:- (?:\[[ x]\] )?|\d+\. )")
_CELL = re.compile(r"(?<!\\)\|")
_NOTHING = "\u200b"
Piece = tuple[str, str]
"""A character and the code it is painted with, empty for none."""


def on_screen(markdown: str, style: Style) -> str:
    """Markdown that `row3.reports` wrote, without its marks, as wide as the style says; blocks of code as they are."""
    lines = iter(markdown.splitlines())
    shown: list[str] = []
    rows: list[list[str]] = []
    for line in lines:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in _CELL.split(line)[1:-1]])
            continue
        if rows:
            shown += _table(rows, style)
            rows = []
        if line.startswith("```"):
            shown += _code(lines, line)
        else:
            shown += _line(line, style)
    if rows:
        shown += _table(rows, style)
    return "\n".join(shown) + "\n"


def _code(lines: Iterator[str], first: str) -> Iterator[str]:
    fence = first[: len(first) - len(first.lstrip("`"))]
    for line in lines:
        if line == fence:
            return
        yield f"    {line}".rstrip()


def _line(line: str, style: Style) -> list[str]:
    if heading := _HEADING.fullmatch(line):
        text = "".join(char for char, _ in _pieces(heading[2], style))
        return [style.bold(each) for each in style.wrap(text)]
    item = _ITEM.match(line)
    start = item[0] if item else ""
    pieces = _pieces(line[len(start) :], style)
    return _painted(style.wrap("".join(char for char, _ in pieces), first=start), len(start), pieces, style)


def _pieces(text: str, style: Style) -> list[Piece]:
    """The characters that are seen; code keeps its marks where no colour tells it."""
    pieces: list[Piece] = []
    bold = ""
    for match in _INLINE.finditer(text.replace(_NOTHING, "")):
        if match["bold"]:
            bold = "" if bold else BOLD
        elif match["code"]:
            inner = match["code"].strip() if "`" in match["code"] else match["code"]
            pieces += [(char, CYAN) for char in (inner if style.colour else f"`{inner}`")]
        else:
            pieces.append((match["literal"] or match["other"], bold))
    return pieces


def _painted(lines: list[str], start: int, pieces: list[Piece], style: Style) -> list[str]:
    """Wrapped lines with their colours: wrapping moves only blanks, so the other characters come in their order."""
    codes = iter([code for char, code in pieces if not char.isspace()])
    painted = []
    for number, line in enumerate(lines):
        body = line[start:] if number == 0 else line.lstrip()
        head, code = line[: len(line) - len(body)], ""
        coded = [(char, code := code if char.isspace() else next(codes, "")) for char in body]
        runs = [(code, "".join(char for char, _ in run)) for code, run in groupby(coded, key=lambda piece: piece[1])]
        painted.append(head + "".join(_paint(text, code, style) for code, text in runs))
    return painted


def _paint(text: str, code: str, style: Style) -> str:
    seen = text.rstrip() if code else ""
    return (style.paint(seen, code) if seen else "") + text[len(seen) :]


def _table(rows: list[list[str]], style: Style) -> list[str]:
    """A table without the columns that are empty; closer where it would be too wide."""
    headers, rule, *body = rows
    kept = [i for i in range(len(headers)) if any(i < len(row) and row[i] for row in body)] or [0]
    heads = [headers[i] for i in kept]
    shown = [["".join(char for char, _ in _pieces(row[i], style)) for i in kept] for row in body]
    align = "".join("r" if rule[i].endswith(":") and not rule[i].startswith(":") else "l" for i in kept)
    for gap in (2, 1):
        lines = table(heads, shown, align, style, gap=gap)
        if max(cells(visible(line)) for line in lines) <= style.width:
            return lines
    return named_table(heads, shown, style)
