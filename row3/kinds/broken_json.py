"""Why an answer is no JSON, in words for people who do not know a decoder's."""

from __future__ import annotations

import json

from row3.kinds.misfits import why_no_json

WORDS = {
    "Expecting value": "a value is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Illegal trailing comma before end of object": "a comma is too many",
    "Illegal trailing comma before end of array": "a comma is too many",
    "Invalid control character at": "a line break or another control character stands in a text",
    "Invalid \\escape": "a backslash stands where none may",
    "Invalid \\uXXXX escape": "a backslash stands where none may",
}
"""By the decoder's message."""
SHOWN = 40
"""Characters of an answer in a message."""


def begins(text: str) -> str:
    """How an answer begins that holds no JSON at all."""
    line = " ".join(text[: 10 * SHOWN].split())
    return f"it begins “{line[:SHOWN].rstrip()}{'…' if len(line) > SHOWN else ''}”"


def why_broken(error: ValueError, text: str) -> str:
    """What is wrong with a text, and after which of its words; empty for one that does not begin as JSON does."""
    if not isinstance(error, json.JSONDecodeError):
        return why_no_json(error)
    if not text.startswith(("{", "[")):
        return ""
    ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
    read = text.rstrip() if ends else text[: error.pos]
    line = " ".join(read[-10 * SHOWN :].split())
    after = f"after “{'…' if len(line) > SHOWN else ''}{line[-SHOWN:].lstrip()}”"
    return f"it breaks off {after}" if ends else f"{WORDS.get(error.msg, error.msg)} {after}"
