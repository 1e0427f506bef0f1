"""Files of one JSON object a line, for `row3 lint`: each line by itself, so that one broken line hides no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from row3.errors import InvalidFile, Row3Error
from row3.store.files import decode, open_file, refuse_conflicts

Read = Callable[..., Any]
"""Reads a text; `where` names its file and line."""


def read_lines(path: Path, where: str, read: Read) -> Iterator[tuple[int, Any]]:
    """The number of each line that is not empty, with what it holds or the `Row3Error` that says what is wrong."""
    try:
        with open_file(path, where=where) as file:
            for number, raw in enumerate(file, 1):
                place = f"{where}:{number}"
                try:
                    text = decode(raw, where=place)
                    refuse_conflicts(text, where=place)
                    if text.strip():
                        yield number, read(text, where=place)
                except Row3Error as error:
                    yield number, InvalidFile(error.what, where=place, fix=error.fix)
    except InvalidFile as error:
        yield 1, error
    except OSError as error:
        yield 1, InvalidFile(f"cannot be read ({error.strerror})", where=where)
