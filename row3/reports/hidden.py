"""Invisible characters, and JSON text without them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Controls, bidirectional and invisible marks, lone surrogates. Joiners stay: some scripts need them."""
_UNSEEN = bytes(code for code in range(128) if HIDDEN.match(chr(code)))


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
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
