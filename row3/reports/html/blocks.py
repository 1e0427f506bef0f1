"""Draws a document as HTML for the page: texts are escaped, and invisible characters are named."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

from markupsafe import Markup

from row3.domain.printable import HIDDEN
from row3.reports.document import Block, Facts, Fold, Items, Lines, Note, Plot, Table, Task, Text, Title, spans

DIFF_LINES = {"+": "new", "-": "old", "@": "place"}


MOST = 50_000
"""Characters shown of one text: a model may say megabytes, and a page of them does not open."""


def cut(text: str) -> str:
    """Return what is shown of a text; of a longer one it says how much is not."""
    return text if len(text) <= MOST else f"{text[:MOST]}⟨… {len(text) - MOST:,} more characters⟩"


def mark_invisible(text: str) -> str:
    """Return what is shown of a text, with invisible characters named: `⟨U+202E⟩`."""
    return HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", cut(text).replace("\r\n", "\n"))


def blocks_html(blocks: Iterable[Block], links: Mapping[str, str] | None = None) -> Markup:
    """Return the blocks as HTML; `links` has addresses for parts of texts, by their exact words."""
    return Markup("\n").join(_block(block, links or {}) for block in blocks)


def _block(block: Block, links: Mapping[str, str]) -> Markup:
    match block:
        case Title():
            return _tag(f"h{max(1, block.level - 2)}", _text(block.text, links))
        case Facts():
            rows = (_tag("dt", mark_invisible(name)) + _tag("dd", _text(text, links)) for name, text in block.rows)
            return _tag("dl", _all(rows), "facts") if block.rows else Markup()
        case Note():
            return _all(_tag("p", _text(text, links), f"note {block.tone}") for text in block.texts)
        case Items():
            items = (item.text if isinstance(item, Task) else item for item in block.items)
            return _tag("ol" if block.numbered else "ul", _all(_tag("li", _text(item, links)) for item in items))
        case Table():
            return _table(block, links)
        case Lines():
            lines = (_tag("span", mark_invisible(line), DIFF_LINES.get(line[:1], "same")) for line in block.lines)
            return _tag("pre", _all(lines), block.language)
        case Fold():
            return _tag("details", _tag("summary", mark_invisible(block.title)) + blocks_html(block.blocks, links))
        case Plot():
            data = base64.b64encode(block.svg).decode()
            return Markup('<img alt="{}" src="data:image/svg+xml;base64,{}">').format(mark_invisible(block.alt), data)


def _table(block: Table, links: Mapping[str, str]) -> Markup:
    """Return a table; on a phone its rows are cards, in which headers name the cells."""
    sides = ["num" if side == "r" else "" for side in block.align]
    heads = _all(_tag("th", mark_invisible(head), side) for head, side in zip(block.headers, sides, strict=True))
    rows = []
    for i, row in enumerate(block.rows):
        under = _all(_tag("small", _text(text, links)) for text in (block.under[i] if block.under else ()))
        cells = [_tag("th", _text(row[0], links) + under)]
        for head, text, side in zip(block.headers[1:], row[1:], sides[1:], strict=True):
            cells.append(
                Markup('<td class="{}" data-label="{}">{}</td>').format(side, mark_invisible(head), _text(text, links))
            )
        rows.append(_tag("tr", _all(cells)))
    table = _tag("table", _tag("thead", _tag("tr", heads)) + _tag("tbody", _all(rows)), "blocks")
    return table + (_tag("p", mark_invisible(block.more), "note quiet") if block.more else Markup())


def _text(text: Text, links: Mapping[str, str]) -> Markup:
    found = []
    for part in spans(text):
        shown: str | Markup = mark_invisible(part.text)
        if part.text in links:
            shown = Markup('<a href="{}">{}</a>').format(links[part.text], shown)
        found.append(Markup("{}").format(shown) if part.tone == "plain" else _tag("span", shown, part.tone))
    return _all(found)


def _tag(name: str, content: str, css: str = "") -> Markup:
    """Return an element; content other than markup is escaped, name and class are literals."""
    whole = Markup('<{0} class="{1}">{2}</{0}>') if css else Markup("<{0}>{2}</{0}>")
    return whole.format(name, css, content)


def _all(parts: Iterable[Markup]) -> Markup:
    return Markup().join(parts)
