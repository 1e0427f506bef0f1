"""Draws a document as Markdown for GitHub: texts of cases and models cannot add markup, links or mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from row3.reports.document import Document, Facts, Fold, Items, Lines, Note, Plot, Span, Table, Task, Text, Title, spans
from row3.reports.style import plain, visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//|[\w+-]+:))")
_WWW = re.compile(r"(?i)\b(www)\.")
_START = re.compile(r"^(?:([-+=])|(\d+)([.)])(?=\s|$))")
_NOTHING = "\u200b"
"""A zero-width space: GitHub links `@name` and `#1` in the rendered text, where a backslash is gone."""


def markdown_text(document: Document) -> str:
    """Return the document as Markdown, with a line end."""
    return "\n".join(_lines(document.blocks)) + "\n"


def _lines(blocks: Iterable[object]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        if drawn := _block(block):
            lines += [*([""] if lines else []), *drawn]
    return lines


def _block(block: object) -> list[str]:
    match block:
        case Title():
            return [f"{'#' * block.level} {_text(block.text)}"]
        case Facts():
            return [f"**{inline(name)}**: {_text(text)}" for name, text in block.rows]
        case Note():
            return "<br>\n".join(_text(text) for text in block.texts).split("\n") if block.texts else []
        case Items():
            return [_item(item, number if block.numbered else 0) for number, item in enumerate(block.items, 1)]
        case Table():
            return _table(block)
        case Lines():
            return fenced("\n".join(block.lines), block.language)
        case Fold():
            title = f"<details><summary>{inline(block.title)}</summary>"
            return [title, "", *_lines(block.blocks), "", "</details>"]
        case Plot():
            return [f"![{inline(block.alt)}]({quote(block.file)})"]
    raise TypeError(f"not a document block: {block!r}")


def _item(item: Text | Task, number: int) -> str:
    if isinstance(item, Task):
        return f"- [{'x' if item.done else ' '}] {_text(item.text)}"
    return f"{f'{number}.' if number else '-'} {_text(item)}"


def _table(block: Table) -> list[str]:
    rows = []
    for i, row in enumerate(block.rows):
        under = "".join(f"<br>{_cell(text)}" for text in (block.under[i] if block.under else ()))
        first, *others = map(_cell, row)
        rows.append([first + under, *others])
    rule = [":--" if side == "l" else "--:" for side in block.align]
    lines = [f"| {' | '.join(cells)} |" for cells in (map(inline, block.headers), rule, *rows)]
    return [*lines, "", inline(block.more)] if block.more else lines


def _text(text: Text) -> str:
    """Return a text as safe Markdown, with the tones that Markdown has."""
    return _START.sub(_escaped_start, "".join(map(_span, spans(text))).strip())


def _cell(text: Text) -> str:
    """Return a text as `_text` does, but without backticks: a `|` within them would end the cell."""
    return _text([Span(part.text, "plain") if part.tone == "code" else part for part in spans(text)])


def _span(part: Span) -> str:
    if part.tone == "code":
        return code(part.text)
    inner = _inner(part.text)
    if part.tone == "strong" and inner.strip():
        core = inner.strip()
        return inner.replace(core, f"**{core}**", 1)
    return inner


def inline(text: str) -> str:
    """Return one line of literal text, outside code."""
    return _START.sub(_escaped_start, _escaped(plain(text)))


def _inner(text: str) -> str:
    """Return literal text within a line; it keeps one blank at either end."""
    before, after = text[:1].isspace(), text[-1:].isspace()
    inner = _escaped(plain(text))
    return f"{' ' if before else ''}{inner}{' ' if after and inner else ''}"


def _escaped(text: str) -> str:
    text = _SPECIAL.sub(r"\\\1", text)
    text = text.replace("@", f"@{_NOTHING}").replace("#", f"#{_NOTHING}")
    return _WWW.sub(r"\1\\.", text)


def _escaped_start(match: re.Match[str]) -> str:
    """Return an escaped start of line, which would begin a list or a heading."""
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def code(text: str) -> str:
    """Return one line of literal text as code, which nothing links; not for tables, whose cells end at a `|`."""
    text = plain(text)
    if not text:
        return ""
    fence = _fence(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(text: str, language: str) -> list[str]:
    """Return the lines of a code block."""
    lines = [visible(line) for line in text.split("\n")]
    fence = _fence("\n".join(lines), 3)
    return [f"{fence}{language}", *lines, fence]


def _fence(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
