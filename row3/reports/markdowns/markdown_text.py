"""Text that is safe in GitHub's Markdown: no markup, links or mentions come from a case or a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from row3.reports.style import plain, visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//|[\w+-]+:))")
_WWW = re.compile(r"(?i)\b(www)\.")
_START = re.compile(r"^(?:([-+=])|(\d+)([.)])(?=\s|$))")
_NOTHING = "\u200b"
"""A zero-width space: GitHub links `@name` and `#1` in the finished text, where a backslash is gone."""


def inline(text: str) -> str:
    """One line of literal text, outside code."""
    text = _SPECIAL.sub(r"\\\1", plain(text))
    text = text.replace("@", f"@{_NOTHING}").replace("#", f"#{_NOTHING}")
    text = _WWW.sub(r"\1\\.", text)
    return _START.sub(lambda m: f"\\{m[1]}" if m[1] else f"{m[2]}\\{m[3]}", text)


def code(text: str) -> str:
    """One line of literal text as code, where nothing is linked; outside tables, which would end at a `|`."""
    text = plain(text)
    if not text:
        return ""
    fence = _fence(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def block(text: str, language: str) -> list[str]:
    """Lines of literal text as a block of code."""
    lines = [visible(line) for line in text.split("\n")]
    fence = _fence("\n".join(lines), 3)
    return [f"{fence}{language}", *lines, fence]


def row(cells: Sequence[str]) -> str:
    """A row of a table; the cells are safe already."""
    return f"| {' | '.join(cells)} |"


def grid(headers: Sequence[str], align: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; `align` has `l` or `r` for each column."""
    rule = [":--" if each == "l" else "--:" for each in align]
    return [row(headers), row(rule), *(row(cells) for cells in rows)]


def fold(title: str, lines: Sequence[str]) -> list[str]:
    """A part that opens when clicked; the title is plain words of row3's own."""
    return [f"<details><summary>{title}</summary>", "", *lines, "", "</details>"]


def _fence(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
