"""Draws a document as Markdown for GitHub: texts of cases and models cannot add markup, links or mentions."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from row3.domain.printable import code, escaped, escaped_start, fence, inline, plain, visible
from row3.reports.document import Document, Facts, Fold, Items, Lines, Note, Plot, Span, Table, Task, Text, Title, spans


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
    return escaped_start("".join(map(_span, spans(text))).strip())


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


def _inner(text: str) -> str:
    """Return literal text within a line; it keeps one blank at either end."""
    before, after = text[:1].isspace(), text[-1:].isspace()
    inner = escaped(plain(text))
    return f"{' ' if before else ''}{inner}{' ' if after and inner else ''}"


def fenced(text: str, language: str) -> list[str]:
    """Return the lines of a code block."""
    lines = [visible(line) for line in text.split("\n")]
    mark = fence("\n".join(lines), 3)
    return [f"{mark}{language}", *lines, mark]
