"""A command's output: blocks of raw text that each renderer draws in its own way.

A view is one function from a result to a `Document`. Texts hold no colours, markup or layout, and need
no escaping: the renderer makes them safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Tone = Literal["plain", "quiet", "strong", "code", "good", "bad", "warning", "excellent"]


class Span(NamedTuple):
    """Styled text. The words alone must be enough: a file has no colours."""

    text: str
    tone: Tone = "plain"


Parts = Sequence[str | Span]
Text = str | Span | Parts
"""One line of text, or the parts it is made of."""


class Title(NamedTuple):
    """Heading of what follows, without a line between them: level 2 for the document, 3 and 4 for its sections."""

    text: Text
    level: int = 3


class Facts(NamedTuple):
    """Names with their values, one a line."""

    rows: Sequence[tuple[str, Text]]


class Note(NamedTuple):
    """Sentences, each on its own line."""

    texts: Sequence[Text]
    tone: Tone = "plain"


class Task(NamedTuple):
    """One line of a checklist."""

    text: Text
    done: bool


class Items(NamedTuple):
    """A list with bullets, boxes to tick or numbers."""

    items: Sequence[Text | Task]
    numbered: bool = False


class Table(NamedTuple):
    """Rows of cells under headers; the first column names the row."""

    headers: Sequence[str]
    rows: Sequence[Sequence[Text]]
    align: str
    """`l` or `r` for each column."""
    under: Sequence[Sequence[Text]] = ()
    """Remarks below each row; empty if no row has any."""
    more: str = ""
    """How many rows are left out, see `more`."""


class Lines(NamedTuple):
    """Text that is kept line by line, such as a diff, a prompt or a raw answer."""

    lines: Sequence[str]
    language: str = ""


class Fold(NamedTuple):
    """Blocks under a title that unfold where the medium allows it."""

    title: str
    blocks: Sequence[Block]


class Plot(NamedTuple):
    """A drawing that only illustrates the text: a page embeds it, Markdown links its file, a terminal omits it."""

    alt: str
    svg: bytes
    file: str
    """Name of the file beside the Markdown."""


Block = Title | Facts | Note | Items | Table | Lines | Fold | Plot


class Document(NamedTuple):
    """Blocks from top to bottom; empty ones are left out."""

    blocks: Sequence[Block]


def spans(text: Text) -> list[Span]:
    """Return the parts of a text."""
    if isinstance(text, Span):
        return [text]
    if isinstance(text, str):
        return [Span(text)]
    return [part if isinstance(part, Span) else Span(part) for part in text]


def code(text: str) -> Span:
    """Return a name, a command or a label to show literally."""
    return Span(text, "code")


def strong(text: str) -> Span:
    """Return emphasised words."""
    return Span(text, "strong")


def more(left_out: int, *, how: str = " (-v shows all)") -> str:
    """Return `and 12 more (-v shows all)`; empty if nothing is left out."""
    return f"and {left_out:,} more{how}" if left_out > 0 else ""
