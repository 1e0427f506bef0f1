"""Texts of cases and models made safe to print: without invisible characters, and without markup of their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Controls, bidirectional and invisible marks, lone surrogates. Joiners stay: some scripts need them."""
_UNSEEN = bytes(code for code in range(128) if HIDDEN.match(chr(code)))
_ESCAPES = (
    r"(?:\x1b[\[]|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, device strings
    r"|\x1b[ -/]*[0-~]?"
)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//|[\w+-]+:))")
_WWW = re.compile(r"(?i)\b(www)\.")
_START = re.compile(r"^(?:([-+=])|(\d+)([.)])(?=\s|$))")
_NOTHING = "\u200b"
"""A zero-width space: GitHub links `@name` and `#1` in the rendered text, where a backslash is gone."""


def plain(text: str) -> str:
    """Return one line of printable characters: no escape sequences, controls, bidirectional or invisible marks."""
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """Return the text like `plain`, but with its spaces, for lines of a diff."""
    if text.isprintable():
        return text
    text = re.sub(_ESCAPES, "", text).replace("\t", "    ")
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


def cells(text: str) -> int:
    """Return the columns that a printable text takes on a terminal."""
    return len(text) if text.isascii() else len(text) + sum(_cell(char) - 1 for char in text if char > "~")


def _cell(char: str) -> int:
    return 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1


def shorten(text: str, room: int) -> str:
    """Return at most `room` columns, ending in `…` if cut."""
    if cells(text) <= room:
        return text
    end, used = 0, 0  # from the front: a model may write a label of megabytes
    for char in text:
        used += _cell(char)
        if used > room - 1:
            break
        end += 1
    return f"{text[:end].rstrip()}…"


def inline(text: str) -> str:
    """Return one line of literal text for Markdown, outside code."""
    return escaped_start(escaped(plain(text)))


def escaped(text: str) -> str:
    """Return a text within a line of Markdown, without markup, links or mentions."""
    text = _SPECIAL.sub(r"\\\1", text)
    text = text.replace("@", f"@{_NOTHING}").replace("#", f"#{_NOTHING}")
    return _WWW.sub(r"\1\\.", text)


def escaped_start(text: str) -> str:
    """Return a line of Markdown whose start begins no list and no heading."""
    return _START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", text)


def code(text: str) -> str:
    """Return one line of literal text as code, which nothing links; not for tables, whose cells end at a `|`."""
    text = plain(text)
    if not text:
        return ""
    mark = fence(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{mark}{pad}{text}{pad}{mark}"


def fence(text: str, least: int) -> str:
    """Return the backticks around code: more of them than it contains, and at least so many."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def visible_json(pieces: str | Iterable[bytes]) -> Iterator[bytes]:
    """Yield a JSON text as UTF-8 with invisible characters escaped: the same values, safe for terminals, editors and
    build logs.

    Args:
        pieces: a text, or UTF-8 in pieces that begin and end with whole characters.
    """
    for piece in [pieces] if isinstance(pieces, str) else pieces:
        if (
            isinstance(piece, bytes)
            and piece.isascii()
            and len(piece.translate(None, _UNSEEN)) == len(piece)
            and b"##[" not in piece
        ):
            yield piece  # the usual case, and quick to check
            continue
        text = piece if isinstance(piece, str) else piece.decode()
        yield HIDDEN.sub(_escape, text).replace("##[", "#\\u0023[").encode()


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
